//go:build unix

package wholefile

import (
	"errors"
	"os"
	"syscall"
)

// Alone waits until no other process has the lock of a file, which it makes where there is none. free gives the lock back,
// as the end of the process does.
func Alone(path string) (free func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for err = syscall.EINTR; errors.Is(err, syscall.EINTR); {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}
