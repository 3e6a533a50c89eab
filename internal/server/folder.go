package server

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

// folder is the data folder of a server. One process has it at a time.
type folder struct {
	path  string
	lock  *os.File
	alive time.Time // the last moment at which an earlier server had the folder; zero: none had
	demo  *demoMark // nil: it is no demo's
}

// demoMark says that a folder holds a demo's fleet, and the seed of its load.
type demoMark struct {
	Seed uint64 `json:"seed"`
}

// The files of a data folder.
const (
	journalFile = named.File
	pastFile    = "past.notes"    // gathered again from the journal where it is gone
	keysDir     = "keys"          // likewise
	historyFile = "history.notes" // likewise
	provenFile  = "proven.json"   // how far the log was proven; begun again where it is gone
	lockFile    = "lock"
	demoFile    = "demo.json"
	carrierFile = "cluster" // which cluster, or which kind of clusters, carries this fleet out
	agentsDir   = "agents"  // who may speak for which cluster
	socketFile  = "muster.sock"
)

// markAlive says that the server that has the folder still runs: the lock's own moment is
// when it last did.
func (f *folder) markAlive(now time.Time) { _ = os.Chtimes(f.file(lockFile), now, now) }

// openFolder takes a data folder into possession, and creates it if need be.
func openFolder(path string) (*folder, error) {
	ownFiles()
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	if err := os.MkdirAll(path, privateFolder); err != nil {
		return nil, unwritable(path, err)
	}
	f := &folder{path: path}
	if info, err := os.Stat(f.file(lockFile)); err == nil {
		f.alive = info.ModTime()
	}
	if f.lock, err = os.OpenFile(f.file(lockFile), os.O_RDWR|os.O_CREATE, privateFile); err != nil {
		return nil, unwritable(path, err)
	}
	if err := f.claim(); err != nil {
		_ = f.lock.Close()
		return nil, err
	}
	if f.demo, err = readMark(f.file(demoFile)); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *folder) file(name string) string { return filepath.Join(f.path, name) }

// claim locks the folder and leaves word which process has it.
func (f *folder) claim() error {
	switch err := tryLock(f.lock); {
	case errors.Is(err, errHeld):
		return cli.Malformed(fmt.Errorf("data folder %s: another Muster%s runs on it; stop that one, or name another folder with --data", f.path, f.holder()))
	case err != nil:
		return fmt.Errorf("data folder %s: lock it: %w", f.path, err)
	}
	if err := f.lock.Truncate(0); err != nil {
		return unwritable(f.path, err)
	}
	if _, err := fmt.Fprintf(f.lock, "%d\n", os.Getpid()); err != nil {
		return unwritable(f.path, err)
	}
	return nil
}

// holder says which process has the folder, as far as that can be known.
func (f *folder) holder() string {
	data, err := os.ReadFile(f.file(lockFile))
	if pid := strings.TrimSpace(string(data)); err == nil && pid != "" {
		return " (process " + pid + ")"
	}
	return ""
}

// unwritable says what keeps a folder from being written, and what to do.
func unwritable(path string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return cli.Malformed(fmt.Errorf("data folder %s: the disk is full; free some room there, or name another folder with --data (%w)", path, err))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrExist):
		return cli.Malformed(fmt.Errorf("data folder %s cannot be written; make it writable, or name another folder with --data (%w)", path, err))
	}
	return fmt.Errorf("data folder %s: %w", path, err)
}

// settle sees to it that a demo runs on a demo's folder only, and only a demo
// does: its load must never meet a real fleet. used says that the journal has records.
func (f *folder) settle(o upOptions, used bool) error {
	if err := f.settleCarrier(o, carriers(), used); err != nil {
		return err
	}
	switch {
	case !o.Demo && f.demo != nil:
		return cli.Malformed(fmt.Errorf("data folder %s holds a demo's fleet; start it with --demo, or name another folder with --data", f.path))
	case o.Demo && f.demo == nil && used:
		return cli.Malformed(fmt.Errorf("data folder %s holds a fleet that is no demo's, and a demo would put its load on it; name another folder with --data", f.path))
	case o.Demo && f.demo == nil:
		return f.mark(o.Seed)
	}
	return nil
}

func (f *folder) mark(seed uint64) error {
	f.demo = &demoMark{seed}
	data, err := json.Marshal(f.demo)
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.file(demoFile), append(data, '\n'), privateFile); err != nil {
		return unwritable(f.path, err)
	}
	return nil
}

func readMark(path string) (*demoMark, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	m := &demoMark{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%s: %w; it should read {\"seed\": 1}", path, err)
	}
	return m, nil
}

func (f *folder) close() { _ = f.lock.Close() }
