package datafolder

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Who may read and write what a server keeps: the user that it runs as alone.
const (
	PrivateFile   fs.FileMode = 0o600
	PrivateFolder fs.FileMode = 0o700
)

// KeepPrivate takes from others what they may do with a data folder, as an earlier version
// or another hand has left it. It says what it has changed, and what it could not change.
func KeepPrivate(folder string) (changed, failed []string) {
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
		mode := PrivateFile
		if d.IsDir() {
			mode = PrivateFolder
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
