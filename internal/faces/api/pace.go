package api

import (
	"context"
	"time"

	"github.com/muster-fleet/muster/internal/run/gate"
)

// This file counts ahead what a call usually takes, and puts it right once that is known.

// pace waits until the server may work for a caller again, and has what is done now counted,
// up to a bound. what is the kind of call.
func (t *turns) pace(ctx context.Context, c *caller, what string, most time.Duration, counts counter) (done func(), err error) {
	if c.runs {
		return func() {}, nil
	}
	start, err := t.prepaid(ctx, c, what, counts)
	if err != nil {
		return nil, err
	}
	return start(most), nil
}

// counter counts what is done for a call until took is called, on the same goroutine.
type counter func() (took func() time.Duration)

// prepaid waits until the server may work for a caller again. Before the call begins it is counted
// with what the caller's calls of its kind usually take. So calls that have waited for the same
// moment do not all begin in it. start begins to count what it really takes by a counter, up to a bound.
func (t *turns) prepaid(ctx context.Context, c *caller, what string, counts counter) (start func(most time.Duration) (done func()), err error) {
	if c.runs {
		return func(time.Duration) func() { return func() {} }, nil
	}
	ahead, wait := t.begin(c, what)
	if wait > 0 {
		if err := t.earned(ctx, c, func() (time.Duration, error) { ahead, wait = t.begin(c, what); return wait, nil }); err != nil {
			return nil, err
		}
	}
	return func(most time.Duration) func() {
		took := counts()
		return func() { t.settle(c, what, ahead, min(most, took()).Seconds()) }
	}, nil
}

// settle counts what a call took in place of what was counted ahead.
func (t *turns) settle(c *caller, what string, ahead, took float64) {
	_ = t.mind(c, func(s *share) error {
		s.work = max(workOwed, s.work+ahead-took)
		k := s.of(what)
		k.usual += (took - k.usual) / usualOver
		return nil
	})
}

// charge counts what was done for a caller beside a call.
func (t *turns) charge(c *caller, took float64) {
	_ = t.mind(c, func(s *share) error { s.work = max(workOwed, s.work-took); return nil })
}

// usualOver is over how many of a caller's calls of one kind what they usually take is learned.
const usualOver = 4

// begin counts a call that begins now, with how many seconds it says, or says how long it has to wait.
func (t *turns) begin(c *caller, what string) (ahead float64, wait time.Duration) {
	_ = t.mind(c, func(s *share) error {
		if wait = s.earn(time.Now(), t.spare()); wait > 0 {
			return nil
		}
		ahead = s.of(what).usual
		s.work -= ahead
		return nil
	})
	return ahead, wait
}

// paused waits; it is false if ctx ends first.
func paused(ctx context.Context, wait time.Duration) bool {
	if wait <= 0 {
		return true
	}
	defer gate.Lend(ctx)()
	return gate.Pause(ctx, wait)
}
