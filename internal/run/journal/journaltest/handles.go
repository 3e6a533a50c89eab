package journaltest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
)

func reopen(t *testing.T, l *log) {
	mustAppend(t, l, entries(1, 5))
	mustSave(t, l, snapshotOf(4))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again := l.another()
	wantLast(t, again, 5, 50)
	wantEntries(t, readAll(t, again, 1), entries(1, 5))
	wantSnapshot(t, again, 5, snapshotOf(4))
	mustAppend(t, again, entries(6, 6))
	wantEntries(t, readAll(t, again, 1), entries(1, 6))
}

func fence(t *testing.T, l *log) {
	mustAppend(t, l, entries(1, 2))
	second := l.another()
	mustAppend(t, second, entries(3, 4))

	stale := []journal.Entry{{Seq: 3, At: 1, Data: []byte("the loser's")}}
	wantFenced(t, l.Append(ctx, stale), 5, 3)
	for _, j := range []journal.Journal{l, second} {
		wantLast(t, j, 4, 40)
		wantEntries(t, readAll(t, j, 1), entries(1, 4))
	}
	mustAppend(t, l, entries(5, 5)) // the handle with the next number may write
	wantFenced(t, second.Append(ctx, stale), 6, 3)
}

// manyWriters lets several handles race for every number. Whatever was accepted
// must be in the log, once, and nothing else.
func manyWriters(t *testing.T, l *log) {
	const writers, wins = 4, 15
	var mu sync.Mutex
	accepted := map[uint64]string{}
	var wg sync.WaitGroup
	for w := range writers {
		j := l.another()
		wg.Go(func() {
			for won := 0; won < wins; {
				seq, _, err := j.Last(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				mark := fmt.Sprintf("writer %d, win %d", w, won)
				group := []journal.Entry{{Seq: seq + 1, Data: []byte(mark)}, {Seq: seq + 2, Data: []byte(mark)}}
				err = j.Append(ctx, group)
				var fenced *journal.FencedError
				if errors.As(err, &fenced) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				accepted[seq+1], accepted[seq+2] = mark, mark
				mu.Unlock()
				won++
			}
		})
	}
	wg.Wait()
	got := readAll(t, l, 1)
	if len(got) != writers*wins*2 || len(accepted) != len(got) {
		t.Fatalf("%d entries in the log, %d accepted, want %d", len(got), len(accepted), writers*wins*2)
	}
	for _, e := range got {
		if accepted[e.Seq] != string(e.Data) {
			t.Errorf("entry %d is %q, accepted was %q", e.Seq, e.Data, accepted[e.Seq])
		}
	}
}

// concurrency reads and saves snapshots while one writer appends. Every reader
// must see a whole beginning of the log that ends between groups.
func concurrency(t *testing.T, l *log) {
	const groups, size = 60, 5
	done := make(chan struct{})
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
	beside(func() error { return readWhole(l, size) })
	other := l.another()
	beside(func() error { return readWhole(other, size) })
	beside(func() error {
		seq, _, err := l.Last(ctx)
		if err != nil {
			return err
		}
		return l.SaveSnapshot(ctx, snapshotOf(seq))
	})
	for g := range uint64(groups) {
		mustAppend(t, l, entries(g*size+1, (g+1)*size))
	}
	close(done)
	wg.Wait()
	wantEntries(t, readAll(t, l, 1), entries(1, groups*size))
}

func readWhole(j journal.Journal, size int) error {
	want := uint64(0)
	err := j.Read(ctx, 1, func(e journal.Entry) error {
		want++
		if e.Seq != want || !strings.HasSuffix(string(e.Data), fmt.Sprintf(" %d", e.Seq)) {
			return fmt.Errorf("read entry %d %q in place of %d", e.Seq, e.Data, want)
		}
		return nil
	})
	if err == nil && want%uint64(size) != 0 {
		err = fmt.Errorf("read up to %d, in the middle of a group of %d", want, size)
	}
	return err
}

func closed(t *testing.T, l *log) {
	mustAppend(t, l, entries(1, 2))
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Fatalf("close: %v", err)
	}
	_, _, lastErr := l.Last(ctx)
	_, seqAtErr := l.SeqAt(ctx, 5)
	_, _, snapshotErr := l.SnapshotBefore(ctx, 5)
	_, baseErr := l.Base(ctx)
	for method, err := range map[string]error{
		"Base":           baseErr,
		"Trim":           l.Trim(ctx, snapshotOf(1)),
		"Begin":          l.Begin(ctx, journal.Base{}),
		"Append":         l.Append(ctx, entries(3, 3)),
		"Read":           l.Read(ctx, 1, func(journal.Entry) error { return nil }),
		"Last":           lastErr,
		"SeqAt":          seqAtErr,
		"SaveSnapshot":   l.SaveSnapshot(ctx, snapshotOf(1)),
		"SnapshotBefore": snapshotErr,
	} {
		if !errors.Is(err, journal.ErrClosed) {
			t.Errorf("%s after Close: %v, want ErrClosed", method, err)
		}
	}
	wantEntries(t, readAll(t, l.another(), 1), entries(1, 2))
}
