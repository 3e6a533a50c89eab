package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/run/journal"
)

const (
	format        = 3          // of the file; raise it whenever an older program could misread it, or what is in its entries
	whole         = 2          // the format of a log that has all of its entries, which has no table base
	applicationID = 0x4d535452 // "MSTR" in the file's header tells a journal from other SQLite files
)

type table struct{ name, sql string }

// baseTable holds one row, once entries were dropped: what stands in their place, and its checksum.
var baseTable = table{"base", `CREATE TABLE base(seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, sum INTEGER NOT NULL, proof INTEGER NOT NULL, data BLOB NOT NULL) STRICT`}

// The tables. A row of turn marks an entry whose At is before its predecessor's,
// see moment.go. The layout of meta stays the same in every format, so that any
// version can read which one it is. The format stands in the header too
// (user_version): a damaged one must not pass for a newer version.
var tables = []table{
	{"meta", `CREATE TABLE meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID`},
	{"entry", `CREATE TABLE entry(seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, sum INTEGER NOT NULL, data BLOB NOT NULL) STRICT`},
	{"turn", `CREATE TABLE turn(seq INTEGER PRIMARY KEY) STRICT`},
}

// adopt makes sure that the file is a journal of this format: it creates the
// tables in an empty file and judges any other.
func adopt(ctx context.Context, c *conn) error {
	empty, err := look(c)
	if err != nil {
		return err
	}
	return c.transact(ctx, func() error {
		if empty, err = recognise(c); err != nil { // another process may have been quicker
			return err
		}
		if !empty {
			return raise(c)
		}
		return create(c)
	})
}

// raise makes a journal of an older format one of this: an older program refuses it from then on.
// What it holds stays as it is, as this program reads the entries of every format.
func raise(c *conn) error {
	found, err := c.number("PRAGMA user_version")
	if err != nil || found >= whole {
		return err
	}
	return setFormat(c, whole)
}

func setFormat(c *conn, to int) error {
	if err := c.exec(fmt.Sprintf("UPDATE meta SET value = %d WHERE key = 'format'", to)); err != nil {
		return err
	}
	return c.exec(fmt.Sprintf("PRAGMA user_version = %d", to))
}

// look recognises the file while others may be writing it.
func look(c *conn) (empty bool, err error) {
	err = c.view(func() (err error) {
		empty, err = recognise(c)
		return err
	})
	return empty, err
}

func create(c *conn) error {
	for _, table := range tables {
		if err := c.exec(table.sql); err != nil {
			return err
		}
	}
	if err := c.exec(fmt.Sprintf("INSERT INTO meta VALUES('format', %d)", whole)); err != nil {
		return err
	}
	if err := c.exec(fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return err
	}
	return c.exec(fmt.Sprintf("PRAGMA user_version = %d", whole))
}

// recognise returns nil for a journal of a known format, and empty for a file
// with nothing in it. It needs a transaction around it.
func recognise(c *conn) (empty bool, err error) {
	var id, version, objects, metas int64
	for _, q := range []struct {
		sql  string
		into *int64
	}{
		{"PRAGMA application_id", &id},
		{"PRAGMA user_version", &version},
		{"SELECT count(*) FROM sqlite_schema", &objects},
		{"SELECT count(*) FROM sqlite_schema WHERE name='meta'", &metas},
	} {
		if *q.into, err = c.number(q.sql); err != nil {
			return false, err
		}
	}
	switch {
	case id == 0 && version == 0 && objects == 0:
		return true, nil
	case id != applicationID && metas == 0:
		return false, fmt.Errorf("journal %s: an SQLite file, but no journal; name another file", c.path)
	case id != applicationID || metas == 0:
		return false, oddity("its file header and its tables disagree on whether this is a journal")
	}
	return false, checkFormat(c, version)
}

func checkFormat(c *conn, version int64) error {
	found, err := c.number("SELECT value FROM meta WHERE key='format'")
	if err != nil {
		return err
	}
	switch {
	case found != version || found < 1:
		return oddity(fmt.Sprintf("its format is %d in one place and %d in another", found, version))
	case found > format:
		return &journal.VersionError{Path: c.path, Found: int(found), Known: format}
	}
	return checkTables(c, found > whole)
}

// checkTables compares the tables' definitions, byte for byte, with what create
// wrote: SQLite would make some sense of a damaged one.
func checkTables(c *conn, trimmed bool) error {
	expected := tables
	if trimmed {
		expected = append(slices.Clone(tables), baseTable)
	}
	for _, table := range expected {
		row, err := c.row("SELECT sql FROM sqlite_schema WHERE type='table' AND name='"+table.name+"'", 1)
		if err != nil {
			return err
		}
		if len(row) == 0 || row[0] != driver.Value(table.sql) {
			return oddity("the definition of table " + table.name + " is not as it was written")
		}
	}
	return nil
}
