package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Servers on one database share a few small files, which are not of the log: each has a copy in
// its data folder.

// File is one of them, as the database has it.
type File struct {
	Name    string
	Version int64  // counts its changes; 0: there never was one
	Data    []byte // nil: it was removed
}

// FileVersions are those of all shared files, by their names.
func (j *Journal) FileVersions(ctx context.Context) (map[string]int64, error) {
	ctx, stop := j.brief(ctx)
	defer stop()
	rows, err := j.pool.Query(ctx, "SELECT name, version FROM muster.file")
	if err != nil {
		return nil, j.explain("list the shared files", err)
	}
	versions := map[string]int64{}
	var name string
	var version int64
	_, err = pgx.ForEachRow(rows, []any{&name, &version}, func() error { versions[name] = version; return nil })
	return versions, j.explain("list the shared files", err)
}

// ReadFile reads a shared file; one that there never was has the version 0.
func (j *Journal) ReadFile(ctx context.Context, name string) (f File, err error) {
	ctx, stop := j.brief(ctx)
	defer stop()
	f.Name = name
	err = j.pool.QueryRow(ctx, "SELECT version, data FROM muster.file WHERE name = $1", name).Scan(&f.Version, &f.Data)
	if errors.Is(err, pgx.ErrNoRows) {
		return f, nil
	}
	return f, j.explain("read a shared file", err)
}

// PutFile changes a shared file whose version is still f.Version, and returns its new one; ok is
// false where another server was quicker. One that only the leader changes is not changed by
// a server whose term is over.
func (j *Journal) PutFile(ctx context.Context, f File, leaders bool) (version int64, ok bool, err error) {
	ctx, stop := j.brief(ctx)
	defer stop()
	err = j.pool.QueryRow(ctx, `INSERT INTO muster.file AS old (name, version, data)
SELECT $1::text, 1, $3::bytea WHERE ($2::bigint = 0 OR EXISTS (SELECT 1 FROM muster.file WHERE name = $1))
  AND (NOT $4::bool OR EXISTS (SELECT 1 FROM muster.lease WHERE term = $5::bigint FOR SHARE))
ON CONFLICT (name) DO UPDATE SET version = old.version + 1, data = excluded.data WHERE old.version = $2
RETURNING version`, f.Name, f.Version, f.Data, leaders, j.term.Load()).Scan(&version)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return version, err == nil, j.explain("change a shared file", err)
}
