package journaltest

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
)

func emptyLog(t *testing.T, l *log) {
	wantLast(t, l, 0, 0)
	wantEntries(t, readAll(t, l, 0), nil)
	wantEntries(t, readAll(t, l, 1), nil)
	if seq, err := l.SeqAt(ctx, math.MaxInt64); seq != 0 || err != nil {
		t.Errorf("SeqAt the end of time is %d (%v), want 0", seq, err)
	}
	if _, ok, err := l.SnapshotBefore(ctx, math.MaxUint64); ok || err != nil {
		t.Errorf("an empty log has a snapshot (ok %v, %v)", ok, err)
	}
}

func appendAndRead(t *testing.T, l *log) {
	mustAppend(t, l, entries(1, 1))
	wantLast(t, l, 1, 10)
	mustAppend(t, l, entries(2, 7))
	wantLast(t, l, 7, 70)
	wantEntries(t, readAll(t, l, 1), entries(1, 7))
}

func oddEntries(t *testing.T, l *log) {
	odd := []journal.Entry{
		{Seq: 1, At: math.MinInt64, Data: nil},
		{Seq: 2, At: -1, Data: []byte{}},
		{Seq: 3, At: 0, Data: []byte{0, 0xff, '\'', 0}},
		{Seq: 4, At: math.MaxInt64, Data: bytes.Repeat([]byte("muster"), 1<<19)},
		{Seq: 5, At: math.MaxInt64, Data: []byte("after the large one")},
	}
	mustAppend(t, l, odd)
	wantEntries(t, readAll(t, l, 1), odd)
	wantEntries(t, readAll(t, l.another(), 1), odd)
}

func appendNothing(t *testing.T, l *log) {
	mustAppend(t, l, nil)
	mustAppend(t, l, []journal.Entry{})
	wantLast(t, l, 0, 0)
}

func callerReusesSlices(t *testing.T, l *log) {
	es := entries(1, 3)
	mustAppend(t, l, es)
	for i := range es {
		es[i].Seq = 99
		clear(es[i].Data)
	}
	wantEntries(t, readAll(t, l, 1), entries(1, 3))
}

func wrongNumbers(t *testing.T, l *log) {
	mustAppend(t, l, entries(1, 3))
	e := func(seq uint64) journal.Entry { return journal.Entry{Seq: seq, At: 50} }
	cases := []struct {
		name      string
		entries   []journal.Entry
		next, got uint64
	}{
		{"zero", []journal.Entry{e(0)}, 4, 0},
		{"the last again", []journal.Entry{e(3)}, 4, 3},
		{"one too far", []journal.Entry{e(5)}, 4, 5},
		{"beyond every number", []journal.Entry{e(math.MaxUint64)}, 4, math.MaxUint64},
		{"a gap inside", []journal.Entry{e(4), e(6)}, 5, 6},
		{"a repeat inside", []journal.Entry{e(4), e(5), e(5)}, 6, 5},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			wantFenced(t, l.Append(ctx, c.entries), c.next, c.got)
			wantEntries(t, readAll(t, l, 1), entries(1, 3))
		})
	}
	mustAppend(t, l, entries(4, 4))
}

func appendDoneContext(t *testing.T, l *log) {
	if err := l.Append(doneContext(), entries(1, 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	wantLast(t, l, 0, 0)
	mustAppend(t, l, entries(1, 2))
}

func groupsOfEverySize(t *testing.T, l *log) {
	next := uint64(1)
	for _, size := range []uint64{1, 2, 3, 7, 8, 9, 63, 64, 65, 100, 127, 128, 129, 300} {
		mustAppend(t, l, entries(next, next+size-1))
		next += size
	}
	wantEntries(t, readAll(t, l, 1), entries(1, next-1))
}
