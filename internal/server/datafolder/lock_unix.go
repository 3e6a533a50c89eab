//go:build unix

package datafolder

import (
	"errors"
	"os"
	"syscall"
)

// OwnFiles makes all files that this process creates its user's alone.
func OwnFiles() { syscall.Umask(0o077) }

// errHeld says that another process has the lock.
var errHeld = errors.New("held by another process")

// tryLock locks a file for this process, until it ends or closes the file.
func tryLock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errHeld
	}
	return err
}
