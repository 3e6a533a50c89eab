package server

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Who may read and write what a server keeps: the user that it runs as alone.
const (
	privateFile   fs.FileMode = 0o600
	privateFolder fs.FileMode = 0o700
)

// keepPrivate takes from others what they may do with a data folder, as an earlier version
// or another hand has left it. It says what it has changed, and what it could not change.
func keepPrivate(folder string) (changed, failed []string) {
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			failed = append(failed, path)
			return nil //nolint:nilerr // it is told, and the rest is looked at
		}
		if d.Type()&fs.ModeSymlink != 0 {
			return nil
		}
		info, err := d.Info()
		if err != nil || info.Mode().Perm()&0o077 == 0 {
			return nil //nolint:nilerr // it is gone meanwhile
		}
		mode := privateFile
		if d.IsDir() {
			mode = privateFolder
		}
		if err := os.Chmod(path, mode); err != nil {
			failed = append(failed, path)
			return nil //nolint:nilerr // it is said
		}
		changed = append(changed, path)
		return nil
	})
	return changed, failed
}

// tighten keeps the data folder private, and tells what it found.
func (s *server) tighten() {
	changed, failed := keepPrivate(s.folder.path)
	if len(changed) > 0 {
		s.log.Warn("others could read or write files of the data folder; now they cannot", "files", len(changed), "first", changed[0])
	}
	if len(failed) > 0 {
		s.log.Warn("others may read or write files of the data folder, and this user cannot change that: chmod 700 the folder and 600 its files", "files", len(failed), "first", failed[0])
	}
}
