package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// A file that was removed or replaced can still be written to by a process that has it open,
// and no later start finds what is written there. So each append looks afterwards, before it is
// acknowledged, whether the file and its write-ahead log are still in their places.

var _ journal.Prober = (*Journal)(nil)

// settle notes which file is written to.
func (w *writer) settle(path string) (err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.file, err = os.Stat(path)
	return err
}

// Probe says whether the files that are written to are still in their places.
func (j *Journal) Probe(ctx context.Context) error {
	if err := j.ready(ctx); err != nil || j.writer == nil {
		return err
	}
	return j.writer.inPlace(j.path)
}

func (w *writer) inPlace(path string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := same(path, w.file); err != nil {
		return err
	}
	if w.log == nil {
		w.log, _ = os.Stat(path + "-wal") // it is created with the first append
		return nil
	}
	return same(path+"-wal", w.log)
}

// same says whether a name still leads to a file.
func same(name string, was os.FileInfo) error {
	is, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(is, was):
		return fmt.Errorf("%w: %s was removed or replaced while it was written to, and what was appended since then is lost; bring it back from a copy", journal.ErrGone, name)
	default:
		return err
	}
}

// breakOff ends all writing.
func (w *writer) breakOff(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(err, journal.ErrGone) {
		w.broken = err
	}
	return err
}

// SetAside moves all that is left of a journal that has lost its file out of the way, into
// a folder beside it, so that a new one can begin. It returns the folder; "" where nothing was left.
func SetAside(path string) (dir string, err error) {
	for _, name := range []string{path, path + "-wal", path + "-shm", path + "-journal", headPath(path), basePath(path), snapshotDir(path)} {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if dir == "" {
			if dir, err = makeNumbered(path + "-before-"); err != nil {
				return "", err
			}
		}
		if err := os.Rename(name, filepath.Join(dir, filepath.Base(name))); err != nil {
			return dir, err
		}
	}
	return dir, nil
}
