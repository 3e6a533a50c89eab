package server

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/sheet"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/buildkite"
	"github.com/muster-fleet/muster/internal/run/provision/gitcheckin"
	outside "github.com/muster-fleet/muster/internal/run/provision/simulated"
	"github.com/muster-fleet/muster/internal/run/provision/tofu"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// walk is an engine and a runner in time of their own, with the real parts of walkparts_test.go.
// That time leaps from one thing that is due to the next, and stands still while a real program runs.
type walk struct {
	*testing.T
	began   fleet.Instant
	clock   atomic.Int64
	engine  *engine.Engine
	runner  *provision.Runner
	world   *outside.World
	cluster *simulated.Driver
	builds  *builds
	git     *repository
}

func (w *walk) now() fleet.Instant { return fleet.Instant(w.clock.Load()) }

func newWalk(t *testing.T) *walk {
	t.Helper()
	w := &walk{T: t, began: fleet.InstantOf(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)), builds: newBuilds(t), git: newRepository(t)}
	w.clock.Store(int64(w.began))
	w.world, w.cluster = outside.New(w.now), simulated.New(simulated.Options{Delays: simulated.RealisticDelays()})
	e, err := engine.Open(t.Context(), engine.Options{Journal: memory.New(), Now: w.now, Driver: w.cluster, Synchronous: true})
	if err != nil {
		t.Fatal(err)
	}
	w.engine = e
	pipeline := &buildkite.Pipeline{Token: "bkua-of-the-walk", Address: w.builds.URL}
	by := provision.BySteps{
		fleet.StepCheckin:  &gitcheckin.Checkin{Repository: w.git.bare, Branch: "main", Now: w.wall},
		fleet.StepPipeline: pipeline, fleet.StepProjects: buildkite.Projects{Pipeline: pipeline},
	}
	for _, step := range []fleet.Step{fleet.StepScaleSets, fleet.StepJoin, fleet.StepValidation, fleet.StepServices, fleet.StepHealth} {
		by[step] = w.world
	}
	projects := newProjects(t, tofu.Options{Source: tofu.NewSource("../../examples/buildout/projects", "", ""), Now: w.wall})
	by[fleet.StepDependencies] = provision.Dependents{Read: e.Read, Runners: map[string]provision.Knower{tofu.Word: projects}}
	w.open(by, projects, provision.Options{Clouds: map[string]provision.Cloud{"azure": azureOf(w.world)}})
	return w
}

// wall is now as programs outside are told it.
func (w *walk) wall() time.Time { return w.now().Time() }

// open lets a runner build clusters of Azure, by adapters and projects. What the options leave
// out it adds.
func (w *walk) open(by provision.BySteps, p projects, o provision.Options) {
	o.Read, o.Do = w.engine.Read, func(ctx context.Context, r core.Request) error { _, err := w.engine.Do(ctx, r); return err }
	o.Providers = map[string]provision.Outside{"azure": provision.ByRunner{Rest: by, Runners: map[string]provision.Outside{tofu.Word: p}}}
	w.runner = provision.New(o)
}

func (w *walk) do(c core.Command) {
	w.Helper()
	if _, err := w.engine.Do(w.Context(), core.Request{Command: c, Actor: core.Actor{Name: "user:ada", User: "ada", Operator: true}}); err != nil {
		w.Fatalf("%T: %v", c, err)
	}
}

// until lets time pass until something is so.
func (w *walk) until(what string, so func(*fleet.State) bool) {
	w.Helper()
	for end := w.now().Add(12 * time.Hour); ; w.turn() {
		is := false
		w.engine.Read(func(s *fleet.State) { is = so(s) })
		if is {
			return
		}
		if w.now() > end {
			w.engine.Read(func(s *fleet.State) {
				for _, l := range s.Lives {
					v := core.Look(s, l, w.now())
					w.Logf("%s: %+v", l.Record.Name, v.Waits())
				}
			})
			w.Fatalf("it does not come to %s", what)
		}
	}
}

// turn leaps to what is due next, and lets everybody do it.
func (w *walk) turn() {
	w.Helper()
	w.clock.Store(int64(max(w.now()+1, min(w.runner.Due(), w.engine.NextAlarm(), w.cluster.Due()))))
	if err := w.runner.Turn(w.Context(), w.now()); err != nil {
		w.Fatal(err)
	}
	for _, r := range w.cluster.Take(w.now()) {
		var no *core.Refusal
		if _, err := w.engine.Do(w.Context(), engine.RequestOf(r)); err != nil && !errors.As(err, &no) {
			w.Fatal(err)
		}
	}
	if w.engine.NextAlarm() <= w.now() {
		w.do(core.Tick{})
	}
}

