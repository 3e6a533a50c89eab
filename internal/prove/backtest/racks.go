package backtest

import (
	"math/rand/v2"

	"github.com/muster-fleet/muster/internal/prove/trace"
)

// racksOf lays nodes in the racks that a fault file names.
func racksOf(faults []trace.Fault, servers map[string]int, nodes int) [][]int {
	names := make([]string, nodes)
	for name, at := range servers {
		names[at] = name
	}
	return trace.Racks(faults, names)
}

// order draws in which order the nodes make islands, and says which rack each stands in;
// nil: that is not known.
func (f Fleet) order(r *rand.Rand) (order, rackOf []int) {
	if len(f.racks) == 0 {
		return r.Perm(f.Nodes), nil
	}
	rackOf = make([]int, f.Nodes)
	for _, k := range r.Perm(len(f.racks)) {
		for _, node := range f.racks[k] {
			order, rackOf[node] = append(order, node), k
		}
	}
	return order, rackOf
}

// racksIn counts the racks of some nodes; 1 where they are not known.
func racksIn(rackOf, nodes []int) int {
	if rackOf == nil {
		return 1
	}
	seen := map[int]bool{}
	for _, node := range nodes {
		seen[rackOf[node]] = true
	}
	return len(seen)
}
