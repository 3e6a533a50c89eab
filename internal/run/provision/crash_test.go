package provision_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/simulated"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// errDead is what a process meets that is stopped dead.
var errDead = errors.New("stopped dead")

// process is Muster as it can be stopped dead at any point: before or after each call
// of the outside, and before or after each write of the journal.
type process struct {
	now     fleet.Instant
	journal *memory.Journal
	world   *simulated.World
	engine  *engine.Engine
	runner  *provision.Runner

	points int // passed so far
	stop   int // the point at which it is stopped dead; 0: none
	dead   bool

	tamper *tamper // with what it observes; nil: all of it comes as it is
}

// point is passed before and after everything that lasts.
func (p *process) point() error {
	if p.dead {
		return errDead
	}
	p.points++
	if p.points == p.stop {
		p.dead = true
		return errDead
	}
	return nil
}

func start(t *testing.T) *process {
	t.Helper()
	p := &process{now: fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), journal: memory.New()}
	p.world = simulated.New(func() fleet.Instant { return p.now })
	p.open(t)
	return p
}

// open starts the process on what its journal holds.
func (p *process) open(t *testing.T) {
	t.Helper()
	p.dead, p.stop = false, 0
	e, err := engine.Open(t.Context(), engine.Options{Journal: failing{p.journal, p}, Now: func() fleet.Instant { return p.now }, Synchronous: true})
	if err != nil {
		t.Fatal(err)
	}
	out := outside{p.world, p}
	p.engine = e
	p.runner = provision.New(provision.Options{
		Read: e.Read, Providers: map[string]provision.Outside{"simulated": out}, Clouds: map[string]provision.Cloud{"simulated": out},
		Do: func(ctx context.Context, r core.Request) error { return p.tamper.tell(ctx, p, r) },
	})
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

// outside is a world whose caller may die around each call.
type outside struct {
	w *simulated.World
	p *process
}

func around[T any](p *process, call func() (T, error)) (out T, err error) {
	if err := p.point(); err != nil {
		return out, err
	}
	if out, err = call(); err != nil {
		return out, err
	}
	return out, p.point()
}

type found struct {
	report provision.Report
	is     bool
}

func (o outside) Find(ctx context.Context, x provision.Order) (provision.Report, bool, error) {
	f, err := observed(o.p, "find "+x.ID, func() (found, error) { r, is, err := o.w.Find(ctx, x); return found{r, is}, err })
	return f.report, f.is, err
}

func (o outside) Begin(ctx context.Context, x provision.Order) (provision.Report, error) {
	return observed(o.p, "begin "+x.ID, func() (provision.Report, error) { return o.w.Begin(ctx, x) })
}

func (o outside) Unblock(ctx context.Context, x provision.Order) error {
	_, err := around(o.p, func() (bool, error) { return true, o.w.Unblock(ctx, x) })
	return err
}

func (o outside) Look(ctx context.Context, s provision.Subject) ([]fleet.StepEvidence, error) {
	return observed(o.p, "look at "+s.Record.Name, func() ([]fleet.StepEvidence, error) { return o.w.Look(ctx, s) })
}

func (o outside) Counts(ctx context.Context, subscription, region string) ([]fleet.CloudCount, error) {
	return observed(o.p, "count "+subscription+"/"+region, func() ([]fleet.CloudCount, error) { return o.w.Counts(ctx, subscription, region) })
}

// do gives a command. A person whose process is stopped dead gives it again.
func (p *process) do(t *testing.T, c core.Command) {
	t.Helper()
	for {
		_, err := p.engine.Do(t.Context(), core.Request{Command: c, Actor: core.Actor{Name: "user:ada", User: "ada", Operator: true}})
		if !p.dead {
			if err != nil {
				t.Fatalf("%T: %v", c, err)
			}
			return
		}
		p.journal = p.journal.Reopen()
		p.open(t)
	}
}

// live lets time pass until a moment. A process that is stopped dead is started again.
func (p *process) live(t *testing.T, until fleet.Instant) {
	t.Helper()
	for rounds := 0; ; rounds++ {
		if rounds > 100_000 {
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
	}
}

var takes = map[fleet.Step]time.Duration{
	fleet.StepPipeline: 40 * time.Minute, fleet.StepScaleSets: 20 * time.Minute, fleet.StepJoin: 10 * time.Minute,
	fleet.StepValidation: time.Hour, fleet.StepServices: 5 * time.Minute,
}

// plan enters a cluster of two islands, which git checks in.
func (p *process) plan(t *testing.T, name string, way fleet.CheckinWay) {
	t.Helper()
	p.do(t, core.AddBlueprint{Blueprint: fleet.Blueprint{
		Name: "nd-" + string(way), Version: 1, Meters: []fleet.Meter{{Meter: "h200", PerNode: 96}}, Checkin: way, Takes: takes, Mode: fleet.Enforce,
	}})
	p.world.SetCloud("s1", "east", fleet.CloudCount{Meter: "h200", Limit: 10_000})
	p.do(t, core.PlanCluster{Record: fleet.ClusterRecord{
		Name: name, Subscription: "s1", Region: "east", GPU: "h200", Priority: fleet.Mid, Blueprint: "nd-" + string(way),
		Islands: []fleet.RecordIsland{{Name: "a", Nodes: 2}, {Name: "b", Nodes: 2}},
	}})
}

// outcome is the world at the end of a life.
type outcome struct {
	Begun     map[string]int // how often each operation was begun outside
	Installed int
	Retired   bool
	Used      int // cores that the cloud counts
	Touches   int
}

// whole is a life from the record to the end, stopped dead at one point; 0: at none.
func whole(t *testing.T, stop int) (outcome, int) {
	t.Helper()
	p := start(t)
	p.plan(t, "lynx", fleet.CheckinGit)
	p.stop = p.points + stop
	if stop == 0 {
		p.stop = 0
	}
	return p.whole(t), p.points
}

// whole lives the life of a cluster that is planned, to its end.
func (p *process) whole(t *testing.T) outcome {
	t.Helper()
	at := p.now
	p.live(t, at.Add(time.Hour))
	p.do(t, core.CheckIn{Cluster: "lynx"})
	p.live(t, at.Add(6*time.Hour))
	var o outcome
	p.engine.Read(func(s *fleet.State) {
		if part := s.Partition("lynx/h200"); part != nil {
			o.Installed = part.Tally().Installed
		}
	})
	p.do(t, core.SteerCluster{Cluster: "lynx", Do: core.Retire})
	p.live(t, at.Add(7*time.Hour))
	p.do(t, core.SteerCluster{Cluster: "lynx", Do: core.Confirm, Confirm: "lynx"})
	p.live(t, at.Add(8*time.Hour))
	p.engine.Read(func(s *fleet.State) {
		l := s.Life("lynx")
		o.Retired, o.Touches = l.Course.Retired != 0, len(l.Touches)
	})
	o.Begun = p.world.Begun()
	counts, _ := p.world.Counts(t.Context(), "s1", "east")
	o.Used = counts[0].Used
	return o
}

var (
	everyFlag = flag.Bool("every", false, "stop at every point of a life, not at one in eleven (5 s of processor time)")
	livesFlag = flag.Uint64("lives", 20, "how many lives with random faults are lived (20 ms of processor time each)")
	fromFlag  = flag.Uint64("from", 0, "the seed of the first of them")
)

// A process that is stopped dead anywhere in a cluster's life, and started again, ends
// in the same world, and begins nothing twice.
func TestEveryCrashPoint(t *testing.T) {
	want, points := whole(t, 0)
	if want.Installed != 32 || !want.Retired || want.Used != 0 || len(want.Begun) != 7 {
		t.Fatalf("the life without a crash ends in %+v", want)
	}
	for id, n := range want.Begun {
		if n != 1 {
			t.Errorf("%s was begun %d times", id, n)
		}
	}
	tried := 0
	for stop := 1; stop <= points; stop++ {
		if !*everyFlag && stop%11 != points%11 {
			continue
		}
		tried++
		if got, _ := whole(t, stop); !reflect.DeepEqual(got, want) {
			t.Fatalf("stopped dead at point %d of %d: %+v, without a crash %+v", stop, points, got, want)
		}
	}
	t.Logf("%d crash points tried of %d", tried, points)
	if points < 200 {
		t.Errorf("only %d points; a whole life has more", points)
	}
}

// Lives with faults drawn from a seed end in production, or in a condition that waits for
// a person, and never break what never happens.
func TestRandomLivesComeToRest(t *testing.T) {
	ends := map[string]int{}
	for seed := *fromFlag; seed < *fromFlag+*livesFlag; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { ends[randomLife(t, seed)]++ })
	}
	t.Logf("seeds %d to %d end in %v", *fromFlag, *fromFlag+*livesFlag-1, ends)
}

