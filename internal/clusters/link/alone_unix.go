//go:build unix

package link

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// alone changes who is enrolled while no other process does: a renewal that runs beside a revocation
// would enrol the agent again.
func (a *Authority) alone(change func() error) error {
	f, err := os.OpenFile(filepath.Join(a.dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // which lets go of the lock
	for err = syscall.EINTR; errors.Is(err, syscall.EINTR); {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		return err
	}
	return change()
}
