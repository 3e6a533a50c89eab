package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// How much planned work the bench planner has under way, and how often it asks.
const (
	plannerNodes    = 10_000
	plannerRollouts = 50
	plannerAsks     = 400
)

// planner measures the decisions about planned work: the next visit, a visit that ends, a dry run of a rollout over
// all nodes, and what submissions take beside it.
func planner(ctx context.Context, o Options) (Report, error) {
	r := Report{Bench: "planner", Machine: ThisMachine(), Quick: o.Quick, Seed: o.Seed}
	nodes := o.scaled(plannerNodes)
	r.Recipe = fmt.Sprintf("%d nodes in islands of 128, two thirds of the GPUs in use; %d rollouts, each over its own nodes, with visits under way", nodes, plannerRollouts)
	p, err := newPlanned(ctx, o, nodes)
	if err != nil {
		return r, err
	}
	defer p.Close()
	next, ends := p.rollOn(ctx, o.scaled(plannerAsks))
	r.add(p99(next, "the next decision about planned work, after something changed", 5*time.Millisecond))
	r.add(p99(ends, "a visit that ends, with all that follows", 0))
	if err := p.compare(ctx, o, nodes, &r); err != nil {
		return r, err
	}
	dry, err := p.dryRun(ctx)
	if err != nil {
		return r, err
	}
	r.add(aimed(Figure{Name: "dry run of a rollout over all nodes", Value: dry.Seconds(), Unit: "s"}, "≤ 2 s", dry <= 2*time.Second))
	r.engineOnly()
	return r, nil
}

// compare measures submissions beside planned work, on a fleet that has none, and on one whose nodes are out likewise
// while no rollout goes on. It asks the three in turn, so that what else the machine does concerns all alike.
func (p planned) compare(ctx context.Context, o Options, nodes int, r *Report) error {
	calm, err := calmly(ctx, o, nodes)
	if err != nil {
		return err
	}
	defer calm.Close()
	same, err := newPlanned(ctx, o, nodes)
	if err != nil {
		return err
	}
	defer same.Close()
	same.rollOn(ctx, o.scaled(plannerAsks))
	if err := same.abandon(ctx); err != nil {
		return err
	}
	took, err := inTurn(ctx, o.scaled(plannerAsks*10), calm, same.busy, p.busy)
	if err != nil {
		return err
	}
	without, out, with := p99(took[0], "a submission without planned work", 0), p99(took[1], "a submission with the same nodes out and no rollout", 0), p99(took[2], "a submission beside it", 0)
	r.add(without)
	r.add(beside(out, out.Value/without.Value, "without"))
	r.add(aimed(beside(with, with.Value/without.Value, "without"), "≤ 1.05", with.Value <= 1.05*without.Value))
	with.Name = "… of it"
	r.add(beside(with, with.Value/out.Value, "the same nodes out"))
	return nil
}

// inTurn measures how long submissions to several engines are decided, in processor time where it is known; another
// workload ends before each.
func inTurn(ctx context.Context, times int, engines ...*busy) ([][]time.Duration, error) {
	runtime.LockOSThread() // its processor time is asked for
	defer runtime.UnlockOSThread()
	took := make([][]time.Duration, len(engines))
	for range times {
		for i, b := range engines {
			d, err := b.swap(ctx)
			if err != nil {
				return nil, err
			}
			took[i] = append(took[i], d)
		}
	}
	return took, nil
}

// swap ends a workload and submits another, and says how long that was decided.
func (b *busy) swap(ctx context.Context) (time.Duration, error) {
	if err := b.end(ctx); err != nil {
		return 0, err
	}
	return worked(func() error {
		_, err := b.submit(ctx)
		return err
	})
}

// worked is the processor time of a call on a locked thread, where that is known, else how long it took.
func worked(do func() error) (time.Duration, error) {
	began, from := time.Now(), threadTime()
	err := do()
	if work := threadTime() - from; work > 0 {
		return work, err
	}
	return time.Since(began), err
}

// p99 is the figure of what one in a hundred exceeds.
func p99(took []time.Duration, name string, aim time.Duration) Figure {
	slices.Sort(took)
	at := took[len(took)*99/100]
	f := Figure{Name: name + ", p99", Value: ms(at), Unit: "ms"}
	if aim > 0 {
		f = aimed(f, fmt.Sprintf("≤ %g ms", ms(aim)), at <= aim)
	}
	return f
}

// planned is a busy engine over whose nodes rollouts go on.
type planned struct{ *busy }

// calmly is a busy engine without planned work.
func calmly(ctx context.Context, o Options, nodes int) (*busy, error) {
	b, err := newBusy(ctx, o, &forgetful{}, nodes)
	if err != nil {
		return nil, err
	}
	err = b.work(ctx, nodes)
	return b, err
}

