package journaltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
)

var ctx = context.Background()

// log is the log under test and its first handle.
type log struct {
	journal.Journal
	t    *testing.T
	open func() journal.Journal
}

func newLog(t *testing.T, fresh Fresh) *log {
	l := &log{t: t, open: fresh(t)}
	l.Journal = l.another()
	return l
}

// another opens one more handle on the log.
func (l *log) another() journal.Journal {
	j := l.open()
	l.t.Cleanup(func() { j.Close() })
	return j
}

// entries makes the sample entries from..to; entry n happened at moment 10n.
func entries(from, to uint64) []journal.Entry {
	var es []journal.Entry
	for seq := from; seq <= to; seq++ {
		es = append(es, journal.Entry{Seq: seq, At: int64(seq) * 10, Data: fmt.Appendf(nil, "entry %d", seq)})
	}
	return es
}

func mustAppend(t *testing.T, j journal.Journal, es []journal.Entry) {
	t.Helper()
	if err := j.Append(ctx, es); err != nil {
		t.Fatalf("append: %v", err)
	}
}

func readAll(t *testing.T, j journal.Journal, from uint64) []journal.Entry {
	t.Helper()
	var got []journal.Entry
	if err := j.Read(ctx, from, func(e journal.Entry) error { got = append(got, e); return nil }); err != nil {
		t.Fatalf("read from %d: %v", from, err)
	}
	return got
}

func wantEntries(t *testing.T, got, want []journal.Entry) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if g.Seq != w.Seq || g.At != w.At || !bytes.Equal(g.Data, w.Data) {
			t.Fatalf("place %d: got entry %d at %d with %d bytes, want entry %d at %d with %d bytes",
				i, g.Seq, g.At, len(g.Data), w.Seq, w.At, len(w.Data))
		}
	}
	if len(got) != len(want) {
		t.Fatalf("got %d entries, want %d", len(got), len(want))
	}
}

func wantLast(t *testing.T, j journal.Journal, seq uint64, at int64) {
	t.Helper()
	gotSeq, gotAt, err := j.Last(ctx)
	if err != nil || gotSeq != seq || gotAt != at {
		t.Fatalf("last is %d at %d (%v), want %d at %d", gotSeq, gotAt, err, seq, at)
	}
}

func wantFenced(t *testing.T, err error, next, got uint64) {
	t.Helper()
	var fenced *journal.FencedError
	if !errors.As(err, &fenced) {
		t.Fatalf("got %v, want a *FencedError", err)
	}
	if fenced.Next != next || fenced.Got != got {
		t.Fatalf("fenced at %d with next %d, want at %d with next %d", fenced.Got, fenced.Next, got, next)
	}
}

func doneContext() context.Context {
	done, cancel := context.WithCancel(ctx)
	cancel()
	return done
}
