package clusterlife_test

import (
	"maps"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/clusterlife"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// While a person's mend is waited for, the date of production stands: it is of when they were
// asked, and is late once it is past. When they have acted it is of now again.
func TestADateStandsWhileAPersonIsWaitedFor(t *testing.T) {
	s, now := fleet.NewState(), fleet.InstantOf(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	do := func(c core.Command) {
		t.Helper()
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.Actor{Name: "user:ada", User: "ada", Operator: true}}, now); refusal != nil {
			t.Fatal(refusal)
		}
	}
	takes := map[fleet.Step]time.Duration{fleet.StepPipeline: time.Hour, fleet.StepScaleSets: time.Hour, fleet.StepJoin: time.Hour, fleet.StepValidation: time.Hour, fleet.StepServices: time.Hour}
	do(core.AddBlueprint{Blueprint: fleet.Blueprint{Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "nd", PerNode: 10}}, Checkin: fleet.CheckinInventory, Takes: takes}})
	do(core.PlanCluster{Record: fleet.ClusterRecord{Name: "lynx", Subscription: "s", Region: "east", GPU: "h200", Priority: fleet.Mid, Blueprint: "nd", Islands: []fleet.RecordIsland{{Name: "a", Nodes: 1}}}})
	do(core.ReportCounts{Subscription: "s", Region: "east", Counts: []fleet.CloudCount{{Meter: "nd", Limit: 100}}})
	fails := func() {
		now = now.Add(10 * time.Minute)
		op := s.Life("lynx").Step(fleet.StepPipeline).Operation
		do(core.ReportOperation{Cluster: "lynx", Step: fleet.StepPipeline, ID: op.ID, State: fleet.OperationFailed, Class: fleet.ErrorFix, Error: "variable zone is not set"})
	}
	fails()
	asked := clusterlife.Of(s, s.Life("lynx"), now)
	if !asked.Person() || asked.Verdict.InProduct.P90 == 0 || asked.Verdict.InProduct.Late {
		t.Fatalf("%+v", asked.Verdict.InProduct)
	}
	for _, after := range []time.Duration{time.Hour, 3 * time.Hour, 30 * time.Hour} {
		is := clusterlife.Of(s, s.Life("lynx"), now.Add(after))
		was := asked.Verdict.InProduct
		if got := is.Verdict.InProduct; got.P50 != was.P50 || got.P90 != was.P90 || got.Late != (was.P90 < now.Add(after)) || got.Late != is.Late() && got.Late {
			t.Errorf("%s after the person was asked production is to be at %+v, and was to be at %+v", after, got, was)
		}
	}
	now = now.Add(30 * time.Hour)
	do(core.SteerCluster{Cluster: "lynx", Do: core.Retry})
	if is := clusterlife.Of(s, s.Life("lynx"), now); is.Verdict.InProduct.P50 < now || is.Verdict.InProduct.Late {
		t.Errorf("a person has acted at %v, and production is to be at %+v", now.Time(), is.Verdict.InProduct)
	}
}

// When a cluster should be in production is known only where it is known of each step that is left how long it takes.
func TestADateNeedsTheLengthOfEveryStep(t *testing.T) {
	takes := map[fleet.Step]time.Duration{fleet.StepPipeline: time.Hour, fleet.StepScaleSets: time.Hour, fleet.StepJoin: time.Hour, fleet.StepValidation: time.Hour, fleet.StepServices: time.Hour}
	if !dated(t, takes) {
		t.Error("all steps have a length, and no date is known")
	}
	for step := range takes {
		less := maps.Clone(takes)
		if delete(less, step); dated(t, less) {
			t.Errorf("a date is known, and it is not known how long step %s takes", step)
		}
	}
}

// dated says whether a cluster that was just planned has a date of production.
func dated(t *testing.T, takes map[fleet.Step]time.Duration) bool {
	t.Helper()
	s, now := fleet.NewState(), fleet.InstantOf(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	for _, c := range []core.Command{
		core.AddBlueprint{Blueprint: fleet.Blueprint{Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "nd", PerNode: 10}}, Checkin: fleet.CheckinInventory, Takes: takes}},
		core.PlanCluster{Record: fleet.ClusterRecord{Name: "lynx", Subscription: "s", Region: "east", GPU: "h200", Priority: fleet.Mid, Blueprint: "nd", Islands: []fleet.RecordIsland{{Name: "a", Nodes: 1}}}},
		core.ReportCounts{Subscription: "s", Region: "east", Counts: []fleet.CloudCount{{Meter: "nd", Limit: 100}}},
	} {
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.Actor{Name: "user:ada", User: "ada", Operator: true}}, now); refusal != nil {
			t.Fatal(refusal)
		}
	}
	return clusterlife.Of(s, s.Life("lynx"), now).Verdict.InProduct.P90 != 0
}
