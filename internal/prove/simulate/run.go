package simulate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/trace"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Progress is how far a run has come.
type Progress struct {
	At        time.Time // virtual
	Submitted int
	Ended     int
	Jobs      int // in all
	Decisions int
}

// Run replays the options' traces and reports. It calls progress, if there is
// one, now and then. An error is about an input file (its place is named), about
// the context, or says that the engine failed.
func Run(ctx context.Context, o Options, progress func(Progress)) (Report, error) {
	in, err := Read(o)
	if err != nil {
		return Report{}, err
	}
	began := time.Now()
	r, err := newRun(ctx, o, in)
	if err != nil {
		return Report{}, err
	}
	defer r.engine.Close()
	if err := r.play(ctx, progress); err != nil {
		return Report{}, fmt.Errorf("simulation at %s: %w", r.now.Time().Format(time.RFC3339), err)
	}
	return r.report(time.Since(began)), nil
}

// run is one simulation on its way.
type run struct {
	options   Options
	in        Input
	engine    *engine.Engine
	cluster   *meter
	tally     *tally
	churn     churn
	laws      laws
	forecasts *forecasts
	now       fleet.Instant

	course
}

// course is how far a run has come.
type course struct {
	submitted int            // jobs of the input
	changes   []change       // still to happen
	down      map[string]int // open faults by node
	decisions int
}

// newRun builds the fleet and everything around it.
func newRun(ctx context.Context, o Options, in Input) (*run, error) {
	r := &run{options: o, in: in, now: start(in), course: course{down: map[string]int{}}, tally: newTally()}
	r.options.Journal = o.journal()
	r.forecasts = newForecasts(o, r.now)
	r.cluster = newMeter(simulated.New(clusterOptions(o)))
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	err := r.build(ctx)
	return r, err
}

// open opens an engine on the run's journal, and tells the cluster what stands.
func (r *run) open(ctx context.Context) error {
	var err error
	r.engine, err = engine.Open(ctx, engine.Options{
		Journal: r.options.Journal, Synchronous: true, Driver: r.cluster, CheckEvery: r.options.checkEvery(), Check: r.laws.check,
		Now: func() fleet.Instant { return r.now },
		Plan: func(rec event.Record, s *fleet.State) func() {
			r.tally.note(rec, s)
			r.churn.note(rec, s)
			r.forecasts.book.Hear(rec, s)
			return nil
		},
	})
	return err
}

// start is the moment at which the simulation starts. To a state the moment 0
// says that something has not happened yet; a trace that starts there starts a
// nanosecond late.
func start(in Input) fleet.Instant { return max(1, fleet.InstantOf(in.From)) }

func clusterOptions(o Options) simulated.Options {
	c := simulated.Options{Seed: o.Seed}
	if o.Delays {
		c.Delays = simulated.RealisticDelays()
	}
	return c
}

// build makes the fleet of the fleet file, and finds out what will happen to it.
func (r *run) build(ctx context.Context) error {
	for _, c := range fleetfile.Commands(r.in.Fleet) {
		if err := r.do(ctx, core.Request{Command: c, Actor: core.System, Reason: "fleet file"}); err != nil {
			return fmt.Errorf("%s: %w", r.in.Fleet.Name, err)
		}
	}
	r.engine.Read(func(s *fleet.State) { r.changes = changes(r.in.Faults, nodesOf(s), r.options.Seed) })
	return nil
}

// play lets happen what comes next until every job has ended, or nothing is left
// that could happen.
func (r *run) play(ctx context.Context, progress func(Progress)) error {
	p := pace{tell: progress}
	for r.tally.ended < len(r.in.Jobs) {
		if err := ctx.Err(); err != nil {
			return err
		}
		more, err := r.step(ctx)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		p.step(r.progress)
	}
	p.end(r.progress)
	return nil
}

