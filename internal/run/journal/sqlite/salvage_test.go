package sqlite_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
)

func TestSalvageKeepsTheGoodPartAndGoesOn(t *testing.T) {
	cases := []struct {
		name string
		log  func(testing.TB, uint64) string
		harm func(path string)
		good uint64
	}{
		{"flipped in the middle", closedLog, func(path string) { flip(t, path, 42) }, 41},
		{"flipped in the write-ahead log", crashedLog, func(path string) { flip(t, path+"-wal", 75) }, 70},
		{"flipped in the main file under a write-ahead log", crashedLog, func(path string) { flip(t, path, 20) }, 19},
		{"write-ahead log lost", crashedLog, func(path string) { must(t, os.Remove(path+"-wal")) }, 50},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := c.log(t, 100)
			c.harm(path)
			wantDamage(t, path, c.good)

			j := mustOpen(t, path, sqlite.Options{Salvage: true})
			report, ok := j.Salvaged()
			if !ok || report.Good != c.good || report.Damage.Good != c.good {
				t.Errorf("salvage reports %v %+v, want good up to %d", ok, report, c.good)
			}
			wantGood(t, j, c.good)
			mustAppend(t, j, sample(c.good+1, 120))
			mustClose(t, j)

			j = mustOpen(t, path, sqlite.Options{FullCheck: true, Salvage: true})
			if _, again := j.Salvaged(); again {
				t.Error("a sound journal was salvaged")
			}
			wantGood(t, j, 120)
		})
	}
}

// Whatever is cut off stays readable for a person with SQLite's own tools.
func TestSalvageSetsTheDamagedFilesAside(t *testing.T) {
	path := crashedLog(t, 100)
	flip(t, path, 20)
	j := mustOpen(t, path, sqlite.Options{Salvage: true})
	report, _ := j.Salvaged()

	aside := filepath.Join(report.Aside, filepath.Base(path))
	place(t, aside+"-wal", 100)
	for _, seq := range []uint64{19, 21, 50} {
		place(t, aside, seq)
	}
}

func TestSalvageSetsSnapshotsOfTheCutPartAside(t *testing.T) {
	path := closedLog(t, 100)
	j := mustOpen(t, path, sqlite.Options{})
	must(t, j.SaveSnapshot(ctx, journal.Snapshot{Seq: 30, Data: []byte("kept")}))
	must(t, j.SaveSnapshot(ctx, journal.Snapshot{Seq: 60, Data: []byte("of a history that is no more")}))
	mustClose(t, j)
	flip(t, path, 42)

	j = mustOpen(t, path, sqlite.Options{Salvage: true, FullCheck: true})
	mustAppend(t, j, []journal.Entry{{Seq: 42, Data: []byte("another history")}})
	for next := uint64(43); next <= 70; next++ {
		mustAppend(t, j, []journal.Entry{{Seq: next}})
	}
	s, ok, err := j.SnapshotBefore(ctx, 70)
	if err != nil || !ok || s.Seq != 30 {
		t.Errorf("the newest snapshot is of %d (%v, %v), want 30", s.Seq, ok, err)
	}
	mustClose(t, j)
	mustClose(t, mustOpen(t, path, sqlite.Options{FullCheck: true}))
}

func TestSalvageRefusesToKeepNothing(t *testing.T) {
	path := closedLog(t, 100)
	flip(t, path, 1)
	before := mustRead(t, path)
	_, err := sqlite.Open(ctx, path, sqlite.Options{Salvage: true})
	asDamage(t, err)
	wantWords(t, err, "cannot be salvaged", "nothing would remain")
	if string(before) != string(mustRead(t, path)) {
		t.Error("the refused salvage changed the file")
	}
}

func TestSalvageNeedsTheJournalForItself(t *testing.T) {
	path := closedLog(t, 100)
	other := mustOpen(t, path, sqlite.Options{})
	change(t, path, "UPDATE entry SET at = 1 WHERE seq = 42")
	_, err := sqlite.Open(ctx, path, sqlite.Options{Salvage: true, Wait: 1})
	if !errors.Is(err, journal.ErrLocked) {
		t.Fatalf("got %v, want ErrLocked", err)
	}
	mustClose(t, other)
	wantGood(t, mustOpen(t, path, sqlite.Options{Salvage: true}), 41)
}

