package provision_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/simulated"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// flaky is a world that cannot be reached while it has an error, and that says a word in all its answers.
type flaky struct {
	*simulated.World
	err error
	say string
}

func (f *flaky) Find(ctx context.Context, o provision.Order) (provision.Report, bool, error) {
	if f.err != nil {
		return provision.Report{}, false, f.err
	}
	is, found, err := f.World.Find(ctx, o)
	is.Detail, is.Link = is.Detail+f.say, is.Link+f.say
	return is, found, err
}

func (f *flaky) Look(ctx context.Context, s provision.Subject) ([]fleet.StepEvidence, error) {
	seen, err := f.World.Look(ctx, s)
	for i := range seen {
		seen[i].Detail += f.say
	}
	return seen, err
}

// reach lets the process reach the world through f.
func (p *process) reach(f *flaky, mask func(string) string) {
	f.World = p.world
	p.runner = provision.New(provision.Options{
		Read: p.engine.Read, Providers: map[string]provision.Outside{"simulated": f}, Clouds: map[string]provision.Cloud{"simulated": p.world}, Mask: mask,
		Do: func(ctx context.Context, r core.Request) error { _, err := p.engine.Do(ctx, r); return err },
	})
}

func (p *process) waits() (message string) {
	p.engine.Read(func(s *fleet.State) {
		v := core.Look(s, s.Life("lynx"), p.now)
		if w := v.Waits(); w != nil {
			message = w.Message
		}
	})
	return message
}

// An outside that cannot be reached is said, with its own words, and nothing is begun blindly.
func TestWhatCannotBeReachedIsSaid(t *testing.T) {
	p := start(t)
	p.plan(t, "lynx", fleet.CheckinInventory)
	f := &flaky{err: errors.New("connection refused")}
	p.reach(f, nil)
	p.live(t, p.now.Add(time.Hour))
	if says := p.waits(); !strings.Contains(says, "connection refused") || len(p.world.Begun()) > 0 {
		t.Errorf("it says %q, and began %v", says, p.world.Begun())
	}
	f.err = nil
	p.live(t, p.now.Add(time.Hour))
	if n := p.world.Begun()["lynx.pipeline.g1.1"]; n != 1 {
		t.Errorf("reached again, the pipeline was begun %d times", n)
	}
}

// A step without an adapter waits for a person, is told once, and does not fill the log.
func TestAStepWithoutAnAdapterWaitsForAPerson(t *testing.T) {
	p := start(t)
	p.plan(t, "lynx", fleet.CheckinInventory)
	p.runner = provision.New(provision.Options{
		Read: p.engine.Read, Providers: map[string]provision.Outside{"simulated": provision.BySteps{fleet.StepCheckin: p.world}}, Clouds: map[string]provision.Cloud{"simulated": p.world},
		Do: func(ctx context.Context, r core.Request) error { _, err := p.engine.Do(ctx, r); return err },
	})
	p.live(t, p.now.Add(24*time.Hour))
	if says := p.waits(); !strings.Contains(says, "no adapter for step pipeline") || !strings.Contains(says, "muster cluster retry") {
		t.Errorf("it says %q", says)
	}
	told := 0
	p.entries(t, func(data []byte) { told += bytes.Count(data, []byte("operation.reported")) })
	if told != 1 {
		t.Errorf("it was reported %d times in a day", told)
	}
	p.do(t, core.SteerCluster{Cluster: "lynx", Do: core.Retire})
	p.live(t, p.now.Add(time.Hour))
	p.do(t, core.SteerCluster{Cluster: "lynx", Do: core.Confirm, Confirm: "lynx"})
	p.runner = provision.New(provision.Options{
		Read: p.engine.Read, Providers: map[string]provision.Outside{"simulated": p.world}, Clouds: map[string]provision.Cloud{"simulated": p.world},
		Do: func(ctx context.Context, r core.Request) error { _, err := p.engine.Do(ctx, r); return err },
	})
	p.live(t, p.now.Add(time.Hour))
	if begun := p.world.Begun(); begun["lynx.pipeline.g1.1"] != 0 {
		t.Errorf("a retired cluster began %v", begun)
	}
	p.engine.Read(func(s *fleet.State) {
		if s.Life("lynx").Course.Retired == 0 {
			v := core.Look(s, s.Life("lynx"), p.now)
			t.Errorf("it is not retired: %+v", v.Waits())
		}
	})
}

