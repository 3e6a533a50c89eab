package fleet_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// An incident of one island touches the work there, and not that of the next one.
func TestAnIncidentTouchesTheWorkInItsScope(t *testing.T) {
	s := fleet.NewState()
	s.AddCluster(fleet.Cluster{Name: "tiger", Mode: fleet.Enforce})
	s.AddPartition("tiger", "h200", 8)
	p := s.Partition("tiger/h200")
	for i, name := range []string{"a", "b"} {
		p.AddIsland(name, 1)
		p.AddNode("n-"+name, i, 0, 0)
	}
	w := s.AddWorkload(1, fleet.Spec{
		Name: "w", Namespace: "oak", Target: fleet.Flex, Priority: fleet.Mid,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}},
	}, 1)
	s.Place(w, p, []fleet.Spot{{Pool: 0, Nodes: []int{1}}}, fleet.Running, fleet.HoldsFlex)
	for _, one := range []struct {
		incident fleet.Incident
		want     bool
	}{
		{fleet.Incident{}, true},
		{fleet.Incident{Scope: "tiger"}, true},
		{fleet.Incident{Scope: "lion"}, false},
		{fleet.Incident{Scope: "tiger/h200"}, true},
		{fleet.Incident{Scope: "tiger/h200/b"}, true},
		{fleet.Incident{Scope: "tiger/h200/a"}, false},
		{fleet.Incident{Scope: "tiger/h200", Nodes: []string{"n-b"}}, true},
		{fleet.Incident{Scope: "tiger/h200", Nodes: []string{"n-a"}}, false},
		{fleet.Incident{Nodes: []string{"n-a"}}, false},
	} {
		if got := one.incident.TouchesWork(w); got != one.want {
			t.Errorf("%+v touches work on n-b: %v, want %v", one.incident, got, one.want)
		}
	}
}