// Steps that go on side by side may be late together.
func TestTwoStepsAreLateAtOnce(t *testing.T) {
	p := start(t)
	p.plan(t, "lynx", fleet.CheckinInventory)
	for _, step := range []fleet.Step{fleet.StepValidation, fleet.StepServices} {
		p.world.Fault("lynx", step, simulated.Fault{Outcome: simulated.Throttled, Times: 1, Takes: 48 * time.Hour})
	}
	p.live(t, p.now.Add(40*time.Hour))
	p.engine.Read(func(state *fleet.State) {
		for _, c := range []fleet.ConditionType{fleet.NodesValidated, fleet.ServicesDeployed} {
			if is, _ := state.Life("lynx").Condition(c); is.Late == 0 {
				t.Errorf("%s is not late: %+v", c, is)
			}
		}
	})
}

// rests says whether the cluster waits for nothing, or for a person.
func (p *process) rests() (is bool) {
	p.engine.Read(func(s *fleet.State) {
		v := core.Look(s, s.Life("lynx"), p.now)
		w := v.Waits()
		is = w == nil || w.Person
	})
	return is
}

// randomLife lives a life, and says in what it ends: production, or the condition that waits for a person.
func randomLife(t *testing.T, seed uint64) (end string) {
	draw := rand.New(rand.NewPCG(seed, 20))
	p := start(t)
	p.plan(t, "lynx", fleet.CheckinInventory)
	steps := []fleet.Step{fleet.StepPipeline, fleet.StepScaleSets, fleet.StepJoin, fleet.StepValidation, fleet.StepServices, fleet.StepProjects}
	classes := []fleet.ErrorClass{fleet.ErrorUnknown, fleet.ErrorRetry, fleet.ErrorWait, fleet.ErrorFix, fleet.ErrorPerson}
	for range draw.IntN(6) {
		p.world.Fault("lynx", steps[draw.IntN(len(steps))], simulated.Fault{
			Outcome: simulated.Outcomes()[draw.IntN(4)], Class: classes[draw.IntN(len(classes))], Error: "drawn", Times: 1 + draw.IntN(6),
			Takes: time.Duration(draw.IntN(120)) * time.Minute,
		})
	}
	for day, rested := 0, false; day < 10 && !rested; day++ { // and a day more, in which it stays at rest
		rested = day > 0 && p.rests()
		p.live(t, p.now.Add(24*time.Hour))
	}
	p.engine.Read(func(s *fleet.State) {
		l := s.Life("lynx")
		v := core.Look(s, l, p.now)
		end = string(v.Phase)
		if w := v.Waits(); w != nil {
			end = fmt.Sprintf("%s waits for %s", w.Type, w.Reason)
		}
		if w := v.Waits(); w != nil && !w.Person {
			t.Errorf("seed %d: after ten days it waits for %s (%s: %s), and for no person", seed, w.Type, w.Reason, w.Message)
		}
		for _, r := range core.LedgerOf(s, "s1/east", p.now).Meters {
			if r.Free < 0 {
				t.Errorf("seed %d: the ledger is overdrawn: %+v", seed, r)
			}
		}
		if !core.Idle(s, p.now) {
			t.Errorf("seed %d: deciding again changes something", seed)
		}
	})
	for id, n := range p.world.Begun() {
		if n != 1 {
			t.Errorf("seed %d: %s was begun %d times", seed, id, n)
		}
	}
	return end
}
