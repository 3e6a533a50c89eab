package api

import (
	"context"
	"runtime"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// study shows fn the state that a question is about, alone: a caller that asks the planner
// needs that, for the planner keeps notes in the state. fn decides nothing.
func (s *service) study(ctx context.Context, asOf *timestamppb.Timestamp, fn look) (*musterv1.Seen, error) {
	if asOf != nil {
		return s.private(ctx, asOf, fn)
	}
	return s.readBy(s.engine.Study, fn)
}

// ponder shows fn the state that a question is about, as study does, where fn takes so long that
// others should not wait for it.
func (s *service) ponder(ctx context.Context, asOf *timestamppb.Timestamp, fn look) (*musterv1.Seen, error) {
	if asOf != nil {
		return s.private(ctx, asOf, fn)
	}
	return s.readBy(s.engine.Ponder, fn)
}

// private shows fn a copy of the state that a question is about. A caller that
// tries something needs one.
func (s *service) private(ctx context.Context, asOf *timestamppb.Timestamp, fn look) (*musterv1.Seen, error) {
	if asOf != nil {
		at, err := s.past(asOf)
		if err != nil {
			return nil, err
		}
		state, err := s.engine.StateAt(ctx, at)
		if err == nil && state.Seq == 0 {
			err = s.before(ctx, at)
		}
		if err != nil {
			return nil, err
		}
		return s.seen(state.Seq, at), fn(state, at)
	}
	var copied *fleet.State
	var now fleet.Instant
	seen, err := s.readBy(s.engine.Ponder, func(state *fleet.State, at fleet.Instant) error {
		copied, now = state.Fork(), at
		return nil
	})
	if err != nil {
		return nil, err
	}
	return seen, fn(copied, now)
}

// copies is how many questions may try something at once at most: each has a copy of the
// whole fleet, which takes some hundred megabytes where there are 100,000 nodes.
const copies = 4

// livable is how many nodes and workloads there may be where a fleet is found again at
// another moment, or is lived on to find out when: of more neither is done in time.
const livable = 60_000

func large(s *fleet.State) bool { return s.Size() > livable }

// light is up to how many nodes and workloads a copy of the fleet takes little memory.
const light = 2000

// letGo frees what a search has left before the rest of an answer makes a fleet of its own: at its peak a call then has
// the memory of its largest part, and not of all of them. It takes some hundredths of a second where a search took a second.
func letGo() { runtime.GC() }

// triable says whether something may be tried: a copy of a large fleet takes up to a
// second, for which only some have the patience.
func (s *service) triable(patient bool) bool {
	ok := patient
	if !ok {
		s.engine.Look(func(state *fleet.State) { ok = !large(state) })
	}
	return ok
}

// How long a question may search for what would help, and how far it may walk
// back in the log. What is left out is said to be not known.
const (
	searching = time.Second
	retracing = 500 * time.Millisecond
	// retracingAll is for who asks for all of a story. Its page waits no longer for the rest.
	retracingAll = 1500 * time.Millisecond
)
