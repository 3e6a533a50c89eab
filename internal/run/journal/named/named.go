package named

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/postgres"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
)

// File is the journal in a data folder.
const File = "fleet.db"

// Read opens a journal to read it; nothing in it is changed, also where it is damaged.
// A file or folder that is not there is fs.ErrNotExist.
func Read(ctx context.Context, name string) (journal.Journal, error) {
	if postgres.Is(name) {
		return opened(postgres.Open(ctx, name, postgres.Options{ReadOnly: true}))
	}
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		name = filepath.Join(name, File)
		if _, err = os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: this folder holds no journal; one in PostgreSQL is named by its address, postgres://HOST/DATABASE", err)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && info == nil:
		return nil, fmt.Errorf("journal %s: %w; name a data folder, the file of a backup, or the address of a database (postgres://HOST/DATABASE)", name, fs.ErrNotExist)
	case err != nil:
		return nil, err
	case !info.IsDir():
		if err := isJournal(name); err != nil {
			return nil, err
		}
	}
	return opened(sqlite.Open(ctx, name, sqlite.Options{ReadOnly: true}))
}

// isJournal refuses a file that is something else. One that is named as journals are may be a
// journal whose beginning is damaged.
func isJournal(file string) error {
	const begins = "SQLite format 3\x00"
	if ok, err := journal.Exported(file); err != nil || ok {
		return cmp.Or(err, fmt.Errorf("%s is an export of a journal; muster journal import reads it", file))
	}
	if filepath.Ext(file) == filepath.Ext(File) {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, len(begins))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != begins {
		return fmt.Errorf("%s is no journal; muster backup writes one into a file", file)
	}
	return nil
}

// Write opens a journal to append to it, and makes it where it is not there: in the folder
// of this name, unless the name is one of a file (it ends in .db).
func Write(ctx context.Context, name string) (journal.Journal, error) {
	if postgres.Is(name) {
		return opened(postgres.Open(ctx, name, postgres.Options{}))
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() || err != nil && !strings.HasSuffix(name, ".db") {
		if err := os.MkdirAll(name, 0o750); err != nil {
			return nil, err
		}
		name = filepath.Join(name, File)
	}
	return opened(sqlite.Open(ctx, name, sqlite.Options{}))
}

// opened makes a journal of what a backend returned: where it failed there is none, and
// not one that is a nil pointer.
func opened[J journal.Journal](j J, err error) (journal.Journal, error) {
	if err != nil {
		return nil, err
	}
	return j, nil
}
