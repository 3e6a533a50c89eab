package executor_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/executor"
	"github.com/muster-fleet/muster/internal/run/executor/simulated"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// errDead is what a process meets that is stopped dead.
var errDead = errors.New("stopped dead")

// process is Muster as it can be stopped dead at any point: before or after each call of
// an executor, and before or after each write of the journal.
type process struct {
	now     fleet.Instant
	journal *memory.Journal
	hands   *simulated.Hands
	engine  *engine.Engine
	runner  *executor.Runner

	points int // passed so far
	stop   int // the point at which it is stopped dead; 0: none
	dead   bool
}

func (p *process) point() error {
	if p.dead {
		return errDead
	}
	if p.points++; p.points == p.stop {
		p.dead = true
		return errDead
	}
	return nil
}

// failing is a journal whose process may die around each write.
type failing struct {
	*memory.Journal
	p *process
}

func (f failing) Append(ctx context.Context, entries []journal.Entry) error {
	if err := f.p.point(); err != nil {
		return err
	}
	if err := f.Journal.Append(ctx, entries); err != nil {
		return err
	}
	return f.p.point()
}

// calls are an executor's, whose caller may die around each.
type calls struct {
	executor.Executor
	p *process
}

func (c calls) Find(ctx context.Context, o executor.Order) (is executor.Report, found bool, err error) {
	if err = c.p.point(); err == nil {
		if is, found, err = c.Executor.Find(ctx, o); err == nil {
			err = c.p.point()
		}
	}
	return is, found, err
}

func (c calls) Begin(ctx context.Context, o executor.Order) (is executor.Report, err error) {
	if err = c.p.point(); err == nil {
		if is, err = c.Executor.Begin(ctx, o); err == nil {
			err = c.p.point()
		}
	}
	return is, err
}

// open starts the process on what its journal holds.
func (p *process) open(t *testing.T) {
	t.Helper()
	p.dead, p.stop = false, 0
	e, err := engine.Open(t.Context(), engine.Options{Journal: failing{p.journal, p}, Now: func() fleet.Instant { return p.now }, Synchronous: true})
	if err != nil {
		t.Fatal(err)
	}
	p.engine = e
	p.runner = executor.New(executor.Options{
		Read: e.Read, Executors: map[string]executor.Executor{fleet.BySimulated: calls{p.hands, p}},
		Do: func(ctx context.Context, r core.Request) error { _, err := e.Do(ctx, r); return err },
	})
}

// fleetOf is a process with a fleet of four nodes.
func fleetOf(t *testing.T, o simulated.Options) *process {
	t.Helper()
	p := &process{now: fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), journal: memory.New()}
	o.Now = func() fleet.Instant { return p.now }
	p.hands = simulated.New(o)
	p.open(t)
	policy := fleet.DefaultPolicy()
	policy.Maintenance = fleet.MaintenancePolicy{Horizon: 6 * time.Hour, Lead: time.Hour, KeepRoom: time.Hour, Validation: 10 * time.Minute}
	p.do(t, core.SetPolicy{Policy: policy})
	p.do(t, core.AddCluster{Name: "t"})
	p.do(t, core.AddPartition{Cluster: "t", GPU: "g"})
	p.do(t, core.AddIslands{Partition: "t/g", Islands: []core.NewIsland{{Name: "a", Nodes: 4}}})
	return p
}

// rollOut begins a rollout of two updates over all nodes.
func (p *process) rollOut(t *testing.T, second string) {
	t.Helper()
	for i, by := range []string{fleet.BySimulated, second} {
		name := string(rune('u' + i))
		p.do(t, core.AddUpdate{Update: fleet.NodeUpdate{
			Name: name, Component: fleet.Component{Name: "c" + name, Version: "2"}, Impact: fleet.ImpactRestart, Lasts: 30 * time.Minute, Executor: by,
		}})
	}
	p.do(t, core.StartRollout{Name: "r", Plan: fleet.RolloutPlan{
		Scope: "t", Updates: []string{"u", "v"}, Canary: fleet.CanaryRule{Nodes: 1, Soak: time.Hour}, Waves: []fleet.Permille{1000},
		Limits: fleet.VisitLimit{PerIsland: 2, PerPartition: 2, Failures: -1},
	}})
}

// do gives a command.
func (p *process) do(t *testing.T, c core.Command) {
	t.Helper()
	if _, err := p.engine.Do(t.Context(), core.Request{Command: c, Actor: core.Actor{Name: "user:ada", User: "ada", Operator: true}}); err != nil {
		t.Fatalf("%T: %v", c, err)
	}
}

// live lets time pass until a moment. A process that is stopped dead is started again.
func (p *process) live(t *testing.T, until fleet.Instant) {
	t.Helper()
	for rounds := 0; ; rounds++ {
		if rounds > 10_000 {
			t.Fatal("it does not come to rest")
		}
		due := min(p.runner.Due(), p.engine.NextAlarm())
		if due > until {
			p.now = until
			return
		}
		p.now = max(p.now, due)
		_ = p.runner.Turn(t.Context(), p.now)
		if !p.dead && p.engine.NextAlarm() <= p.now {
			if _, err := p.engine.Do(t.Context(), core.Request{Command: core.Tick{}, Actor: core.System}); err != nil && !p.dead {
				t.Fatal(err)
			}
		}
		if p.dead {
			p.journal = p.journal.Reopen()
			p.open(t)
		}
		p.engine.Read(func(s *fleet.State) {
			for _, b := range invariant.Check(s) {
				t.Fatalf("broken: %v", b)
			}
		})
	}
}

