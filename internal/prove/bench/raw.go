package bench

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver named sqlite
)

// raw is SQLite without Muster at its fastest from Go: the journal's settings
// and row, one statement for a whole group, no database/sql on the way.
type raw struct {
	db     *sql.DB
	conn   *sql.Conn
	begin  driver.Stmt
	commit driver.Stmt
	insert driver.Stmt
	args   []driver.NamedValue
	group  int
	seq    int64
	row    []byte
}

const rawSchema = `
PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
CREATE TABLE entry(seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, sum INTEGER NOT NULL, data BLOB NOT NULL) STRICT`

// openRaw makes a new file that takes groups of so many rows with so many bytes.
func openRaw(ctx context.Context, dir string, group, bytes int) (*raw, error) {
	path := filepath.Join(dir, fmt.Sprintf("raw-%d-%d.db", group, time.Now().UnixNano()))
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return nil, err
	}
	r := &raw{db: db, group: group, args: make([]driver.NamedValue, 4*group), row: make([]byte, bytes)}
	_, _ = rand.NewChaCha8([32]byte{1}).Read(r.row) // never fails
	if err := r.prepare(ctx); err != nil {
		return nil, fmt.Errorf("raw SQLite: %w", err)
	}
	return r, nil
}

func (r *raw) prepare(ctx context.Context) (err error) {
	if r.conn, err = r.db.Conn(ctx); err != nil {
		return err
	}
	if _, err := r.conn.ExecContext(ctx, rawSchema); err != nil {
		return err
	}
	return r.conn.Raw(func(c any) error {
		for _, s := range []struct {
			into *driver.Stmt
			text string
		}{
			{&r.begin, "BEGIN IMMEDIATE"},
			{&r.commit, "COMMIT"},
			{&r.insert, "INSERT INTO entry VALUES(?,?,?,?)" + strings.Repeat(",(?,?,?,?)", r.group-1)},
		} {
			if *s.into, err = c.(driver.Conn).Prepare(s.text); err != nil {
				return err
			}
		}
		return nil
	})
}

// write makes one group durable.
func (r *raw) write(ctx context.Context) error {
	for i := range r.group {
		r.seq++
		for k, v := range []driver.Value{r.seq, int64(1_700_000_000_000_000_000), int64(0xdeadbeef), r.row} {
			r.args[4*i+k] = driver.NamedValue{Ordinal: 4*i + k + 1, Value: v}
		}
	}
	for _, step := range []struct {
		stmt driver.Stmt
		args []driver.NamedValue
	}{{r.begin, nil}, {r.insert, r.args}, {r.commit, nil}} {
		if _, err := step.stmt.(driver.StmtExecContext).ExecContext(ctx, step.args); err != nil {
			return err
		}
	}
	return nil
}

func (r *raw) close() {
	for _, s := range []driver.Stmt{r.begin, r.commit, r.insert} {
		if s != nil {
			_ = s.Close()
		}
	}
	_ = r.conn.Close()
	_ = r.db.Close()
}

// rawRate is how many rows per second SQLite makes durable.
func rawRate(ctx context.Context, dir string, group, bytes int, span time.Duration) (float64, error) {
	r, err := openRaw(ctx, dir, group, bytes)
	if err != nil {
		return 0, err
	}
	defer r.close()
	began := time.Now()
	for time.Since(began) < span {
		if err := r.write(ctx); err != nil {
			return 0, fmt.Errorf("raw SQLite: %w", err)
		}
	}
	return float64(r.seq) / time.Since(began).Seconds(), nil
}