// What a salvage that was stopped half way leaves behind does not hinder the
// next.
func TestSalvageCanBeBegunAgain(t *testing.T) {
	path := closedLog(t, 100)
	flip(t, path, 42)
	half := path + "-salvage"
	mustWrite(t, half, []byte("half a journal"))
	mustWrite(t, half+"-wal", []byte("half a log"))
	must(t, os.Mkdir(path+"-damaged-1", 0o755))

	j := mustOpen(t, path, sqlite.Options{Salvage: true})
	wantGood(t, j, 41)
	if report, _ := j.Salvaged(); report.Aside != path+"-damaged-2" {
		t.Errorf("set aside in %s, which another salvage may have used", report.Aside)
	}
	left, _ := filepath.Glob(half + "*")
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Once the salvaged journal is whole, the next program that opens the journal puts it in
// place, however far the swap had come.
func TestSalvageStoppedInTheSwapIsFinished(t *testing.T) {
	for _, gone := range [][]string{{}, {"-wal"}, {"-wal", "-shm", "-head"}, {"-wal", "-shm", "-head", ""}} {
		path := crashedLog(t, 100)
		must(t, os.Rename(closedLog(t, 41), path+"-salvaged"))
		for _, part := range gone {
			must(t, os.Remove(path+part))
		}
		j := mustOpen(t, path, sqlite.Options{FullCheck: true})
		wantGood(t, j, 41)
		mustAppend(t, j, sample(42, 50))
		mustClose(t, j)
		wantGood(t, mustOpen(t, path, sqlite.Options{}), 50)
	}
}

func TestSalvageLeavesNewerVersionsAlone(t *testing.T) {
	path := newerJournal(t)
	_, err := sqlite.Open(ctx, path, sqlite.Options{Salvage: true})
	var version *journal.VersionError
	if !errors.As(err, &version) {
		t.Fatalf("got %v, want a *VersionError", err)
	}
}

func TestReadOnlyGoesWithNoRepair(t *testing.T) {
	path := closedLog(t, 10)
	for _, o := range []sqlite.Options{{ReadOnly: true, Salvage: true}, {ReadOnly: true, FullCheck: true}} {
		_, err := sqlite.Open(ctx, path, o)
		wantWords(t, err, "ReadOnly does not go with", "call Verify")
	}
}

// A page inside the tree of the table that is lost hides half of the log from SQLite; the
// leaves are good, and the chain proves them. So do rows that lie on several pages.
func TestSalvageFindsLeavesToWhichTheWayIsLost(t *testing.T) {
	for name, harm := range map[string]func(file []byte) int{
		"a page inside": func(file []byte) int { return zeroInside(file, false) },
		"the root":      func(file []byte) int { return zeroInside(file, true) },
	} {
		path := filepath.Join(t.TempDir(), "fleet.db")
		j := mustOpen(t, path, sqlite.Options{})
		const n = 40_000
		for next := uint64(1); next <= n; next += 1000 {
			group := sample(next, next+999)
			group[7].Data = bytes.Repeat(group[7].Data, 100)
			mustAppend(t, j, group)
		}
		mustClose(t, j)
		file := mustRead(t, path)
		if harm(file) == 0 {
			t.Fatal("no page inside a tree was found")
		}
		mustWrite(t, path, file)
		j = mustOpen(t, path, sqlite.Options{Salvage: true, FullCheck: true})
		report, ok := j.Salvaged()
		if !ok || report.Good != n {
			t.Errorf("%s: salvage keeps %d entries (%v), want all %d", name, report.Good, ok, n)
		}
		if last, _, err := j.Last(ctx); err != nil || last != n {
			t.Errorf("%s: the log ends at %d (%v)", name, last, err)
		}
		mustClose(t, j)
	}
}

// zeroInside zeroes a page inside a tree: the one with the most children, or one that is not.
func zeroInside(file []byte, root bool) (zeroed int) {
	const page, inside = 4096, 0x05
	at := map[int]int{}
	for i := page; i < len(file); i += page {
		if file[i] == inside {
			at[i] = int(file[i+3])<<8 | int(file[i+4])
		}
	}
	rootAt := 0
	for i := range at {
		if rootAt == 0 || i < rootAt {
			rootAt = i // the tables' roots come first in a file
		}
	}
	for i := range at {
		if (i == rootAt) == root {
			clear(file[i : i+page])
			return i
		}
	}
	return 0
}
