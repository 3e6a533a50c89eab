package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// stage is the engine of production in virtual time, with a simulated cluster on
// which work ends and victims leave at once. Decisions are timed, the cluster is not.
type stage struct {
	*engine.Engine
	cluster *simulated.Driver
	orders  *orders
	now     fleet.Instant

	all      lap // all decisions since clear
	decided  int
	starts   int // of whole workloads, again after an eviction too
	evicted  int // orders to leave for other work
	finished int
	hear     func(event.Record) error // after each record, outside of what is timed; may be nil
}

// lap is how long something took: on the wall, and as processor time of the deciding thread.
type lap struct{ wall, work time.Duration }

func (l lap) plus(m lap) lap { return lap{l.wall + m.wall, l.work + m.work} }

// newStage begins with an empty fleet. The calling goroutine keeps its thread until close.
func newStage(ctx context.Context, j journal.Journal) (*stage, error) {
	return newStageOn(ctx, j, simulated.Options{})
}

// newStageOn is newStage with a cluster of its own kind.
func newStageOn(ctx context.Context, j journal.Journal, o simulated.Options) (*stage, error) {
	s := &stage{cluster: simulated.New(o), now: busyStart}
	s.orders = &orders{to: s.cluster}
	var err error
	s.Engine, err = engine.Open(ctx, engine.Options{
		Journal: j, Synchronous: true, Now: func() fleet.Instant { return s.now }, Driver: s.orders,
	})
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread() // so that the thread's processor time is the decisions'
	return s, nil
}

func (s *stage) close() {
	runtime.UnlockOSThread()
	s.Engine.Close()
}

// clear begins to count anew.
func (s *stage) clear() { s.all, s.decided, s.starts, s.evicted, s.finished = lap{}, 0, 0, 0, 0 }

// decide gives one command to the engine.
func (s *stage) decide(ctx context.Context, q core.Request) (event.Record, lap, error) {
	began, worked := time.Now(), threadTime()
	res, err := s.Do(ctx, q)
	l := lap{time.Since(began), threadTime() - worked}
	s.all = s.all.plus(l)
	s.decided++
	s.orders.deliver()
	if err != nil {
		return res.Record, l, fmt.Errorf("%T: %w", q.Command, err)
	}
	return res.Record, l, s.note(res.Record)
}

func (s *stage) note(r event.Record) error {
	for _, e := range r.Events {
		switch e := e.(type) {
		case event.ReplicasPlaced:
			if !e.Mend {
				s.starts++
			}
		case event.ReplicasEvicted:
			s.evicted++
		case event.WorkloadFinished:
			s.finished++
		}
	}
	if s.hear != nil {
		return s.hear(r)
	}
	return nil
}

// build gives the commands that make a fleet.
func (s *stage) build(ctx context.Context, commands ...core.Command) error {
	for _, c := range commands {
		if _, _, err := s.decide(ctx, core.Request{Command: c, Actor: operator, Reason: "bench"}); err != nil {
			return fmt.Errorf("build the fleet: %w", err)
		}
	}
	return nil
}

// submit submits a workload that runs for so long; 0: until it is told to end.
func (s *stage) submit(ctx context.Context, w fleet.Spec, runs time.Duration) (event.Record, lap, error) {
	if runs > 0 {
		s.cluster.Expect(w.Namespace, w.Name, runs)
	}
	return s.decide(ctx, core.Request{Command: core.Submit{Spec: w}, Actor: operator})
}

// due is when the cluster or the engine has something to say.
func (s *stage) due() fleet.Instant { return min(s.cluster.Due(), s.NextAlarm()) }

// step lets happen what is due next, up to a moment; false: nothing is.
func (s *stage) step(ctx context.Context, until fleet.Instant) (bool, error) {
	at := s.due()
	if at == fleet.Never || at > until {
		return false, ctx.Err()
	}
	s.now = max(s.now, at)
	if s.cluster.Due() > s.now {
		_, _, err := s.decide(ctx, core.Request{Command: core.Tick{}, Actor: core.System})
		return true, err
	}
	for _, report := range s.cluster.Take(s.now) {
		_, _, err := s.decide(ctx, engine.RequestOf(report))
		var late *core.Refusal
		if err != nil && !errors.As(err, &late) {
			return false, err
		}
	}
	return true, ctx.Err()
}

// play lets everything happen that is due up to a moment.
func (s *stage) play(ctx context.Context, until fleet.Instant) error {
	for {
		if more, err := s.step(ctx, until); err != nil || !more {
			return err
		}
	}
}

// settle lets happen all that belongs to this moment.
func (s *stage) settle(ctx context.Context) error { return s.play(ctx, s.now) }

// states counts workloads by what they do.
func (s *stage) states() map[fleet.WorkloadState]int {
	count := map[fleet.WorkloadState]int{}
	s.Read(func(state *fleet.State) {
		for _, w := range state.Workloads {
			count[w.State]++
		}
	})
	return count
}

// sound says what is broken after all, and what is not as it should be: a bench
// that measures something else than it says is worse than none.
func (s *stage) sound(want map[fleet.WorkloadState]int) error {
	var broken []invariant.Broken
	s.Read(func(state *fleet.State) { broken = invariant.Check(state) })
	if len(broken) > 0 {
		return fmt.Errorf("%d laws are broken at the end, the first: %v", len(broken), broken[0])
	}
	have := s.states()
	for _, state := range slices.Sorted(maps.Keys(want)) {
		if have[state] != want[state] {
			return fmt.Errorf("%d workloads are %s at the end, not %d: %v", have[state], state, want[state], have)
		}
	}
	return nil
}
