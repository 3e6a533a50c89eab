package journaltest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
)

func mustTrim(t *testing.T, j journal.Journal, seq uint64) {
	t.Helper()
	if err := j.Trim(ctx, snapshotOf(seq)); err != nil {
		t.Fatalf("trim to %d: %v", seq, err)
	}
}

func wantTrimmed(t *testing.T, err error, last uint64) {
	t.Helper()
	var trimmed *journal.TrimmedError
	if !errors.As(err, &trimmed) || trimmed.Last != last || trimmed.At != int64(last)*10 {
		t.Fatalf("got %v, want a *TrimmedError for what was up to entry %d", err, last)
	}
}

func wantBase(t *testing.T, j journal.Journal, seq uint64) journal.Base {
	t.Helper()
	base, err := j.Base(ctx)
	if err != nil || base.Seq != seq || base.At != int64(seq)*10 || string(base.Data) != fmt.Sprintf("state after %d", seq) {
		t.Fatalf("the log begins after %d at %d with %q (%v), want after %d", base.Seq, base.At, base.Data, err, seq)
	}
	return base
}

// wantKept demands that a log has the entries after the base and no others, by every method.
func wantKept(t *testing.T, j journal.Journal, base, last uint64) {
	t.Helper()
	wantBase(t, j, base)
	wantEntries(t, readAll(t, j, 0), entries(base+1, last))
	wantEntries(t, readAll(t, j, base+1), entries(base+1, last))
	wantEntries(t, readAll(t, j, last), entries(last, last))
	wantLast(t, j, last, int64(last)*10)
	for _, from := range []uint64{1, base} {
		wantTrimmed(t, j.Read(ctx, from, func(e journal.Entry) error { t.Errorf("dropped entry %d is read", e.Seq); return nil }), base)
	}
	for at, want := range map[int64]uint64{int64(base) * 10: base, int64(base)*10 + 9: base, int64(base)*10 + 10: base + 1, math.MaxInt64: last} {
		wantSeqAt(t, j, at, want)
	}
	for _, at := range []int64{0, int64(base)*10 - 1} {
		_, err := j.SeqAt(ctx, at)
		wantTrimmed(t, err, base)
	}
}

func trim(t *testing.T, l *log) {
	if base, err := l.Base(ctx); err != nil || base.Seq != 0 || len(base.Data) != 0 {
		t.Errorf("a log that has all of its entries begins after %v (%v)", base, err)
	}
	mustAppend(t, l, entries(1, 9_000))
	for _, seq := range []uint64{100, 5_000, 8_000} {
		mustSave(t, l, snapshotOf(seq))
	}
	other := l.another()
	mustTrim(t, l, 5_000)
	for _, j := range []journal.Journal{l, other, l.another()} {
		wantKept(t, j, 5_000, 9_000)
		wantSnapshot(t, j, 9_000, snapshotOf(8_000))
		if _, ok, err := j.SnapshotBefore(ctx, 4_999); ok || err != nil {
			t.Errorf("a snapshot of before is found (%v)", err)
		}
	}
	mustAppend(t, other, entries(9_001, 9_003))
	mustTrim(t, other, 9_002)
	mustTrim(t, other, 9_002) // again, as after one that was broken off
	wantTrimmed(t, other.Trim(ctx, snapshotOf(5_000)), 9_002)
	mustAppend(t, l, entries(9_004, 9_004))
	for _, j := range []journal.Journal{l, other, l.another()} {
		wantKept(t, j, 9_002, 9_004)
	}
	stale := []journal.Entry{{Seq: 4}}
	wantFenced(t, l.Append(ctx, stale), 9_005, 4)
}

func trimTooFar(t *testing.T, l *log) {
	if err := l.Trim(ctx, snapshotOf(1)); err == nil {
		t.Error("an empty log was trimmed")
	}
	mustAppend(t, l, entries(1, 5))
	for _, seq := range []uint64{0, 5, 6, math.MaxUint64} {
		if err := l.Trim(ctx, snapshotOf(seq)); err == nil {
			t.Errorf("a log of 5 entries was trimmed to %d", seq)
		}
	}
	wantEntries(t, readAll(t, l, 1), entries(1, 5))
}

// trimmedTime looks for moments in a log that was trimmed where time steps back.
func trimmedTime(t *testing.T, l *log) {
	var group []journal.Entry
	for i, at := range []int64{10, 20, 30, 5, 15, 25, 7, 17, 27} {
		group = append(group, journal.Entry{Seq: uint64(i) + 1, At: at})
	}
	mustAppend(t, l, group)
	if err := l.Trim(ctx, journal.Snapshot{Seq: 3, At: 30}); err != nil {
		t.Fatal(err)
	}
	for _, j := range []journal.Journal{l, l.another()} {
		for at, want := range map[int64]uint64{5: 4, 7: 7, 16: 7, 17: 8, 30: 9} {
			wantSeqAt(t, j, at, want)
		}
		var trimmed *journal.TrimmedError
		if seq, err := j.SeqAt(ctx, 4); !errors.As(err, &trimmed) {
			t.Errorf("before the first entry that is kept SeqAt gives %d, %v", seq, err)
		}
	}
}

// begun lets another log begin where a trimmed one does: what follows connects.
func begun(t *testing.T, l *log) {
	base := journal.Base{Link: journal.Link{Seq: 40, At: 400, Sum: 4711}, Data: snapshotOf(40).Data}
	if err := l.Begin(ctx, base); err != nil {
		t.Fatal(err)
	}
	wantLast(t, l, 40, 400)
	wantFenced(t, l.Append(ctx, entries(1, 1)), 41, 1)
	other := l.another()
	wantLast(t, other, 40, 400)
	mustAppend(t, other, entries(41, 45))
	for _, j := range []journal.Journal{l, other, l.another()} {
		wantKept(t, j, 40, 45)
	}
	if is := wantBase(t, l, 40); is.Sum != 4711 {
		t.Errorf("the chain begins with %d, want 4711", is.Sum)
	}
	if err := l.Begin(ctx, base); err == nil {
		t.Error("a log with entries has begun elsewhere")
	}
}

// trimBeside trims again and again while others append and read. No reader meets damage.
func trimBeside(t *testing.T, l *log) {
	const groups, size = 60, 20
	mustAppend(t, l, entries(1, size))
	done := make(chan struct{})
	other := l.another()
	var wg sync.WaitGroup
	beside := func(work func() error) {
		wg.Go(func() {
			for {
				if err := work(); err != nil {
					t.Error(err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	read := func(j journal.Journal) func() error {
		return func() error {
			next := uint64(0)
			err := j.Read(ctx, 0, func(e journal.Entry) error {
				if next > 0 && e.Seq != next {
					return fmt.Errorf("entry %d follows %d", e.Seq, next-1)
				}
				next = e.Seq + 1
				return nil
			})
			if errors.As(err, new(*journal.TrimmedError)) {
				return nil // it was dropped while it was read
			}
			return err
		}
	}
	beside(read(l))
	beside(read(other))
	beside(func() error {
		last, _, err := other.Last(ctx)
		if err == nil && last > size {
			err = other.Trim(context.Background(), snapshotOf(last-size))
		}
		return err
	})
	for g := uint64(1); g < groups; g++ {
		mustAppend(t, l, entries(g*size+1, (g+1)*size))
	}
	close(done)
	wg.Wait()
	mustTrim(t, other, groups*size-size)
	wantKept(t, l.another(), groups*size-size, groups*size)
}
