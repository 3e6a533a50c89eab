package engine

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// seen is the state of the past that was asked for last, so that who looks around
// at one moment waits once.
type seen struct {
	building chan struct{} // holds one: one moment is built at a time, for each takes the memory of a state
	last     atomic.Pointer[fleet.State]
}

func newSeen() seen { return seen{building: make(chan struct{}, 1)} }

// at is the state after a record where that is the one that was asked for last, else nil.
func (o *seen) at(seq uint64) *fleet.State {
	if s := o.last.Load(); s != nil && s.Seq == seq {
		return s
	}
	return nil
}

// LookBack is the state as it was at a moment, for reading only: others may read it
// at the same time, so it must not be changed. A call that waits for another's moment waits no longer than ctx.
func (e *Engine) LookBack(ctx context.Context, at fleet.Instant) (*fleet.State, error) {
	seq, err := e.o.Journal.SeqAt(ctx, int64(at))
	if err != nil {
		return nil, fmt.Errorf("find the moment in the journal: %w", err)
	}
	if s := e.seen.at(seq); s != nil {
		return s, nil
	}
	select {
	case e.seen.building <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-e.seen.building }()
	return e.build(ctx, seq)
}

// build restores a state of the past and keeps it, where none has meanwhile.
func (e *Engine) build(ctx context.Context, seq uint64) (*fleet.State, error) {
	if s := e.seen.at(seq); s != nil {
		return s, nil
	}
	s, err := restore(ctx, e.o.Journal, seq)
	if err == nil {
		e.seen.last.Store(s)
	}
	return s, err
}
