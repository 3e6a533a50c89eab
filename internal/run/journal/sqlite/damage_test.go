package sqlite_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
)

func TestFlippedByteInAnEntryIsFoundAtItsPlace(t *testing.T) {
	path := closedLog(t, 100)
	at := place(t, path, 42)
	flip(t, path, 42)

	damage := wantDamage(t, path, 41)
	if damage.Path != path || damage.Offset > int64(at) || damage.Offset < int64(at)-20 {
		t.Errorf("damage is reported in %s at byte %d, the entry begins at %d", damage.Path, damage.Offset, at)
	}
	wantWords(t, damage, "entry 42", "checksum", "up to 41 are good")
	wantReadable(t, path, 41)
}

// wantReadable demands that a damaged journal opened read-only yields what is
// good, then the damage, and that looking changes no byte of it.
func wantReadable(t *testing.T, path string, good uint64) {
	t.Helper()
	before := mustRead(t, path)
	j := mustOpen(t, path, sqlite.Options{ReadOnly: true})
	last, err := readGood(t, j)
	if damage := asDamage(t, err); last != good || damage.Good != good {
		t.Errorf("read up to %d, reported good up to %d, want %d", last, damage.Good, good)
	}
	mustClose(t, j)
	if !bytes.Equal(before, mustRead(t, path)) {
		t.Error("reading changed the file")
	}
}

// Rows changed behind the journal's back, as damage that SQLite cannot see.
func TestChangedRowsAreFound(t *testing.T) {
	cases := []struct {
		name string
		sql  []string
		good uint64
	}{
		{"removed", []string{"DELETE FROM entry WHERE seq = 30"}, 29},
		{"removed from the start", []string{"DELETE FROM entry WHERE seq <= 10"}, 0},
		{"removed from the end", []string{"DELETE FROM entry WHERE seq > 90"}, 90},
		{"all removed", []string{"DELETE FROM entry"}, 0},
		{"swapped", []string{
			"UPDATE entry SET seq = -1 WHERE seq = 50", "UPDATE entry SET seq = 50 WHERE seq = 51",
			"UPDATE entry SET seq = 51 WHERE seq = -1",
		}, 49},
		{"renumbered over a gap", []string{"DELETE FROM entry WHERE seq = 50", "UPDATE entry SET seq = seq - 1 WHERE seq > 50"}, 49},
		{"another moment", []string{"UPDATE entry SET at = at + 1 WHERE seq = 60"}, 59},
		{"another checksum", []string{"UPDATE entry SET sum = sum + 1 WHERE seq = 60"}, 59},
		{"emptied", []string{"UPDATE entry SET data = x'' WHERE seq = 60"}, 59},
		{"one smuggled in at the end", []string{"INSERT INTO entry VALUES(101, 1010, 7, x'00')"}, 100},
		{"the moments of turning lost", []string{"INSERT INTO turn VALUES(70)"}, 100},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := closedLog(t, 100)
			change(t, path, c.sql...)
			wantDamage(t, path, c.good)
		})
	}
}

// What SQLite itself would cut off without a word, or take for a new file.
func TestLostEndIsFound(t *testing.T) {
	const n = 100 // 50 in the main file, 50 in the write-ahead log in groups of ten
	cases := []struct {
		name string
		harm func(t *testing.T, path string)
		good uint64
	}{
		{"write-ahead log gone", func(t *testing.T, path string) { must(t, os.Remove(path+"-wal")) }, 50},
		{"write-ahead log cut to nothing", func(t *testing.T, path string) { must(t, os.Truncate(path+"-wal", 0)) }, 50},
		{"write-ahead log cut in entry 95", func(t *testing.T, path string) {
			must(t, os.Truncate(path+"-wal", int64(place(t, path+"-wal", 95))))
		}, 90},
		{"write-ahead log flipped in entry 75", func(t *testing.T, path string) { flip(t, path+"-wal", 75) }, 70},
		{"write-ahead log of noise", func(t *testing.T, path string) {
			edit(t, path+"-wal", func(b []byte) []byte { return bytes.Repeat([]byte("noise"), len(b)/5) })
		}, 50},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := crashedLog(t, n)
			c.harm(t, path)
			damage := wantDamage(t, path, c.good)
			wantWords(t, damage, "breaks off", fmt.Sprint("entry ", n, " was acknowledged"))
			wantReadable(t, path, c.good)
		})
	}
}

