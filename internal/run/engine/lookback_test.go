package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// slowPast is a journal whose past is read no further until it may: who reads it says so first.
type slowPast struct {
	journal.Journal
	reads chan struct{} // nil: it is read as usual
	may   chan struct{}
	found func() // called once a moment was found
}

func (j *slowPast) SeqAt(ctx context.Context, at int64) (uint64, error) {
	defer j.found()
	return j.Journal.SeqAt(ctx, at)
}

func (j *slowPast) SnapshotBefore(ctx context.Context, seq uint64) (journal.Snapshot, bool, error) {
	if j.reads != nil {
		j.reads <- struct{}{}
		<-j.may
	}
	return j.Journal.SnapshotBefore(ctx, seq)
}

// busyPast is an engine that builds one moment of the past until the test is over, and has built another, later one.
func busyPast(t *testing.T) (e *Engine, j *slowPast, built, other fleet.Instant) {
	t.Helper()
	now := fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	j = &slowPast{Journal: memory.New(), may: make(chan struct{}), found: func() {}}
	e, err := Open(t.Context(), Options{Journal: j, Synchronous: true, Now: func() fleet.Instant { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a", "b", "c"} {
		if _, err := e.Do(t.Context(), core.Request{Command: core.CreateQuota{Path: path}, Actor: core.System, Reason: "a test"}); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Hour)
	}
	built, other = now.Add(-time.Hour), now.Add(-3*time.Hour)
	if err := e.LookBack(t.Context(), built, func(*fleet.State) {}); err != nil {
		t.Fatal(err)
	}
	j.reads = make(chan struct{})
	ended := make(chan struct{})
	go func() {
		_ = e.LookBack(context.Background(), now.Add(-2*time.Hour), func(*fleet.State) {})
		close(ended)
	}()
	<-j.reads // it is in the middle of it
	t.Cleanup(func() { close(j.may); <-ended })
	return e, j, built, other
}

// lookedBack is how many quotas one sees who looks back; it fails the test where nothing comes of it.
func lookedBack(ctx context.Context, t *testing.T, e *Engine, at fleet.Instant) (quotas int, err error) {
	t.Helper()
	over := make(chan struct{})
	go func() {
		err = e.LookBack(ctx, at, func(s *fleet.State) { quotas = len(s.Quotas) })
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for another's moment of the past")
	}
	return quotas, err
}

// A call that waits for another's moment of the past ends once its caller has gone: it keeps a turn meanwhile, which others want.
func TestWhoseCallIsOverWaitsForNoPast(t *testing.T) {
	e, j, _, other := busyPast(t)
	ctx, end := context.WithCancel(t.Context())
	j.found = end // as of a caller who goes while it waits
	if _, err := lookedBack(ctx, t, e, other); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v, not as it was cancelled", err)
	}
}

// The moment that was built last is shown at once, while another is built.
func TestWhatIsBuiltIsShownAtOnce(t *testing.T) {
	e, _, built, _ := busyPast(t)
	if n, err := lookedBack(t.Context(), t, e, built); err != nil || n != 3 {
		t.Errorf("it has %d quotas, not 3 (%v)", n, err)
	}
}

// A moment soon after the one that was built last takes its place, and the memory of one state. While that is looked at it is
// left alone.
func TestTheMomentThatWasBuiltLastIsMovedOn(t *testing.T) {
	now := fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	e, err := Open(t.Context(), Options{Journal: memory.New(), Synchronous: true, Now: func() fleet.Instant { return now }})
	if err != nil {
		t.Fatal(err)
	}
	begin := now
	for i := range 3 {
		if _, err := e.Do(t.Context(), core.Request{Command: core.CreateQuota{Path: "abc"[i : i+1]}, Actor: core.System, Reason: "a test"}); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Hour)
	}
	look := func(hour, quotas int, fn func(*fleet.State)) {
		t.Helper()
		err := e.LookBack(t.Context(), begin.Add(time.Duration(hour)*time.Hour), func(s *fleet.State) {
			if len(s.Quotas) != quotas {
				t.Errorf("at hour %d there are %d quotas, want %d", hour, len(s.Quotas), quotas)
			}
			fn(s)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var first, second *fleet.State
	look(0, 1, func(s *fleet.State) { first = s })
	look(1, 2, func(s *fleet.State) { second = s })
	if second != first {
		t.Error("the second moment is a state of its own, though the first one could be moved on")
	}
	look(1, 2, func(s *fleet.State) {
		look(2, 3, func(later *fleet.State) {
			if later == s {
				t.Error("a state was moved on while it was looked at")
			}
		})
		if len(s.Quotas) != 2 {
			t.Errorf("who looks sees %d quotas of a moment with 2", len(s.Quotas))
		}
	})
	look(0, 1, func(*fleet.State) {})
}