// entries shows every entry of the journal.
func (p *process) entries(t *testing.T, show func(data []byte)) {
	t.Helper()
	err := p.journal.Read(t.Context(), 1, func(e journal.Entry) error {
		plain, err := event.Unpack(e.Data)
		show(plain)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A secret that the outside says, in whatever it answers, is in no entry of the journal.
func TestSecretsAreInNoEntry(t *testing.T) {
	const planted = "planted-secret-93b1"
	p := start(t)
	p.plan(t, "lynx", fleet.CheckinInventory)
	f := &flaky{err: errors.New("no rights for " + planted), say: " with " + planted}
	p.reach(f, provision.Masker("", "x", planted))
	p.live(t, p.now.Add(time.Hour))
	f.err = nil
	p.live(t, p.now.Add(6*time.Hour))
	masked := 0
	p.entries(t, func(data []byte) {
		if bytes.Contains(data, []byte(planted)) {
			t.Errorf("an entry holds the secret: %.200s", data)
		}
		masked += bytes.Count(data, []byte("***"))
	})
	if masked < 5 {
		t.Errorf("only %d texts were masked: the test planted nothing", masked)
	}
}

// busy is a cloud that wants to be left alone for a time.
type busy struct {
	after time.Duration
	asked int
}

func (b *busy) Counts(context.Context, string, string) ([]fleet.CloudCount, error) {
	b.asked++
	return nil, &provision.Refused{Class: fleet.ErrorWait, After: b.after, Err: errors.New("429 too many requests")}
}

// A cloud that says when it wants to be asked again is asked then, and what it said is told.
func TestACloudIsLeftAloneAsLongAsItAsks(t *testing.T) {
	p := start(t)
	p.plan(t, "lynx", fleet.CheckinInventory)
	b := &busy{after: 20 * time.Minute}
	p.runner = provision.New(provision.Options{
		Read: p.engine.Read, Providers: map[string]provision.Outside{"simulated": p.world}, Clouds: map[string]provision.Cloud{"simulated": b},
		Do: func(ctx context.Context, r core.Request) error { _, err := p.engine.Do(ctx, r); return err },
	})
	p.live(t, p.now.Add(time.Hour))
	if b.asked < 3 || b.asked > 4 {
		t.Errorf("asked %d times in an hour", b.asked)
	}
	if says := p.waits(); !strings.Contains(says, "429 too many requests") {
		t.Errorf("it says %q", says)
	}
}

// A meter that the cloud does not count is the blueprint's mistake, and is said so.
func TestAMeterThatTheCloudDoesNotCountIsSaid(t *testing.T) {
	p := start(t)
	p.do(t, core.AddBlueprint{Blueprint: fleet.Blueprint{
		Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "h200", PerNode: 96}, {Meter: "h2oo", PerNode: 96}}, Checkin: fleet.CheckinInventory, Takes: takes,
	}})
	p.world.SetCloud("s1", "east", fleet.CloudCount{Meter: "h200", Limit: 10_000})
	p.do(t, core.PlanCluster{Record: fleet.ClusterRecord{
		Name: "lynx", Subscription: "s1", Region: "east", GPU: "h200", Priority: fleet.Mid, Blueprint: "nd", Islands: []fleet.RecordIsland{{Name: "a", Nodes: 2}},
	}})
	p.live(t, p.now.Add(time.Hour))
	if says := p.waits(); !strings.Contains(says, "counts no meter h2oo in s1/east") || !strings.Contains(says, "blueprint nd") {
		t.Errorf("it says %q", says)
	}
}

// A cloud that this server cannot count is said once, and what a person may do about it.
func TestAnAccountThatNobodyCountsIsSaid(t *testing.T) {
	p := start(t)
	p.plan(t, "lynx", fleet.CheckinInventory)
	p.runner = provision.New(provision.Options{
		Read: p.engine.Read, Providers: map[string]provision.Outside{"simulated": p.world},
		Do: func(ctx context.Context, r core.Request) error { _, err := p.engine.Do(ctx, r); return err },
	})
	p.live(t, p.now.Add(time.Hour))
	if says := p.waits(); !strings.Contains(says, "does not count quota of provider simulated") || !strings.Contains(says, "muster cluster quota") {
		t.Errorf("it says %q", says)
	}
	told := 0
	p.entries(t, func(data []byte) { told += bytes.Count(data, []byte("cloud.counted")) })
	if told != 1 {
		t.Errorf("it was reported %d times in an hour", told)
	}
	p.do(t, core.SteerCluster{Cluster: "lynx", Do: core.Quota})
	p.live(t, p.now.Add(6*time.Hour))
	if says := p.waits(); says != "" {
		t.Errorf("once a person said that the cores are there, it waits: %s", says)
	}
}

// An operation of which the outside says that something has happened is looked at now; what
// it said of others, or of none, costs nothing.
func TestANudgedOperationIsLookedAtNow(t *testing.T) {
	p := start(t)
	p.plan(t, "lynx", fleet.CheckinInventory)
	p.live(t, p.now.Add(time.Minute))
	var id string
	p.engine.Read(func(s *fleet.State) { id = s.Life("lynx").Step(fleet.StepPipeline).Operation.ID })
	before := p.runner.Due()
	p.runner.Nudge("puma.pipeline.g1.1")
	if due := p.runner.Due(); due != before || due <= p.now {
		t.Fatalf("another's operation: due at %s, before %s, now %s", due.Time(), before.Time(), p.now.Time())
	}
	p.runner.Nudge(id)
	if due := p.runner.Due(); due > p.now {
		t.Errorf("nudged, %s is due only at %s", id, due.Time())
	}
}

// A cluster whose machines people bring comes into production by their word alone, step by
// step, each of them a touch; and it stays there.
func TestAClusterIsBuiltByHand(t *testing.T) {
	p := start(t)
	p.do(t, core.AddBlueprint{Blueprint: fleet.Blueprint{
		Name: "racks", Version: 1, Meters: []fleet.Meter{{Meter: "h200", PerNode: 96}}, Checkin: fleet.CheckinPerson, Takes: takes,
	}})
	p.do(t, core.PlanCluster{Record: fleet.ClusterRecord{
		Name: "lynx", Provider: fleet.ProviderHand, Subscription: "rack-7", Region: "cellar", GPU: "h200", Priority: fleet.Mid, Blueprint: "racks", Islands: []fleet.RecordIsland{{Name: "a", Nodes: 2}},
	}})
	p.runner = provision.New(provision.Options{
		Read: p.engine.Read, Providers: map[string]provision.Outside{fleet.ProviderHand: provision.WithHands(nil)},
		Do: func(ctx context.Context, r core.Request) error { _, err := p.engine.Do(ctx, r); return err },
	})
	say := func(c core.Command) {
		t.Helper()
		p.do(t, c)
		p.live(t, p.now.Add(time.Hour))
	}
	p.live(t, p.now.Add(time.Hour))
	say(core.SteerCluster{Cluster: "lynx", Do: core.Quota})
	say(core.CheckIn{Cluster: "lynx"})
	for _, step := range []fleet.Step{fleet.StepPipeline, fleet.StepScaleSets, fleet.StepJoin, fleet.StepValidation, fleet.StepServices} {
		if says := p.waits(); !strings.Contains(says, "muster cluster unblock lynx --step "+string(step)) {
			t.Errorf("before %s it says %q", step, says)
		}
		say(core.SteerCluster{Cluster: "lynx", Do: core.Unblock, Step: step})
	}
	p.live(t, p.now.Add(24*time.Hour))
	p.engine.Read(func(s *fleet.State) {
		l := s.Life("lynx")
		if v := core.Look(s, l, p.now); l.Course.Produced == 0 || v.Waits() != nil && !v.Degraded {
			t.Errorf("produced at %d, waits for %+v", l.Course.Produced, v.Waits())
		}
		if len(l.Touches) != 8 {
			t.Errorf("%d touches: %+v", len(l.Touches), l.Touches)
		}
	})
}

// blind is an outside that cannot see its steps.
type blind struct{ *simulated.World }

func (blind) Find(context.Context, provision.Order) (provision.Report, bool, error) {
	return provision.Report{}, false, errors.New("500 conversion webhook")
}

func (blind) Look(context.Context, provision.Subject) ([]fleet.StepEvidence, error) {
	return nil, errors.New("500 conversion webhook")
}

// An adapter that cannot see its step makes that one unknown in time, and no other.
func TestWhatOneAdapterCannotSeeLeavesTheOthers(t *testing.T) {
	p := start(t)
	p.plan(t, "lynx", fleet.CheckinInventory)
	p.live(t, p.now.Add(24*time.Hour))
	by := provision.BySteps{}
	for _, step := range fleet.Steps() {
		by[step] = p.world
	}
	by[fleet.StepScaleSets] = blind{p.world}
	p.runner = provision.New(provision.Options{
		Read: p.engine.Read, Providers: map[string]provision.Outside{"simulated": by}, Clouds: map[string]provision.Cloud{"simulated": p.world},
		Do: func(ctx context.Context, r core.Request) error { _, err := p.engine.Do(ctx, r); return err },
	})
	p.live(t, p.now.Add(2*time.Hour))
	p.engine.Read(func(s *fleet.State) {
		v := core.Look(s, s.Life("lynx"), p.now)
		for _, c := range v.Conditions {
			if want := c.Type != fleet.InfrastructureReady; c.Holds() != want || !want && c.Status != fleet.StatusUnknown {
				t.Errorf("%s is %s: %s", c.Type, c.Status, c.Message)
			}
		}
	})
}
