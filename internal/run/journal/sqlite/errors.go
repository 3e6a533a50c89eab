package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	modernc "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// explain turns whatever went wrong with the file into an error that names the
// file and the remedy. Errors of package journal pass through.
func explain(path, doing string, err error) error {
	if err == nil || isOurs(err) {
		return err
	}
	remedy, kind := classify(path, err)
	switch {
	case kind == nil:
		return fmt.Errorf("journal %s: %s: %w", path, doing, err)
	case errors.Is(err, kind):
		return fmt.Errorf("journal %s: %s: %w; %s", path, doing, kind, remedy)
	}
	return fmt.Errorf("journal %s: %s: %w; %s (%w)", path, doing, kind, remedy, err)
}

func isOurs(err error) bool {
	var corrupt *journal.CorruptError
	var version *journal.VersionError
	var fenced *journal.FencedError
	var trimmed *journal.TrimmedError
	return errors.As(err, &trimmed) || errors.As(err, &corrupt) || errors.As(err, &version) || errors.As(err, &fenced) || errors.Is(err, journal.ErrClosed)
}

// classify finds which of the world's faults err is, and what to do about it.
func classify(path string, err error) (remedy string, kind error) {
	dir := filepath.Dir(path)
	switch {
	case isFull(err):
		return "nothing was written; free some room in " + dir + " and try again", journal.ErrDiskFull
	case isReadOnly(dir, err):
		return "nothing was changed; make " + dir + " and the files in it writable, or name another folder", journal.ErrReadOnly
	case isLocked(err):
		return "stop that process, or name another file", journal.ErrLocked
	}
	return "", nil
}

func isFull(err error) bool {
	// The index of the write-ahead log finds no room either, and says so in
	// its own way.
	return extended(err) == lib.SQLITE_IOERR_SHMSIZE || code(err) == lib.SQLITE_FULL || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func isReadOnly(dir string, err error) bool {
	switch code(err) {
	case lib.SQLITE_READONLY:
		return true
	case lib.SQLITE_CANTOPEN:
		return !writable(dir)
	}
	return errors.Is(err, journal.ErrReadOnly) || errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS)
}

func isLocked(err error) bool {
	c := code(err)
	return errors.Is(err, journal.ErrLocked) || c == lib.SQLITE_BUSY || c == lib.SQLITE_LOCKED || c == lib.SQLITE_PROTOCOL
}

// isDamage tells what SQLite found wrong with the bytes of a file, as opposed
// to the world around it. No entry is near SQLITE_TOOBIG, see maxData.
func isDamage(err error) bool {
	var found oddity
	if errors.As(err, &found) {
		return true
	}
	switch code(err) {
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB, lib.SQLITE_TOOBIG, lib.SQLITE_FORMAT:
		return true
	}
	return extended(err) == lib.SQLITE_IOERR_SHORT_READ
}

// code is SQLite's primary result code, 0 for errors of others.
func code(err error) int { return extended(err) & 0xff }

func extended(err error) int {
	var e *modernc.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code()
}

func writable(dir string) bool {
	f, err := os.CreateTemp(dir, ".writable-*")
	if err != nil {
		return false
	}
	return errors.Join(f.Close(), os.Remove(f.Name())) == nil
}