// outcome is the world once a rollout is over.
type outcome struct {
	Begun  map[string]int // how often each order was begun
	State  fleet.RolloutState
	Runs   []string
	Visits []fleet.VisitState
}

func (p *process) outcome() (o outcome) {
	o.Begun = p.hands.Begun()
	p.engine.Read(func(s *fleet.State) {
		o.State = s.Kept().Rollout("r").State
		for _, n := range s.Partition("t/g").Nodes {
			o.Runs = append(o.Runs, n.Runs.String())
			if n.Visit != nil {
				o.Visits = append(o.Visits, n.Visit.State)
			}
		}
	})
	return o
}

// whole is a rollout from its start to its end, stopped dead at one point; 0: at none.
func whole(t *testing.T, stop int) (outcome, int) {
	t.Helper()
	p := fleetOf(t, simulated.Options{Seed: 1, Spread: 200})
	p.rollOut(t, fleet.BySimulated)
	before := p.points
	if stop > 0 {
		p.stop = before + stop
	}
	p.live(t, p.now.Add(48*time.Hour))
	return p.outcome(), p.points - before
}

// A process that is stopped dead anywhere in a rollout, and started again, has the same
// nodes updated, and begins nothing twice.
func TestEveryCrashPoint(t *testing.T) {
	want, points := whole(t, 0)
	if want.State != fleet.RolloutDone || len(want.Begun) != 8 || len(want.Visits) != 4 {
		t.Fatalf("the rollout without a crash ends in %+v", want)
	}
	for id, n := range want.Begun {
		if n != 1 {
			t.Errorf("%s was begun %d times", id, n)
		}
	}
	for stop := 1; stop <= points; stop++ {
		if got, _ := whole(t, stop); !reflect.DeepEqual(got, want) {
			t.Fatalf("stopped dead at point %d of %d: %+v, without a crash %+v", stop, points, got, want)
		}
	}
	t.Logf("%d crash points", points)
	if points < 60 {
		t.Errorf("only %d points; a rollout over four nodes has more", points)
	}
}

// Work that fails ends its visit, says why, and stops the rollout at its canary.
func TestWorkThatFailsStopsAtTheCanary(t *testing.T) {
	p := fleetOf(t, simulated.Options{Seed: 1, Fails: 1000})
	p.rollOut(t, fleet.BySimulated)
	p.live(t, p.now.Add(48*time.Hour))
	o := p.outcome()
	if o.State != fleet.RolloutPaused || !reflect.DeepEqual(o.Visits, []fleet.VisitState{fleet.VisitFailed}) {
		t.Fatalf("it ends in %+v", o)
	}
	p.engine.Read(func(s *fleet.State) {
		for _, n := range s.Partition("t/g").Nodes {
			if n.Visit != nil && (n.Visit.Why != "u: the simulated work failed" || n.State != fleet.Quarantined) {
				t.Errorf("node %s is %s: %q", n.Name, n.State, n.Visit.Why)
			}
		}
	})
}

// Where people carry out a part, they have the last word; executors do the rest before.
func TestPeopleHaveTheLastWord(t *testing.T) {
	p := fleetOf(t, simulated.Options{Seed: 1})
	p.rollOut(t, fleet.ByPeople)
	p.live(t, p.now.Add(12*time.Hour))
	if o := p.outcome(); len(o.Begun) != 1 || !reflect.DeepEqual(o.Visits, []fleet.VisitState{fleet.VisitWorking}) {
		t.Fatalf("nobody has said that the work is over, and it stands at %+v", o)
	}
	var node string
	p.engine.Read(func(s *fleet.State) {
		for _, ref := range s.Kept().Open {
			node = s.Partition(ref.Partition).Nodes[ref.Node].Name
		}
	})
	p.do(t, core.ReportVisit{Node: node, Outcome: core.Passed})
	if o := p.outcome(); !reflect.DeepEqual(o.Visits, []fleet.VisitState{fleet.VisitDone}) {
		t.Errorf("it stands at %+v", o)
	}
}

// liar says that it is done while the node runs something else.
type liar struct{}

func (liar) Find(_ context.Context, o executor.Order) (executor.Report, bool, error) {
	old := fleet.Component{Name: o.Update.Component.Name, Version: "1"}
	return executor.Report{State: executor.Done, Runs: []fleet.Component{old}}, true, nil
}

func (liar) Begin(context.Context, executor.Order) (executor.Report, error) {
	return executor.Report{}, errors.New("it was found")
}

// An executor that lies is found out, and one that is not there fails the visit.
func TestWhoLiesOrIsNotThereFails(t *testing.T) {
	for want, executors := range map[string]map[string]executor.Executor{
		"the executor says it is done, and the node runs cu 1, cv 1, not cu 2, cv 2": {fleet.BySimulated: liar{}},
		`u: this server has no executor "simulated"`:                                 {},
	} {
		p := fleetOf(t, simulated.Options{Seed: 1})
		p.rollOut(t, fleet.BySimulated)
		p.runner = executor.New(executor.Options{
			Read: p.engine.Read, Executors: executors,
			Do: func(ctx context.Context, r core.Request) error { _, err := p.engine.Do(ctx, r); return err },
		})
		p.live(t, p.now.Add(12*time.Hour))
		p.engine.Read(func(s *fleet.State) {
			for _, n := range s.Partition("t/g").Nodes {
				if n.Visit != nil && (n.Visit.State != fleet.VisitFailed || n.Visit.Why != want) {
					t.Errorf("its visit is %s: %q, want %q", n.Visit.State, n.Visit.Why, want)
				}
			}
			if s.Kept().Rollout("r").State != fleet.RolloutPaused {
				t.Error("the rollout goes on")
			}
		})
	}
}
