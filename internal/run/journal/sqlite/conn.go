package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"time"

	modernc "modernc.org/sqlite"
)

// engine is SQLite without the pool of database/sql: this room decides itself
// which goroutine uses which connection, and reads a row in three quarters of the time.
var engine modernc.Driver

// access says what a connection is for: its part of the address, and what it
// sets up first.
type access struct{ query, setup string }

var (
	// SQLite's default page (4 KiB) and write-ahead log (1,000 pages) are the
	// best here: larger ones gain nothing in throughput, and a larger log
	// makes the stops to copy it back several times longer.
	toWrite = access{"", "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA journal_size_limit=67108864"}
	// Readers change nothing, not even by tidying up. They are lenient: with
	// writable_schema (which query_only keeps from writing any) SQLite reads
	// what is left of a file that was cut; what it reads is proven anyway.
	toRead = access{"mode=ro", "PRAGMA query_only=ON; PRAGMA writable_schema=ON"}
	// toReadFrozen does not even look for a write-ahead log: the only way to
	// read where its index cannot be made, and right only where there is none.
	toReadFrozen = access{"mode=ro&immutable=1", toRead.setup}
	// toSalvage shuts every other process out.
	toSalvage = access{"", "PRAGMA locking_mode=EXCLUSIVE"}
)

// conn is one connection. It serves one goroutine at a time.
type conn struct {
	raw  driver.Conn
	path string

	stmts []*stmt // prepared and not closed

	// fileReadOnly: the system lets this process only read the file.
	fileReadOnly bool

	begin, commit, rollback *stmt // prepared on first use, see transact
}

// connect opens the file; wait bounds the wait for another process's lock.
// Errors are SQLite's own; callers explain them.
func connect(path string, how access, wait time.Duration) (*conn, error) {
	raw, err := engine.Open(source(path, how))
	if err != nil {
		return nil, err
	}
	c := &conn{raw: raw, path: path}
	if c.fileReadOnly, err = c.readOnly(); err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	// cell_size_check finds damaged pages sooner; an untrusted schema can run
	// no code.
	patience := fmt.Sprintf("PRAGMA busy_timeout=%d; ", wait.Milliseconds())
	for _, setup := range []string{patience + "PRAGMA cell_size_check=ON; PRAGMA trusted_schema=OFF", how.setup} {
		if err := c.exec(setup); err != nil {
			return nil, errors.Join(err, raw.Close())
		}
	}
	return c, nil
}

func source(path string, how access) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: how.query}
	return u.String()
}

// close closes the statements first: SQLite keeps a connection with open ones
// alive, and its write-ahead log on disk, for ever.
func (c *conn) close() error {
	var err error
	for _, s := range c.stmts {
		err = cmp.Or(err, s.raw.Close())
	}
	return cmp.Or(err, c.raw.Close())
}

// readOnly tells whether SQLite fell back to reading only. It does so without a
// word, and even begins transactions for writing then.
func (c *conn) readOnly() (bool, error) {
	return c.raw.(interface{ IsReadOnly(string) (bool, error) }).IsReadOnly("main")
}

// exec runs statements that take and return nothing.
func (c *conn) exec(sql string) error {
	_, err := c.raw.(driver.ExecerContext).ExecContext(context.Background(), sql, nil)
	return err
}

// query runs a query that is not worth preparing; see stmt.each.
func (c *conn) query(sql string, columns int, fn func(row []driver.Value) (more bool)) error {
	raw, err := c.raw.Prepare(sql)
	if err != nil {
		return err
	}
	err = (&stmt{raw}).each(columns, fn)
	return cmp.Or(err, raw.Close())
}

// row returns the first row of a query, or nil.
func (c *conn) row(sql string, columns int) (first []driver.Value, err error) {
	err = c.query(sql, columns, func(row []driver.Value) bool { first = row; return false })
	return first, err
}

// number returns the single integer that a query yields.
func (c *conn) number(sql string) (int64, error) {
	row, err := c.row(sql, 1)
	if err != nil {
		return 0, err
	}
	if row == nil {
		return 0, oddity(fmt.Sprintf("%q finds nothing", sql))
	}
	n, ok := row[0].(int64)
	if !ok {
		return 0, oddity(fmt.Sprintf("%q finds no number", sql))
	}
	return n, nil
}

// view runs fn on one state of the file.
func (c *conn) view(fn func() error) error {
	if err := c.exec("BEGIN"); err != nil {
		return err
	}
	err := fn()
	return cmp.Or(err, c.exec("ROLLBACK"))
}

// transact runs fn in a transaction that holds the write lock from its start.
// ctx may end the wait for the lock, nothing else.
func (c *conn) transact(ctx context.Context, fn func() error) error {
	if err := c.prepareTransaction(); err != nil {
		return err
	}
	err := c.begin.exec(ctx, nil)
	if err == nil {
		err = fn()
	}
	if err == nil {
		err = c.commit.exec(context.Background(), nil)
	}
	if err != nil {
		// Whatever failed, the next transaction must be able to begin. Where
		// none is open, SQLite says so, and that is fine.
		_ = c.rollback.exec(context.Background(), nil)
	}
	return err
}

func (c *conn) prepareTransaction() (err error) {
	if c.rollback != nil {
		return nil
	}
	if c.begin, err = c.prepare("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if c.commit, err = c.prepare("COMMIT"); err != nil {
		return err
	}
	c.rollback, err = c.prepare("ROLLBACK")
	return err
}

// stmt is a prepared statement. It lives as long as its connection.
type stmt struct{ raw driver.Stmt }

func (c *conn) prepare(sql string) (*stmt, error) {
	raw, err := c.raw.Prepare(sql)
	if err != nil {
		return nil, err
	}
	s := &stmt{raw}
	c.stmts = append(c.stmts, s)
	return s, nil
}

func (s *stmt) exec(ctx context.Context, args []driver.NamedValue) error {
	_, err := s.raw.(driver.StmtExecContext).ExecContext(ctx, args)
	return err
}

// each calls fn with every row, which is valid until fn returns, until fn says
// that it has enough or the end.
func (s *stmt) each(columns int, fn func(row []driver.Value) (more bool), args ...driver.NamedValue) error {
	rows, err := s.raw.(driver.StmtQueryContext).QueryContext(context.Background(), args)
	if err != nil {
		return err
	}
	row := make([]driver.Value, columns)
	for more := true; more && err == nil; {
		if err = rows.Next(row); err == nil {
			more = fn(row)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return cmp.Or(err, rows.Close())
}

// row returns the first row, or nil.
func (s *stmt) row(columns int, args ...driver.NamedValue) (first []driver.Value, err error) {
	err = s.each(columns, func(row []driver.Value) bool { first = row; return false }, args...)
	return first, err
}

// arg is the i-th argument of a statement, from 1.
func arg(i int, v driver.Value) driver.NamedValue { return driver.NamedValue{Ordinal: i, Value: v} }