// work fills two thirds of the nodes.
func (b *busy) work(ctx context.Context, nodes int) error {
	for range nodes / 4 {
		if _, err := b.submit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// newPlanned is a busy engine on which so many rollouts go on, each over its own nodes.
func newPlanned(ctx context.Context, o Options, nodes int) (planned, error) {
	b, err := calmly(ctx, o, nodes)
	if err != nil {
		return planned{}, err
	}
	var names []string
	b.Read(func(s *fleet.State) {
		for _, n := range s.Partitions[0].Nodes {
			names = append(names, n.Name)
		}
	})
	p := planned{b}
	each := len(names) / plannerRollouts
	for i := range plannerRollouts {
		name := fmt.Sprintf("u%d", i)
		if err := p.tell(ctx, core.AddUpdate{Update: fleet.NodeUpdate{
			Name: name, Component: fleet.Component{Name: "driver", Version: name}, Impact: fleet.ImpactRestart, Lasts: time.Hour,
			Deadline: b.now.Add(30 * day),
		}}); err != nil {
			return p, err
		}
		if err := p.tell(ctx, core.StartRollout{Name: fmt.Sprintf("r%d", i), Plan: fleet.RolloutPlan{
			Nodes: names[i*each : (i+1)*each], Updates: []string{name}, Canary: fleet.CanaryRule{Nodes: 1, Soak: time.Minute},
			Limits: fleet.VisitLimit{PerIsland: 4, PerPartition: len(names) / 20, Failures: -1},
		}}); err != nil {
			return p, err
		}
	}
	return p, nil
}

func (p planned) tell(ctx context.Context, c core.Command) error {
	_, err := p.Do(ctx, core.Request{Command: c, Actor: operator, Reason: "bench"})
	return err
}

// rollOn lets visits end one after another. It says what processor time each decision about planned work takes that follows
// from one, and all that follows.
func (p planned) rollOn(ctx context.Context, times int) (next, ends []time.Duration) {
	runtime.LockOSThread() // its processor time is asked for
	defer runtime.UnlockOSThread()
	var m mirror
	p.Read(func(s *fleet.State) { m = newMirror(s, p.now) })
	for range times {
		p.now = p.now.Add(time.Minute)
		v := p.working()
		var c core.Command = core.Tick{}
		if v != nil {
			c = core.ReportVisit{Node: v.Node, Key: v.Key, Outcome: core.Passed}
		}
		var res engine.Result
		took, err := worked(func() (err error) {
			res, err = p.Do(ctx, core.Request{Command: c, Actor: operator, Reason: "bench"})
			return err
		})
		if err == nil && v != nil {
			ends = append(ends, took)
		}
		m.follow(res.Record)
	}
	return m.took, ends
}

// working is a visit that is under way, or nil.
func (p planned) working() (v *fleet.Visit) {
	p.Read(func(s *fleet.State) {
		for _, ref := range s.Kept().Open {
			if x := s.Partition(ref.Partition).Nodes[ref.Node].Visit; x.State == fleet.VisitWorking {
				v = x
				return
			}
		}
	})
	return v
}

// mirror is a copy of the state that follows the records of an engine event by event, and asks what maintenance does
// next where the engine asked.
type mirror struct {
	s    *fleet.State
	took []time.Duration
}

func newMirror(s *fleet.State, now fleet.Instant) mirror {
	m := mirror{s: s.Clone()}
	if _, noted, ok := maintenance.Next(m.s, now); !ok {
		noted()
	}
	return m
}

// follow applies a record. It asks before each event that maintenance decides, and when nothing is left to do.
func (m *mirror) follow(r event.Record) {
	m.s.Ring(r.At)
	one := r
	for i, e := range r.Events {
		switch e.(type) {
		case event.VisitMoved, event.NodeLeaving, event.RolloutSet, event.WorkloadResumed:
			if i > 0 { // the first is what the command says
				m.ask(r.At)
			}
		}
		one.Events = r.Events[i : i+1]
		core.ApplyRecord(m.s, one)
	}
	if m.s.Looks() {
		m.ask(r.At)
	}
}

// ask times a look that keeps what it found out, as the engine's does.
func (m *mirror) ask(now fleet.Instant) {
	took, _ := worked(func() error {
		_, noted, _ := maintenance.Next(m.s, now)
		noted()
		return nil
	})
	m.took = append(m.took, took)
}

// dryRun tries a rollout over all nodes on a copy: as a dry run through the API does.
func (p planned) dryRun(ctx context.Context) (time.Duration, error) {
	if err := p.tell(ctx, core.AddUpdate{Update: fleet.NodeUpdate{
		Name: "all", Component: fleet.Component{Name: "kubelet", Version: "1"}, Impact: fleet.ImpactRestart, Lasts: time.Hour,
	}}); err != nil {
		return 0, err
	}
	if err := p.abandon(ctx); err != nil {
		return 0, err
	}
	began := time.Now()
	_, err := p.DryRun(ctx, core.Request{
		Command: core.StartRollout{Name: "all", Plan: fleet.RolloutPlan{Scope: cluster, Updates: []string{"all"}}}, Actor: operator, Reason: "bench",
	})
	return time.Since(began), err
}

// abandon ends all rollouts. Visits that have begun go on.
func (p planned) abandon(ctx context.Context) error {
	for i := range plannerRollouts {
		if err := p.tell(ctx, core.MoveRollout{Name: fmt.Sprintf("r%d", i), State: fleet.RolloutAbandoned}); err != nil {
			return err
		}
	}
	return nil
}
