package server

import (
	"context"
	"time"

	"github.com/muster-fleet/muster/internal/run/gate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Pauses between two turns of a runner: the longest, so that what people do is seen soon,
// and the shortest, so that it never runs in circles.
const (
	longestTurn  = 2 * time.Second
	shortestTurn = 100 * time.Millisecond
)

// runner carries out outside what the state asks for.
type runner interface {
	// Due is when there is something to do next.
	Due() fleet.Instant
	// Turn does what is due.
	Turn(ctx context.Context, now fleet.Instant) error
}

// takeTurns lets a runner do what is due until ctx ends, and calls before each time that it looks. A
// journal that cannot be reached now is waited for.
func takeTurns(ctx context.Context, r runner, before func()) error {
	clock := wallClock{}
	for ctx.Err() == nil {
		before()
		if now := clock.Now(); r.Due() <= now {
			if err := r.Turn(ctx, now); err != nil && ctx.Err() == nil && !passes(err) {
				return err
			}
		}
		gate.Pause(ctx, min(longestTurn, max(shortestTurn, r.Due().Sub(clock.Now()))))
	}
	return nil
}