// Entries that were written but never acknowledged may go: after a crash the
// log just ends a little earlier. Garbage behind the end harms nothing either.
func TestTornEndThatNobodyWasPromisedIsNoDamage(t *testing.T) {
	path := crashedLog(t, 100)
	edit(t, path+"-wal", func(b []byte) []byte { return append(b, bytes.Repeat([]byte{7}, 10_000)...) })
	edit(t, path, func(b []byte) []byte { return append(b, bytes.Repeat([]byte{7}, 10_000)...) })
	j := mustOpen(t, path, sqlite.Options{})
	wantGood(t, j, 100)
	mustAppend(t, j, sample(101, 110))
	mustClose(t, j)
	wantGood(t, mustOpen(t, path, sqlite.Options{}), 110)
}

func TestWreckedFileIsDamageNotANewJournal(t *testing.T) {
	cases := []struct {
		name string
		harm func(t *testing.T, path string)
		kept uint64 // by a salvage: entries whose pages are good
	}{
		{"file gone", func(t *testing.T, path string) { must(t, os.Remove(path)) }, 0},
		{"file empty", func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) }, 0},
		{"half a header", func(t *testing.T, path string) { must(t, os.Truncate(path, 50)) }, 0},
		{"first page zeroed", func(t *testing.T, path string) {
			edit(t, path, func(b []byte) []byte { clear(b[:4096]); return b })
		}, 100},
		{"file of noise", func(t *testing.T, path string) {
			edit(t, path, func(b []byte) []byte { return bytes.Repeat([]byte("noise"), len(b)/5) })
		}, 0},
		{"table definition changed", func(t *testing.T, path string) {
			edit(t, path, func(b []byte) []byte { return bytes.Replace(b, []byte("sum INTEGER"), []byte("sam INTEGER"), 1) })
		}, 100},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := closedLog(t, 100)
			c.harm(t, path)
			wantDamage(t, path, 0)

			if c.kept > 0 {
				wantGood(t, mustOpen(t, path, sqlite.Options{Salvage: true}), c.kept)
				return
			}
			_, err := sqlite.Open(ctx, path, sqlite.Options{Salvage: true})
			asDamage(t, err)
			wantWords(t, err, "cannot be salvaged", "bring the journal back from a copy")
		})
	}
}

// Damage around the entries: all of them are still there, and a salvage keeps
// them.
func TestDamageBesideTheEntries(t *testing.T) {
	cases := map[string]string{
		"format changed in the header": "PRAGMA user_version = 5",
		"format changed in the table":  "UPDATE meta SET value = 5",
		"format lost":                  "DELETE FROM meta",
		"mark in the header lost":      "PRAGMA application_id = 7",
		"table lost":                   "DROP TABLE turn",
	}
	for name, sql := range cases {
		t.Run(name, func(t *testing.T) {
			path := closedLog(t, 100)
			change(t, path, sql)
			wantDamage(t, path, 100)
			wantGood(t, mustOpen(t, path, sqlite.Options{Salvage: true}), 100)
			wantGood(t, mustOpen(t, path, sqlite.Options{FullCheck: true}), 100)
		})
	}
}

func TestCutFileIsDamage(t *testing.T) {
	path := closedLog(t, 1_000)
	whole := len(mustRead(t, path))
	for _, part := range []int{whole / 4, whole / 2, whole - 4096, whole - 100} {
		t.Run(fmt.Sprintf("%d of %d bytes", part, whole), func(t *testing.T) {
			cut := filepath.Join(t.TempDir(), "fleet.db")
			mustWrite(t, cut, mustRead(t, path)[:part])
			mustWrite(t, cut+"-head", mustRead(t, path+"-head"))
			_, err := sqlite.Open(ctx, cut, sqlite.Options{})
			damage := asDamage(t, err)
			if least := uint64(part*1_000/whole) - 100; damage.Good < least || damage.Good >= 1_000 {
				t.Errorf("good up to %d, want from %d to 999", damage.Good, least)
			}
			wantReadable(t, cut, damage.Good)
		})
	}
}

