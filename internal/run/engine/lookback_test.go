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

// busyPast is an engine that builds one moment of the past until the test is over, and has built another.
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
	built, other = now.Add(-3*time.Hour), now.Add(-time.Hour)
	if _, err := e.LookBack(t.Context(), built); err != nil {
		t.Fatal(err)
	}
	j.reads = make(chan struct{})
	ended := make(chan struct{})
	go func() { _, _ = e.LookBack(context.Background(), now.Add(-2*time.Hour)); close(ended) }()
	<-j.reads // it is in the middle of it
	t.Cleanup(func() { close(j.may); <-ended })
	return e, j, built, other
}

// lookedBack is what comes of looking back; it fails the test where nothing does.
func lookedBack(ctx context.Context, t *testing.T, e *Engine, at fleet.Instant) (s *fleet.State, err error) {
	t.Helper()
	over := make(chan struct{})
	go func() { s, err = e.LookBack(ctx, at); close(over) }()
	select {
	case <-over:
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for another's moment of the past")
	}
	return s, err
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
	if s, err := lookedBack(t.Context(), t, e, built); err != nil || len(s.Quotas) != 1 {
		t.Errorf("it is %v (%v)", s, err)
	}
}
