package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A cluster has the fleet's targets except for those that it has of its own.
func TestAClusterHasTargetsOfItsOwn(t *testing.T) {
	s := fleet.NewState()
	do := func(c core.Command) (core.Outcome, *core.Refusal) {
		return core.Step(s, core.Request{Command: c, Actor: core.System}, 1)
	}
	own := core.SetTargets{Cluster: "tiger", Targets: fleet.Targets{Uptime: 980}}
	if _, refusal := do(own); refusal == nil || refusal.Code != core.NoSuchCluster {
		t.Errorf("targets for a cluster that is not there: %v", refusal)
	}
	for _, c := range []core.Command{core.AddCluster{Name: "tiger"}, core.AddCluster{Name: "lion"}, own} {
		if _, refusal := do(c); refusal != nil {
			t.Fatal(refusal.Message)
		}
	}
	if out, _ := do(own); len(out.Record.Events) > 0 {
		t.Error("the same targets again are news")
	}
	if _, refusal := do(core.SetTargets{Cluster: "tiger", Targets: fleet.Targets{MTTR: -1}}); refusal == nil {
		t.Error("a negative time to repair is taken")
	}
	policy := s.Policy
	policy.Targets.Uptime, policy.Targets.MTTR = 950, time.Hour
	if _, refusal := do(core.SetPolicy{Policy: policy}); refusal != nil {
		t.Fatal(refusal.Message)
	}
	want := fleet.Targets{Availability: 950, Uptime: 980, MTTR: time.Hour}
	if got := s.TargetsOf("tiger"); got != want {
		t.Errorf("tiger shall attain %+v, want %+v", got, want)
	}
	want.Uptime = 950
	if got := s.TargetsOf("lion"); got != want {
		t.Errorf("lion shall attain %+v, want %+v", got, want)
	}
}
