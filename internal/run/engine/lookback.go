package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// seen is the state of the past that was asked for last, so that who looks around
// at one moment waits once.
type seen struct {
	building chan struct{} // holds one: one moment is built at a time, for each takes the memory of a state
	last     atomic.Pointer[moment]
}

// moment is a state of the past. Who looks at it has mu for reading, and who takes it away has it alone.
type moment struct {
	mu    sync.RWMutex
	state *fleet.State // nil: it was taken
}

// near is by how many records a state is moved on at most. To begin with a snapshot costs about as much as so many.
const near = 4096

func newSeen() seen { return seen{building: make(chan struct{}, 1)} }

// at is the state after a record, for reading until its mu is given back; nil: it is not the one that was asked for last.
func (o *seen) at(seq uint64) *moment {
	m := o.last.Load()
	if m == nil {
		return nil
	}
	m.mu.RLock()
	if m.state != nil && m.state.Seq == seq {
		return m
	}
	m.mu.RUnlock()
	return nil
}

// take takes the state away that was asked for last, to move it on to a record that came soon after; nil: that is not so, or
// it is looked at.
func (o *seen) take(seq uint64) (s *fleet.State) {
	m := o.last.Load()
	if m == nil || !m.mu.TryLock() {
		return nil
	}
	defer m.mu.Unlock()
	if s = m.state; s == nil || s.Seq > seq || seq-s.Seq > near {
		return nil
	}
	m.state = nil
	return s
}

// LookBack shows fn the state as it was at a moment, for reading only: others may read it
// at the same time, so it must neither be kept nor changed. A call that waits for another's moment waits no longer than ctx.
func (e *Engine) LookBack(ctx context.Context, at fleet.Instant, fn func(*fleet.State)) error {
	seq, err := e.o.Journal.SeqAt(ctx, int64(at))
	if err != nil {
		return fmt.Errorf("find the moment in the journal: %w", err)
	}
	m := e.seen.at(seq)
	if m == nil {
		if m, err = e.build(ctx, seq); err != nil {
			return err
		}
	}
	defer m.mu.RUnlock()
	fn(m.state)
	return nil
}

// build makes a state of the past and keeps it, where none has meanwhile. It is for reading until its mu is given back.
func (e *Engine) build(ctx context.Context, seq uint64) (*moment, error) {
	select {
	case e.seen.building <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-e.seen.building }()
	if m := e.seen.at(seq); m != nil {
		return m, nil
	}
	s, err := e.stateAfter(ctx, seq)
	if err != nil {
		return nil, err
	}
	m := &moment{state: s}
	m.mu.RLock()
	e.seen.last.Store(m)
	return m, nil
}

// stateAfter is the state after a record: the one that was asked for last, moved on, or one of the journal alone.
func (e *Engine) stateAfter(ctx context.Context, seq uint64) (*fleet.State, error) {
	if s := e.seen.take(seq); s != nil {
		return s, advance(ctx, e.o.Journal, s, seq)
	}
	return restore(ctx, e.o.Journal, seq)
}
