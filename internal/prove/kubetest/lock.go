package kubetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// A lock is a file that one process of this machine holds at one time. It is let
// go when the process ends, however it ends.
type lock struct{ file *os.File }

// errHeld says that another process holds the lock.
var errHeld = errors.New("kubetest: another process holds the lock")

// tryLock takes a lock, or says at once that another process has it.
func tryLock(file string) (*lock, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o640)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errHeld
		}
		return nil, fmt.Errorf("kubetest: lock %s: %w", file, err)
	}
	return &lock{f}, nil
}

// free lets the lock go. A nil lock holds nothing.
func (l *lock) free() {
	if l != nil {
		_ = l.file.Close()
	}
}

// waitLock takes the first of some locks that comes free.
func waitLock(ctx context.Context, files ...string) (*lock, error) {
	for {
		for _, file := range files {
			l, err := tryLock(file)
			if !errors.Is(err, errHeld) {
				return l, err
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// turnWait is how long a control plane waits for another to end. Two at one time
// are slow where there are two cores, but not wrong.
const turnWait = 5 * time.Minute

// Turns is the environment variable that says how many control planes may run on
// this machine at one time; without it there is one for every two cores.
const Turns = "MUSTER_CONTROLPLANE_TURNS"

// turn waits until this machine has room for one more control plane, or until it
// has waited long enough.
func turn(ctx context.Context, dir string) (*lock, error) {
	n, err := strconv.Atoi(os.Getenv(Turns))
	if err != nil || n < 1 {
		n = max(1, runtime.NumCPU()/2)
	}
	files := make([]string, n)
	for i := range files {
		files[i] = filepath.Join(dir, fmt.Sprintf("turn-%d.lock", i))
	}
	waiting, cancel := context.WithTimeout(ctx, turnWait)
	defer cancel()
	l, err := waitLock(waiting, files...)
	if err != nil && ctx.Err() == nil {
		return nil, nil // it has waited long enough, and goes without
	}
	return l, err
}
