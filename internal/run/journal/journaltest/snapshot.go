package journaltest

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
)

func snapshotOf(seq uint64) journal.Snapshot {
	return journal.Snapshot{Seq: seq, At: int64(seq) * 10, Data: fmt.Appendf(nil, "state after %d", seq)}
}

func mustSave(t *testing.T, j journal.Journal, s journal.Snapshot) {
	t.Helper()
	if err := j.SaveSnapshot(ctx, s); err != nil {
		t.Fatalf("save snapshot of %d: %v", s.Seq, err)
	}
}

// wantSnapshot demands that the newest snapshot up to seq is want.
func wantSnapshot(t *testing.T, j journal.Journal, seq uint64, want journal.Snapshot) {
	t.Helper()
	got, ok, err := j.SnapshotBefore(ctx, seq)
	if err != nil || !ok {
		t.Fatalf("snapshot before %d: ok %v, %v; want the one of %d", seq, ok, err, want.Seq)
	}
	if got.Seq != want.Seq || got.At != want.At || !bytes.Equal(got.Data, want.Data) {
		t.Fatalf("snapshot before %d is of %d at %d with %d bytes, want of %d at %d with %d bytes",
			seq, got.Seq, got.At, len(got.Data), want.Seq, want.At, len(want.Data))
	}
}

func snapshots(t *testing.T, l *log) {
	mustAppend(t, l, entries(1, 30))
	for _, seq := range []uint64{20, 10, 30} { // saved in any order
		mustSave(t, l, snapshotOf(seq))
	}
	if _, ok, err := l.SnapshotBefore(ctx, 9); ok || err != nil {
		t.Errorf("found a snapshot before the first (%v)", err)
	}
	for _, j := range []journal.Journal{l, l.another()} {
		wantSnapshot(t, j, 10, snapshotOf(10))
		wantSnapshot(t, j, 19, snapshotOf(10))
		wantSnapshot(t, j, 20, snapshotOf(20))
		wantSnapshot(t, j, 30, snapshotOf(30))
		wantSnapshot(t, j, math.MaxUint64, snapshotOf(30))
	}
	again := journal.Snapshot{Seq: 30, At: 301, Data: bytes.Repeat([]byte{0, 1}, 1<<20)}
	mustSave(t, l, again)
	wantSnapshot(t, l, 30, again)
}

func snapshotAhead(t *testing.T, l *log) {
	mustSave(t, l, journal.Snapshot{}) // the empty log has a state too
	wantSnapshot(t, l, 0, journal.Snapshot{})
	mustAppend(t, l, entries(1, 3))
	for _, seq := range []uint64{4, math.MaxUint64} {
		if err := l.SaveSnapshot(ctx, snapshotOf(seq)); err == nil {
			t.Errorf("a snapshot of entry %d was taken, the log ends at 3", seq)
		}
	}
	wantSnapshot(t, l, math.MaxUint64, journal.Snapshot{})
}

func snapshotsThin(t *testing.T, l *log) {
	const n = 1200
	mustAppend(t, l, entries(1, n))
	for seq := uint64(1); seq <= n; seq++ {
		mustSave(t, l, snapshotOf(seq))
	}
	for seq := uint64(n); seq > n-3; seq-- {
		wantSnapshot(t, l, seq, snapshotOf(seq))
	}
	kept := map[uint64]bool{}
	for seq := uint64(1); seq <= n; seq++ {
		s, ok, err := l.SnapshotBefore(ctx, seq)
		if err != nil || !ok {
			t.Fatalf("no snapshot before %d (%v), though the first is always kept", seq, err)
		}
		kept[s.Seq] = true
	}
	if len(kept) > 516 {
		t.Errorf("%d of %d snapshots kept, want at most 516", len(kept), n)
	}
}

func snapshotReusesSlice(t *testing.T, l *log) {
	mustAppend(t, l, entries(1, 1))
	s := snapshotOf(1)
	mustSave(t, l, s)
	clear(s.Data)
	wantSnapshot(t, l, 1, snapshotOf(1))
}
