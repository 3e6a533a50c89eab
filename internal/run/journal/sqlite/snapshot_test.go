package sqlite_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
)

// withSnapshots makes a journal of 100 entries and snapshots of 30, 60 and 90,
// and returns its path and the files.
func withSnapshots(t *testing.T) (path string, files []string) {
	path = closedLog(t, 100)
	j := mustOpen(t, path, sqlite.Options{})
	for _, seq := range []uint64{30, 60, 90} {
		state := bytes.Repeat(fmt.Appendf(nil, "state %d ", seq), 100)
		must(t, j.SaveSnapshot(ctx, journal.Snapshot{Seq: seq, At: 7, Data: state}))
		files = append(files, filepath.Join(path+"-snapshots", fmt.Sprintf("%020d.snapshot", seq)))
	}
	mustClose(t, j)
	return path, files
}

func wantSnapshotOf(t *testing.T, path string, seq uint64) {
	t.Helper()
	j := mustOpen(t, path, sqlite.Options{})
	s, ok, err := j.SnapshotBefore(ctx, 100)
	if err != nil || ok != (seq > 0) || s.Seq != seq {
		t.Errorf("the newest intact snapshot is of %d (%v, %v), want %d", s.Seq, ok, err, seq)
	}
	mustClose(t, j)
}

func TestDamagedSnapshotsAreSkipped(t *testing.T) {
	cases := map[string]func(b []byte) []byte{
		"gone":              nil,
		"empty":             func([]byte) []byte { return nil },
		"only a header":     func(b []byte) []byte { return b[:32] },
		"cut":               func(b []byte) []byte { return b[:len(b)-1] },
		"longer":            func(b []byte) []byte { return append(b, 0) },
		"flipped data":      func(b []byte) []byte { b[200] ^= 1; return b },
		"flipped number":    func(b []byte) []byte { b[8] ^= 1; return b },
		"flipped moment":    func(b []byte) []byte { b[16] ^= 1; return b },
		"flipped checksum":  func(b []byte) []byte { b[28] ^= 1; return b },
		"flipped beginning": func(b []byte) []byte { b[0] ^= 1; return b },
		"of noise":          func(b []byte) []byte { return bytes.Repeat([]byte{7}, len(b)) },
	}
	for name, harm := range cases {
		t.Run(name, func(t *testing.T) {
			path, files := withSnapshots(t)
			for i, next := range []uint64{60, 30, 0} { // the newest first
				if file := files[2-i]; harm == nil {
					must(t, os.Remove(file))
				} else {
					edit(t, file, harm)
				}
				wantSnapshotOf(t, path, next)
			}
			wantGood(t, mustOpen(t, path, sqlite.Options{}), 100)
		})
	}
}

func TestSnapshotOfAnotherLogIsSkipped(t *testing.T) {
	path, _ := withSnapshots(t)
	otherPath := filepath.Join(t.TempDir(), "fleet.db")
	other := mustOpen(t, otherPath, sqlite.Options{})
	var entries []journal.Entry
	for seq := uint64(1); seq <= 100; seq++ {
		entries = append(entries, journal.Entry{Seq: seq, Data: []byte("another fleet")})
	}
	mustAppend(t, other, entries)
	must(t, other.SaveSnapshot(ctx, journal.Snapshot{Seq: 95}))
	file := fmt.Sprintf("-snapshots/%020d.snapshot", 95)
	mustWrite(t, path+file, mustRead(t, otherPath+file))
	wantSnapshotOf(t, path, 90)
}

// A snapshot proves that its entry was in the log once.
func TestSnapshotShowsThatTheEndWasLost(t *testing.T) {
	path, _ := withSnapshots(t)
	change(t, path, "DELETE FROM entry WHERE seq > 80")
	must(t, os.Remove(path+"-head"))
	damage := wantDamage(t, path, 80)
	wantWords(t, damage, "breaks off", "entry 90 was acknowledged")
}

func TestUnfinishedSnapshotsOfACrashGoInTime(t *testing.T) {
	path, files := withSnapshots(t)
	old := filepath.Join(filepath.Dir(files[0]), ".writing-1")
	young := filepath.Join(filepath.Dir(files[0]), ".writing-2")
	mustWrite(t, old, []byte("half a snapshot"))
	mustWrite(t, young, []byte("perhaps just being written"))
	longAgo := time.Now().Add(-2 * time.Hour)
	must(t, os.Chtimes(old, longAgo, longAgo))

	j := mustOpen(t, path, sqlite.Options{})
	must(t, j.SaveSnapshot(ctx, journal.Snapshot{Seq: 100}))
	if _, err := os.Stat(old); err == nil {
		t.Error("an unfinished snapshot of long ago is still there")
	}
	if _, err := os.Stat(young); err != nil {
		t.Error("an unfinished snapshot of just now was removed")
	}
	wantSnapshotOf(t, path, 100)
}
