package engine

import (
	"context"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// DryRun says what a request would lead to, on a copy of what is durable. No decision waits
// for the copy. The answer's version is what would come after what is durable.
func (e *Engine) DryRun(_ context.Context, r core.Request) (Result, error) {
	r.Trial = true
	if core.OnlySubmits(r.Command) {
		if result, err, sure := e.tryAhead(r); sure {
			return result, err
		}
	}
	var copied *fleet.State
	e.Ponder(func(s *fleet.State) { copied = s.Fork() })
	now := e.o.Now()
	steps := happens(copied, now)
	if r.Expect != 0 {
		r.Expect += steps // what happens by itself makes no request stale
	}
	result, err := tried(copied, r, now)
	if err == nil {
		result.Seq -= steps
	}
	return result, err
}

// happens lets all happen that is due by now, as it would without the request, too: a dry run does not tell of it. It
// says in how many records.
func happens(s *fleet.State, now fleet.Instant) (records uint64) {
	if s.NextAlarm() > max(now, s.Time) {
		return 0
	}
	was := s.Seq
	_, _ = core.Step(s, core.Request{Command: core.Tick{}, Actor: core.System}, now) // a tick is not refused
	return s.Seq - was
}

// tried is what a request leads to on a state that is no other's.
func tried(s *fleet.State, r core.Request, now fleet.Instant) (Result, error) {
	out, refusal := core.Step(s, r, now)
	if refusal != nil {
		return Result{}, refusal
	}
	return Result{Seq: s.Seq, At: s.Time, Record: out.Record, Repeat: out.Repeat != 0, Lets: out.Lets}, nil
}

// aheadOfTrial is how many waiting units of each kind of a queue are on the copy for a submission.
const aheadOfTrial = 64

// tryAhead is a dry run of a submission on a copy without what waits far behind. Only names are
// read of that, so the whole state is asked whether it would refuse. It is not sure where as
// many workloads start or leave as were copied of one kind.
func (e *Engine) tryAhead(r core.Request) (result Result, err error, sure bool) { //nolint:revive // whether to believe both comes last
	var copied *fleet.State
	var refusal *core.Refusal
	depth := 0
	e.Ponder(func(s *fleet.State) {
		_, refusal = core.Decide(s, r, max(e.o.Now(), s.Time))
		depth, copied = s.AheadDepth(aheadOfTrial), s.ForkAhead(aheadOfTrial)
	})
	if refusal == nil && copied.NextAlarm() <= e.o.Now() {
		return Result{}, nil, false // what is due changes more than was copied
	}
	if result, err = tried(copied, r, e.o.Now()); err != nil {
		return result, err, true
	}
	if refusal != nil {
		return Result{}, refusal, true
	}
	moved := map[uint64]bool{}
	for _, one := range result.Record.Events {
		if _, is := one.(event.WorkloadSubmitted); !is {
			moved[event.Workload(one)] = true
		}
	}
	return result, nil, len(moved) < depth
}
