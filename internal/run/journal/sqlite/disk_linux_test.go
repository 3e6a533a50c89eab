package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
)

// smallDisk mounts a disk of so many KiB, which takes a privilege.
func smallDisk(t *testing.T, kib int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kib)); err != nil {
		t.Skipf("no small disk to try this on: mounting one takes a privilege (%v)", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

func remountReadOnly(t *testing.T, dir string) {
	t.Helper()
	must(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
}

func TestFullDisk(t *testing.T) {
	dir := smallDisk(t, 512)
	path := filepath.Join(dir, "fleet.db")
	j := mustOpen(t, path, sqlite.Options{})
	last, err := fillUp(j)
	if !errors.Is(err, journal.ErrDiskFull) {
		t.Fatalf("after entry %d: got %v, want ErrDiskFull", last, err)
	}
	wantWords(t, err, path, "append", "nothing was written", "free some room")
	wantGood(t, j, last)

	err = j.SaveSnapshot(ctx, journal.Snapshot{Seq: last, Data: make([]byte, 400_000)})
	if !errors.Is(err, journal.ErrDiskFull) {
		t.Errorf("snapshot: got %v, want ErrDiskFull", err)
	}
	if left, _ := filepath.Glob(path + "-snapshots/.*"); len(left) > 0 {
		t.Errorf("an unfinished snapshot is left: %v", left)
	}
	mustClose(t, j)
	wantGood(t, mustOpen(t, path, sqlite.Options{ReadOnly: true}), last)
}

// fillUp appends groups until an error and returns the last acknowledged entry.
func fillUp(j journal.Journal) (last uint64, err error) {
	for {
		if err := j.Append(ctx, sample(last+1, last+20)); err != nil {
			return last, err
		}
		last += 20
	}
}

// Room that comes back is used: no new start is needed.
func TestFullDiskThatGetsRoomAgain(t *testing.T) {
	dir := smallDisk(t, 512)
	ballast := filepath.Join(dir, "ballast")
	mustWrite(t, ballast, make([]byte, 200<<10))
	j := mustOpen(t, filepath.Join(dir, "fleet.db"), sqlite.Options{})
	last, err := fillUp(j)
	if !errors.Is(err, journal.ErrDiskFull) {
		t.Fatalf("got %v, want ErrDiskFull", err)
	}
	must(t, os.Remove(ballast))
	mustAppend(t, j, sample(last+1, last+20))
	wantGood(t, j, last+20)
	mustClose(t, j)
	wantGood(t, mustOpen(t, filepath.Join(dir, "fleet.db"), sqlite.Options{}), last+20)
}

// However little room there is, opening a new journal works or says why not.
func TestFullDiskAtTheStart(t *testing.T) {
	for kib := 4; kib <= 160; kib += 4 {
		t.Run(fmt.Sprint(kib, " KiB"), func(t *testing.T) {
			path := filepath.Join(smallDisk(t, kib), "fleet.db")
			j, err := sqlite.Open(ctx, path, sqlite.Options{})
			if err != nil {
				if !errors.Is(err, journal.ErrDiskFull) {
					t.Errorf("got %v, want ErrDiskFull", err)
				}
				return
			}
			defer j.Close()
			last, err := fillUp(j)
			if !errors.Is(err, journal.ErrDiskFull) {
				t.Errorf("after entry %d: got %v, want ErrDiskFull", last, err)
			}
			wantGood(t, j, last)
		})
	}
}

// A salvage that finds no room leaves the journal as it was.
func TestSalvageOnAFullDisk(t *testing.T) {
	dir := smallDisk(t, 1600)
	path := filepath.Join(dir, "fleet.db")
	from := closedLog(t, 2_000)
	flip(t, from, 1_900)
	for _, part := range []string{"", "-head"} {
		mustWrite(t, path+part, mustRead(t, from+part))
	}
	ballast := filepath.Join(dir, "ballast")
	for kib := 1_200; ; kib -= 50 { // full at any of its steps
		mustWrite(t, ballast, make([]byte, kib<<10))
		j, err := sqlite.Open(ctx, path, sqlite.Options{Salvage: true})
		if err == nil {
			wantGood(t, j, 1_899)
			mustClose(t, j)
			return
		}
		if !errors.Is(err, journal.ErrDiskFull) {
			t.Fatalf("with %d KiB of ballast: got %v, want ErrDiskFull", kib, err)
		}
		if !bytes.Equal(mustRead(t, path), mustRead(t, from)) {
			t.Fatalf("with %d KiB of ballast: the failed salvage changed the file", kib)
		}
	}
}

func TestReadOnlyDisk(t *testing.T) {
	logs := map[string]func(testing.TB, uint64) string{"closed": closedLog, "crashed": crashedLog}
	for name, log := range logs {
		t.Run(name, func(t *testing.T) {
			dir := smallDisk(t, 4096)
			path := filepath.Join(dir, "fleet.db")
			from := log(t, 100)
			for _, part := range []string{"", "-head", "-wal", "-shm"} {
				if b, err := os.ReadFile(from + part); err == nil {
					mustWrite(t, path+part, b)
				}
			}
			remountReadOnly(t, dir)
			_, err := sqlite.Open(ctx, path, sqlite.Options{})
			if !errors.Is(err, journal.ErrReadOnly) {
				t.Fatalf("got %v, want ErrReadOnly", err)
			}
			wantWords(t, err, path, "nothing was changed", "make "+dir, "writable")
			j, err := sqlite.Open(ctx, path, sqlite.Options{ReadOnly: true})
			must(t, err)
			wantGood(t, j, 100)
			mustClose(t, j)
		})
	}
	t.Run("nothing there yet", func(t *testing.T) {
		dir := smallDisk(t, 64)
		remountReadOnly(t, dir)
		_, err := sqlite.Open(ctx, filepath.Join(dir, "fleet.db"), sqlite.Options{})
		if !errors.Is(err, journal.ErrReadOnly) {
			t.Fatalf("got %v, want ErrReadOnly", err)
		}
	})
}

// A file that may not be written: by its permissions or, as these do not bind root, on
// a disk that turned read-only.
func TestReadOnlyFile(t *testing.T) {
	dir := t.TempDir()
	if os.Geteuid() == 0 {
		dir = smallDisk(t, 4096)
	}
	path := filepath.Join(dir, "fleet.db")
	j := mustOpen(t, path, sqlite.Options{})
	mustAppend(t, j, sample(1, 10))
	mustClose(t, j)
	must(t, os.Chmod(path, 0o444))
	if os.Geteuid() == 0 {
		remountReadOnly(t, dir)
	}
	_, err := sqlite.Open(ctx, path, sqlite.Options{})
	if !errors.Is(err, journal.ErrReadOnly) {
		t.Fatalf("got %v, want ErrReadOnly", err)
	}
}