// plan enters two records from a sheet, with blueprints whose pipelines are a build of Buildkite
// and projects of OpenTofu or Terraform.
func (w *walk) plan() {
	w.Helper()
	takes := map[fleet.Step]time.Duration{fleet.StepScaleSets: 4 * time.Minute, fleet.StepJoin: time.Minute, fleet.StepValidation: 2 * time.Minute, fleet.StepServices: time.Minute}
	meters := []fleet.Meter{{Meter: "standardNDSH200v5Family", PerNode: 96}, {Meter: "cores", PerNode: 96}}
	for _, b := range []fleet.Blueprint{
		{Name: "nd", Checkin: fleet.CheckinGit, Runner: "buildkite:acme/clusters"},
		{Name: "nd-tofu", Checkin: fleet.CheckinInventory, Runner: tofu.Word, Projects: []string{"network", "nodes"}},
	} {
		b.Version, b.Meters, b.Takes, b.Mode = 1, meters, takes, fleet.Enforce
		w.do(core.AddBlueprint{Blueprint: b})
	}
	records, wrong := sheet.ReadRecords([]byte(`name,provider,subscription,region,gpu,islands,priority,blueprint
lynx,azure,s1,east,h200,a:2 b:2,high,nd
puma,azure,s1,east,h200,a:2,mid,nd-tofu
`), nil)
	if len(wrong) > 0 {
		w.Fatal(wrong)
	}
	for _, r := range records {
		w.do(core.PlanCluster{Record: r.Record})
	}
	for _, m := range meters {
		w.world.SetCloud("s1", "east", fleet.CloudCount{Meter: m.Meter, Limit: 600})
	}
}

// Two clusters from a line in a sheet to production, and a gang that runs there: one with two
// touches, one with the entry alone. Azure's quota comes from the SDK's fake, builds from a
// stand-in that fails often; the repository is a bare one, and projects are applied by the real
// program. Scale sets, nodes, validation and services are simulated here.
func TestTwoTouches(t *testing.T) {
	began, w := time.Now(), newWalk(t)
	w.plan()
	w.until("a check-in that waits for its merge", func(s *fleet.State) bool {
		return s.Life("lynx").Step(fleet.StepCheckin).Operation.State == fleet.OperationSucceeded
	})
	w.git.merge("muster/lynx.checkin.g1.1")
	w.until("production", func(s *fleet.State) bool {
		return s.Life("lynx").Course.Produced != 0 && s.Life("puma").Course.Produced != 0
	})
	w.do(core.CreateQuota{Path: "oak"})
	w.do(core.SetGrant{Quota: "oak", Partition: "lynx/h200", GPUs: 16})
	gang := fleet.Spec{Name: "train", Namespace: "oak", Target: "oak", Partition: "lynx/h200", Priority: fleet.Mid}
	gang.Pools = []fleet.Pool{{Name: "w", GPUs: 8, Min: 2, Max: 2, Reach: fleet.ReachIsland}}
	w.do(core.Submit{Spec: gang})
	w.until("a gang that runs", func(s *fleet.State) bool { return s.Workload("oak", "train").InPhase(0, fleet.Running) == 2 })
	w.engine.Read(w.arrived)
	if n := w.builds.created(); n != 1 {
		t.Errorf("%d builds were created for one cluster", n)
	}
	t.Logf("walked in %s, %s of its own time; Buildkite was called %d times, and failed every third", time.Since(began).Round(time.Millisecond), w.now().Sub(w.began).Round(time.Second), w.builds.calls())
}

// arrived holds what each cluster installed, and what it asked of people.
func (w *walk) arrived(s *fleet.State) {
	for name, want := range map[string]struct{ installed, touches int }{"lynx": {32, 2}, "puma": {16, 1}} {
		l := s.Life(name)
		if got := s.Partition(name + "/h200").Tally().Installed; got != want.installed || len(l.Touches) != want.touches {
			w.Errorf("%s: %d GPUs installed, touches %+v", name, got, l.Touches)
		}
		knows, _ := l.Saw(fleet.StepDependencies)
		w.Logf("%s: in production %s after its entry, touches %d; %s", name, l.Course.Produced.Sub(w.began).Round(time.Second), len(l.Touches), knows.Detail)
	}
}
