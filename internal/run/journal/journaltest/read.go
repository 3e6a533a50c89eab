package journaltest

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
)

func readFrom(t *testing.T, l *log) {
	mustAppend(t, l, entries(1, 9))
	for _, c := range []struct{ from, first uint64 }{{0, 1}, {1, 1}, {2, 2}, {9, 9}} {
		wantEntries(t, readAll(t, l, c.from), entries(c.first, 9))
	}
	for _, beyond := range []uint64{10, 11, math.MaxInt64, math.MaxUint64} {
		wantEntries(t, readAll(t, l, beyond), nil)
	}
}

func readStops(t *testing.T, l *log) {
	mustAppend(t, l, entries(1, 9))
	enough := errors.New("enough")
	var got []journal.Entry
	err := l.Read(ctx, 3, func(e journal.Entry) error {
		got = append(got, e)
		if e.Seq == 5 {
			return enough
		}
		return nil
	})
	if err != enough {
		t.Errorf("read returned %v, want the reader's own error", err)
	}
	wantEntries(t, got, entries(3, 5))
}

// A reader that appends sees its own entries come, and nothing locks up.
func readCallsJournal(t *testing.T, l *log) {
	mustAppend(t, l, entries(1, 3))
	var got []journal.Entry
	err := l.Read(ctx, 1, func(e journal.Entry) error {
		got = append(got, e)
		if e.Seq == 2 {
			mustAppend(t, l, entries(4, 5))
		}
		wantEntries(t, readAll(t, l, 1)[:1], entries(1, 1))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantEntries(t, got[:3], entries(1, 3))
	wantEntries(t, readAll(t, l, 1), entries(1, 5))
}

func readDoneContext(t *testing.T, l *log) {
	mustAppend(t, l, entries(1, 5))
	err := l.Read(doneContext(), 1, func(journal.Entry) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func readLong(t *testing.T, l *log) {
	const n = 5_000
	for next := uint64(1); next <= n; next += 500 {
		mustAppend(t, l, entries(next, next+499))
	}
	wantEntries(t, readAll(t, l, 1), entries(1, n))
	wantEntries(t, readAll(t, l, 2_345), entries(2_345, n))
}
