package gitcheckin

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file reads and writes in a copy of the repository. Who may push there may put links into it
// that lead anywhere on this machine, so no link is followed.

// write writes a file of the copy.
func write(folder, name string, data []byte) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := plain(root, name); err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	return root.WriteFile(name, data, 0o600)
}

// read reads the beginning of a file of the copy; nil: there is none.
func read(folder, name string, most int) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	if err := plain(root, name); err != nil {
		return nil, err
	}
	f, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, int64(most)))
}

// plain refuses a place that is a link, or lies beyond one.
func plain(root *os.Root, name string) error {
	for at := name; at != "." && at != "/"; at = path.Dir(at) {
		is, err := root.Lstat(at)
		if err == nil && is.Mode()&fs.ModeSymlink != 0 {
			return &provision.Refused{Class: fleet.ErrorFix, Err: fmt.Errorf("git check-in: %s of the repository is a link; records are written into plain files and folders", at)}
		}
	}
	return nil
}
