package haircut

import (
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A policy that learns allows less the more nodes are down. For shares of quota it counts as if none
// were: of ten nodes three are down and five sustainable, so eight would be.
func TestAPolicyThatLearnsAllowsMoreWereNoNodeDown(t *testing.T) {
	s := fleet.NewState()
	s.AddCluster(fleet.Cluster{Name: "t"})
	s.AddPartition("t", "g", 8)
	p := s.Partition("t/g")
	for i, island := range []string{"a", "b"} {
		p.AddIsland(island, 1)
		for k := range 5 {
			p.AddNode(island+string(rune('0'+k)), i, 0, 1)
		}
	}
	for _, down := range []int{0, 1, 7} {
		p.SetNode(down, fleet.Quarantined, 0, "", 1)
	}
	for sustainable, want := range map[int]int{5: 8000, 7: 10000, 0: 3000} {
		if got := (nodes{installed: 10, sustainable: sustainable}).learning(p).allowed; got != want {
			t.Errorf("%d sustainable: %d thousandths of a node are allowed, want %d", sustainable, got, want)
		}
	}
}
