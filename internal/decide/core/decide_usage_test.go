package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A job is idle, then busy, then hung; a report that says nothing new writes nothing.
func TestWhatIsMeasuredIsKeptSinceWhen(t *testing.T) {
	s, at := fleet.NewState(), fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	do := func(c core.Command) int {
		t.Helper()
		out, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, at)
		if refusal != nil {
			t.Fatal(refusal)
		}
		return len(out.Record.Events)
	}
	do(core.AddCluster{Name: "tiger"})
	do(core.AddPartition{Cluster: "tiger", GPU: "h200"})
	do(core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "i1", Nodes: 2}}})
	do(core.Submit{Spec: fleet.Spec{
		Name: "a", Namespace: "oak", Target: fleet.Flex, Priority: fleet.Mid,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}},
	}})
	w := s.Workload("oak", "a")
	measure := func(sm, tensor, network fleet.Permille) int {
		return do(core.MeasureUsage{Of: []core.Measured{{Namespace: "oak", Name: "a", SM: sm, Tensor: tensor, Network: network}}})
	}
	for _, step := range []struct {
		after               time.Duration
		sm, tensor, network fleet.Permille
		events              int
		idle, still         time.Duration // an hour later
	}{
		{time.Hour, 10, fleet.Unmeasured, fleet.Unmeasured, 1, time.Hour, 0},
		{time.Hour, 20, fleet.Unmeasured, fleet.Unmeasured, 0, 2 * time.Hour, 0},
		{time.Hour, 980, 600, 300, 1, 0, 0},
		{time.Hour, 990, 10, 10, 1, 0, time.Hour},
		{time.Hour, 995, 20, 0, 0, 0, 2 * time.Hour},
		{time.Hour, 995, 20, 300, 1, 0, 0},
	} {
		at = at.Add(step.after)
		if got := measure(step.sm, step.tensor, step.network); got != step.events {
			t.Errorf("%+v wrote %d events", step, got)
		}
		then := at.Add(time.Hour)
		if w.IdleFor(then) != step.idle || w.StillFor(then) != step.still {
			t.Errorf("%+v: idle for %v, still for %v", step, w.IdleFor(then), w.StillFor(then))
		}
	}
	if _, refusal := core.Step(s, core.Request{Command: core.MeasureUsage{Of: []core.Measured{{Namespace: "oak", Name: "a", SM: 1001}}}, Actor: core.System}, at); refusal == nil {
		t.Error("an activity of 1001 thousandths was taken")
	}
}
