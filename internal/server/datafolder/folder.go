package datafolder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/run/journal/named"
)

// Folder is the data folder of a server. One process has it at a time.
type Folder struct {
	Path  string
	Alive time.Time // the last moment at which an earlier server had the folder; zero: none had
	Demo  *Demo     // nil: it is no demo's

	lock *os.File
}

// Demo says that a folder holds a demo's fleet, and the seed of its load.
type Demo struct {
	Seed uint64 `json:"seed"`
}

// The files of a data folder.
const (
	Journal     = named.File
	Past        = "past.notes"    // gathered again from the journal where it is gone
	Keys        = "keys"          // likewise
	History     = "history.notes" // likewise
	Proven      = "proven.json"   // how far the log was proven; begun again where it is gone
	lockFile    = "lock"
	demoFile    = "demo.json"
	ClusterMark = "cluster" // which cluster, or which kind of clusters, carries this fleet out
	Agents      = "agents"  // who may speak for which cluster
	Socket      = "muster.sock"
)

// MarkAlive says that the server that has the folder still runs: the lock's own moment is
// when it last did.
func (f *Folder) MarkAlive(now time.Time) { _ = os.Chtimes(f.File(lockFile), now, now) }

// Open takes a data folder into possession, and creates it if need be.
func Open(path string) (*Folder, error) {
	OwnFiles()
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	if err := os.MkdirAll(path, PrivateFolder); err != nil {
		return nil, Unwritable(path, err)
	}
	f := &Folder{Path: path}
	if info, err := os.Stat(f.File(lockFile)); err == nil {
		f.Alive = info.ModTime()
	}
	if f.lock, err = os.OpenFile(f.File(lockFile), os.O_RDWR|os.O_CREATE, PrivateFile); err != nil {
		return nil, Unwritable(path, err)
	}
	if err := f.claim(); err != nil {
		_ = f.lock.Close()
		return nil, err
	}
	if f.Demo, err = readMark(f.File(demoFile)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// File is the path of a file of the folder.
func (f *Folder) File(name string) string { return filepath.Join(f.Path, name) }

// claim locks the folder and leaves word which process has it.
func (f *Folder) claim() error {
	switch err := tryLock(f.lock); {
	case errors.Is(err, errHeld):
		return cli.Malformed(fmt.Errorf("data folder %s: another Muster%s runs on it; stop that one, or name another folder with --data", f.Path, f.holder()))
	case err != nil:
		return fmt.Errorf("data folder %s: lock it: %w", f.Path, err)
	}
	if err := f.lock.Truncate(0); err != nil {
		return Unwritable(f.Path, err)
	}
	if _, err := fmt.Fprintf(f.lock, "%d\n", os.Getpid()); err != nil {
		return Unwritable(f.Path, err)
	}
	return nil
}

// holder says which process has the folder, as far as that can be known.
func (f *Folder) holder() string {
	data, err := os.ReadFile(f.File(lockFile))
	if pid := strings.TrimSpace(string(data)); err == nil && pid != "" {
		return " (process " + pid + ")"
	}
	return ""
}

// Unwritable says what keeps a folder from being written, and what to do.
func Unwritable(path string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return cli.Malformed(fmt.Errorf("data folder %s: the disk is full; free some room there, or name another folder with --data (%w)", path, err))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		return cli.Malformed(fmt.Errorf("data folder %s cannot be written; make it writable, or name another folder with --data (%w)", path, err))
	}
	return fmt.Errorf("data folder %s: %w", path, err)
}

// BeginDemo marks the folder as a demo's.
func (f *Folder) BeginDemo(seed uint64) error {
	f.Demo = &Demo{seed}
	data, err := json.Marshal(f.Demo)
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.File(demoFile), append(data, '\n'), PrivateFile); err != nil {
		return Unwritable(f.Path, err)
	}
	return nil
}

func readMark(path string) (*Demo, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	m := &Demo{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%s: %w; it should read {\"seed\": 1}", path, err)
	}
	return m, nil
}

// Close lets another process have the folder.
func (f *Folder) Close() { _ = f.lock.Close() }