// Damage before the newest snapshot does not keep a server from starting: it
// needs only the tail. A full check and a reader find it.
func TestOldDamageIsFoundByAFullCheck(t *testing.T) {
	path := closedLog(t, 100)
	j := mustOpen(t, path, sqlite.Options{})
	must(t, j.SaveSnapshot(ctx, journal.Snapshot{Seq: 80}))
	mustClose(t, j)
	flip(t, path, 42)

	j = mustOpen(t, path, sqlite.Options{})
	mustAppend(t, j, sample(101, 101))
	must(t, j.Read(ctx, 80, func(journal.Entry) error { return nil }))
	if damage := asDamage(t, j.Verify(ctx)); damage.Good != 41 {
		t.Errorf("Verify finds good entries up to %d, want 41", damage.Good)
	}
	if last, err := readGood(t, j); last != 41 || asDamage(t, err).Seq != 42 {
		t.Errorf("read up to %d (%v), want 41", last, err)
	}
	mustClose(t, j)
	_, err := sqlite.Open(ctx, path, sqlite.Options{FullCheck: true})
	asDamage(t, err)
}

// twiceDamaged is a log of 100 entries with a snapshot of one between two damages.
func twiceDamaged(t *testing.T) string {
	path := closedLog(t, 100)
	j := mustOpen(t, path, sqlite.Options{})
	must(t, j.SaveSnapshot(ctx, journal.Snapshot{Seq: 80, At: 800, Data: []byte("state after 80")}))
	mustClose(t, j)
	flip(t, path, 42)
	flip(t, path, 95)
	return path
}

// Of a log that is damaged in two places a salvage keeps all that the snapshot between them
// proves: the state is whole, and what was before is set aside.
func TestSalvageOfTwoDamagesBeginsAfterTheSnapshotBetweenThem(t *testing.T) {
	path := twiceDamaged(t)
	wantDamage(t, path, 94)
	j := mustOpen(t, path, sqlite.Options{Salvage: true})
	report, ok := j.Salvaged()
	if !ok || report.Good != 94 || report.First != 81 {
		t.Fatalf("salvage reports %v %+v, want entries 81 to 94", ok, report)
	}
	base, err := j.Base(ctx)
	if err != nil || base.Seq != 80 || string(base.Data) != "state after 80" {
		t.Errorf("the log begins after %d %q (%v)", base.Seq, base.Data, err)
	}
	mustAppend(t, j, sample(95, 99))
	mustClose(t, j)
	j = mustOpen(t, path, sqlite.Options{FullCheck: true})
	n := uint64(80)
	must(t, j.Read(ctx, 0, func(e journal.Entry) error {
		if n++; e.Seq != n {
			t.Errorf("entry %d follows %d", e.Seq, n-1)
		}
		return nil
	}))
	if n != 99 {
		t.Errorf("the log ends at %d, want 99", n)
	}
}

// Who wants it may have all cut off from the first damage on; without a snapshot between the two
// that is the only way, and nothing is cut off unasked.
func TestSalvageCutsNoMoreThanWasReported(t *testing.T) {
	wantGood(t, mustOpen(t, twiceDamaged(t), sqlite.Options{Salvage: true, FullCheck: true}), 41)
	path := twiceDamaged(t)
	j := mustOpen(t, path, sqlite.Options{ReadOnly: true})
	must(t, os.WriteFile(path+"-snapshots/00000000000000000080.snapshot", nil, 0o600))
	if _, ok, err := j.SnapshotBefore(ctx, 100); ok || err != nil {
		t.Fatalf("the snapshot is still there (%v)", err)
	}
	mustClose(t, j)
	if report, ok := mustOpen(t, path, sqlite.Options{Salvage: true}).Salvaged(); !ok || report.Good != 41 || report.First != 1 {
		t.Errorf("salvage reports %v %+v, want entries up to 41", ok, report)
	}
}

// Damage that happens while the journal is open.
func TestDamageUnderAnOpenJournal(t *testing.T) {
	path := closedLog(t, 100)
	j := mustOpen(t, path, sqlite.Options{})
	change(t, path, "DELETE FROM entry WHERE seq > 95")
	_, _, err := j.Last(ctx)
	if damage := asDamage(t, err); damage.Good != 95 {
		t.Errorf("Last reports good entries up to %d, want 95", damage.Good)
	}
	if last, err := readGood(t, j); last != 95 || asDamage(t, err).Good != 95 {
		t.Errorf("read up to %d (%v), want 95", last, err)
	}
}

func TestSeqAtNeverTrustsADamagedMoment(t *testing.T) {
	path := closedLog(t, 128)
	j := mustOpen(t, path, sqlite.Options{})
	change(t, path, "UPDATE entry SET at = 5 WHERE seq = 65") // the first that halving looks at
	_, err := j.SeqAt(ctx, 500)
	asDamage(t, err)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
