package maintenance

import (
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The first of several soaks to end is named; canaries of other configurations do not count.
func TestTheFirstSoakToEndIsNamed(t *testing.T) {
	trials := []fleet.Trial{
		{GPU: "g", Hash: "x"},
		{GPU: "g", Hash: "x", Until: 30},
		{GPU: "g", Hash: "x", Until: 20},
		{GPU: "g", Hash: "x", Until: 40},
		{GPU: "g", Hash: "x", Until: 5, Ended: true, Passed: true},
		{GPU: "g", Hash: "y", Until: 10},
		{GPU: "h", Hash: "x", Until: 10},
	}
	r := &fleet.Rollout{RolloutLife: fleet.RolloutLife{Trials: trials}}
	if under, passed, until := soaking(r, "g", "x"); under != 4 || passed != 1 || until != 20 {
		t.Errorf("%d under way, %d passed, the first ends at %d", under, passed, until)
	}
	if under, passed, until := soaking(r, "g", "z"); under+passed != 0 || until != 0 {
		t.Errorf("of no canary: %d under way, %d passed, the first ends at %d", under, passed, until)
	}
}

// A node on which several pools of a workload stand is named once, and nodes come in order.
func TestNodesOfAWorkloadAreNamedOnceAndInOrder(t *testing.T) {
	w := &fleet.Workload{Replicas: [][]fleet.Replica{{{Node: 7}, {Node: 2}}, {{Node: 7}, {Node: 1}}}}
	if got := nodesOf(w); !slices.Equal(got, []int{1, 2, 7}) {
		t.Errorf("got %v", got)
	}
}