// step is one moment's next thing. The order of kinds breaks ties.
func (r *run) step(ctx context.Context) (more bool, err error) {
	kinds := [...]struct {
		due fleet.Instant
		do  func(context.Context) error
	}{
		{r.cluster.Due(), r.hear},
		{r.nextChange(), r.fault},
		{r.nextJob(), r.submit},
		{r.engine.NextAlarm(), r.ring},
		{r.nextForecast(), r.forecast},
	}
	first := kinds[0]
	for _, k := range kinds[1:] {
		if k.due < first.due {
			first = k
		}
	}
	if first.due == fleet.Never {
		return false, nil
	}
	if end := fleet.InstantOf(r.in.Until); !r.in.Until.IsZero() && first.due > end {
		r.now = end
		return false, nil
	}
	r.now = max(r.now, first.due)
	return true, first.do(ctx)
}

// hear takes the driver's reports of this moment to the engine.
func (r *run) hear(ctx context.Context) error {
	for _, report := range r.cluster.Take(r.now) {
		if err := r.do(ctx, engine.RequestOf(report)); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) nextChange() fleet.Instant {
	if len(r.changes) == 0 {
		return fleet.Never
	}
	return start(r.in).Add(r.changes[0].after)
}

// fault begins or ends one fault: the first one of a node quarantines it, the end
// of the last one makes it healthy.
func (r *run) fault(ctx context.Context) error {
	c := r.changes[0]
	r.changes = r.changes[1:]
	set := driver.Nodes{Names: []string{c.node}, State: fleet.Quarantined, Signal: c.cause}
	if c.ends {
		r.down[c.node]--
		set.State, set.Signal = fleet.Healthy, "repaired: "+c.cause
	} else {
		r.down[c.node]++
	}
	if open := r.down[c.node]; c.ends && open > 0 || !c.ends && open > 1 {
		return nil
	}
	return r.do(ctx, r.strike(set))
}

func (r *run) nextJob() fleet.Instant {
	if r.submitted == len(r.in.Jobs) {
		return fleet.Never
	}
	return fleet.InstantOf(r.in.Jobs[r.submitted].Submit)
}

// submit submits the next job. That the fleet refuses it is a result, not a failure.
func (r *run) submit(ctx context.Context) error {
	j := r.in.Jobs[r.submitted]
	s, err := r.spec(r.submitted)
	r.submitted++
	if err != nil {
		return err
	}
	r.cluster.Expect(s.Namespace, s.Name, j.Duration)
	err = r.do(ctx, core.Request{Command: core.Submit{Spec: s}, Actor: submitter(j)})
	var no *core.Refusal
	if errors.As(err, &no) {
		r.tally.refuse(j, no)
		return nil
	}
	return err
}

// spec is what the n-th job submits.
func (r *run) spec(n int) (fleet.Spec, error) {
	j := r.in.Jobs[n]
	if r.in.Specs != nil {
		s := r.in.Specs[n]
		s.Target = r.in.Targets[j.Team]
		return s, nil
	}
	s, err := spec(j, r.in.Targets[j.Team])
	s.CheckpointEvery = r.options.CheckpointEvery
	s.MaxRuntime = r.options.Declare.maxRuntime(j, r.options.Seed)
	return s, err
}

// submitter acts for everybody, as an operator may.
func submitter(j trace.Job) core.Actor {
	return core.Actor{Name: "operator:simulate for user:" + j.User, User: j.User, Operator: true}
}

// ring lets the engine see that time has passed.
func (r *run) ring(ctx context.Context) error {
	if err := r.do(ctx, core.Request{Command: core.Tick{}, Actor: core.System}); err != nil {
		return err
	}
	if r.engine.NextAlarm() <= r.now {
		return errors.New("the engine asks for a look at a moment that is over: it would ask for ever")
	}
	return nil
}

func (r *run) do(ctx context.Context, q core.Request) error {
	r.decisions++
	_, err := r.engine.Do(ctx, q)
	return err
}

func (r *run) progress() Progress {
	return Progress{r.now.Time(), r.submitted, r.tally.ended, len(r.in.Jobs), r.decisions}
}
