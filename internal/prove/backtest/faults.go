package backtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/prove/trace"
)

// Fleet is what a fault file says of so many nodes, some of which it never names.
type Fleet struct {
	Nodes, Hours int
	down         [][]stretch // of each node, in order of time, without overlaps
	racks        [][]int     // the nodes of each rack; none: the file says nothing of racks
}

type stretch struct{ from, to time.Duration }

// NewFleet lays a fault file on nodes. 0 nodes are those that the file names; 0
// hours end with the last full day in which a fault begins.
func NewFleet(faults []trace.Fault, nodes, hours int) (Fleet, error) {
	servers := map[string]int{}
	var down [][]stretch
	last := time.Duration(0)
	for _, f := range faults {
		at, known := servers[f.Server]
		if !known {
			at = len(down)
			servers[f.Server], down = at, append(down, nil)
		}
		down[at] = append(down[at], stretch{f.Start, f.End})
		last = max(last, f.Start)
	}
	if nodes == 0 {
		nodes = len(down)
	}
	if nodes < len(down) {
		return Fleet{}, fmt.Errorf("the file names %d servers, more than %d nodes; give at least as many", len(down), nodes)
	}
	if hours == 0 {
		hours = 24 * int(math.Ceil(last.Hours()/24))
	}
	f := Fleet{Nodes: nodes, Hours: hours, down: make([][]stretch, nodes)}
	for i, list := range down {
		f.down[i] = union(list)
	}
	f.racks = racksOf(faults, servers, nodes)
	return f, nil
}

// union joins stretches that overlap: a node is down once, whatever is wrong with it.
func union(list []stretch) []stretch {
	slices.SortFunc(list, func(a, b stretch) int { return int(a.from - b.from) })
	var out []stretch
	for _, s := range list {
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// Pools parts the fleet into islands of so many nodes (what is left over is no
// island), drawn by a seed, for a file does not say which servers stand together, but in
// racks at most: those stay together.
func (f Fleet) Pools(size int, seed uint64) []Pool {
	order, rackOf := f.order(rand.New(rand.NewPCG(seed, 1)))
	var pools []Pool
	for first := 0; first+size <= f.Nodes; first += size {
		changes := []change{{nodes: size}}
		for _, node := range order[first : first+size] {
			for _, s := range f.down[node] {
				changes = append(changes, change{at: s.from, down: 1}, change{at: s.to, down: -1})
			}
		}
		pools = append(pools, Pool{
			Name: fmt.Sprintf("%d nodes, island %d", size, len(pools)+1), GPUsPerNode: 8, Racks: racksIn(rackOf, order[first:first+size]), Hours: hours(changes, f.Hours),
		})
	}
	for i, rate := 0, rates(pools); i < len(pools); i++ {
		pools[i].Rate = rate
	}
	return pools
}
