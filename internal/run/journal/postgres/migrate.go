package postgres

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/muster-fleet/muster/internal/run/journal"
)

//go:embed migrations/*.sql
var migrations embed.FS

// format is that of the tables; raise it with each migration. A migration that an older
// program could misread raises the row 'least' of meta to its own format as well: older
// programs then refuse, and else they go on beside the newer tables.
const format = 4

// migrate brings the tables to this program's format, unless a newer one has been here.
func migrate(ctx context.Context, pool *pgxpool.Pool, name string) error {
	found, least, err := formatOf(ctx, pool)
	if err != nil {
		return err
	}
	if least > format {
		return &journal.VersionError{Path: name, Found: int(found), Known: format}
	}
	if found >= format {
		return nil
	}
	if _, err := pool.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS muster"); err != nil {
		return err
	}
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithTableName("muster.migration"),
		goose.WithSessionLocker(locker), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("prepare the tables: %w", err)
	}
	return nil
}

// formatOf is the format of the tables, and the oldest that can read them; 0 where there are none.
func formatOf(ctx context.Context, pool *pgxpool.Pool) (found, least int64, err error) {
	var there bool
	if err := pool.QueryRow(ctx, "SELECT to_regclass('muster.meta') IS NOT NULL").Scan(&there); err != nil || !there {
		return 0, 0, err
	}
	err = pool.QueryRow(ctx, "SELECT coalesce(max(value) FILTER (WHERE key = 'format'), 0), coalesce(max(value) FILTER (WHERE key = 'least'), 0) FROM muster.meta").
		Scan(&found, &least)
	return found, least, err
}
