package named

import (
	"context"
	"errors"
	"fmt"
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
	if err != nil {
		return nil, err
	}
	return opened(sqlite.Open(ctx, name, sqlite.Options{ReadOnly: true}))
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
