package invariant

import (
	"maps"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

const (
	ruleOwnCover  = "guaranteed work stands inside its quota's backing" // semantics §3
	ruleTreeCover = "borrowing work stands inside its tree's backing"   // §3
	ruleHolds     = "a unit holds its GPUs in one way, fit for its target"
)

// covers asks that guaranteed work fits its quota's backing, and guaranteed and
// borrowing work together their tree's: in GPUs, and in nodes of each island.
func (c *checker) covers(p *fleet.Partition) {
	trees := map[string]*footprint{}
	for _, a := range p.Accounts {
		own := newFootprint(p)
		if trees[a.Tree()] == nil {
			trees[a.Tree()] = newFootprint(p)
		}
		for _, w := range a.Work() {
			own.add(w, fleet.HoldsGuaranteed)
			trees[a.Tree()].add(w, fleet.HoldsGuaranteed, fleet.HoldsBorrowing)
		}
		c.within(ruleOwnCover, "guaranteed work of "+a.Quota, own, func(i int) int { return a.Backing[i] })
	}
	for _, tree := range slices.Sorted(maps.Keys(trees)) {
		c.within(ruleTreeCover, "guaranteed and borrowing work of tree "+tree, trees[tree], func(i int) int { return p.TreeOf(tree).Backing(i) })
	}
}

func (c *checker) within(rule, whose string, f *footprint, backing func(island int) int) {
	all := 0
	for i, touched := range f.islands() {
		c.atMost(rule, "nodes touched by ", whose+" in "+f.p.Islands[i].Name, touched, backing(i))
		all += backing(i)
	}
	c.atMost(rule, "GPUs of ", whose, f.gpus, all*f.p.GPUsPerNode)
}

// footprint is what some replicas take: GPUs, and the nodes they touch.
type footprint struct {
	p    *fleet.Partition
	gpus int
	on   map[int]bool
}

func newFootprint(p *fleet.Partition) *footprint { return &footprint{p: p, on: map[int]bool{}} }

// add counts the staying replicas of a workload that hold GPUs in one of these ways.
func (f *footprint) add(w *fleet.Workload, ways ...fleet.HeldAs) {
	for i, replicas := range w.Replicas {
		for _, r := range replicas {
			if r.Phase != fleet.Leaving && oneOf(r.HeldAs, ways) {
				f.gpus += w.Pools[i].GPUs
				f.on[r.Node] = true
			}
		}
	}
}

func oneOf(h fleet.HeldAs, ways []fleet.HeldAs) bool {
	for _, way := range ways {
		if h == way {
			return true
		}
	}
	return false
}

func (f *footprint) islands() []int {
	touched := make([]int, len(f.p.Islands))
	for node := range f.on {
		touched[f.p.Nodes[node].Island]++
	}
	return touched
}

// units asks that the replicas of a workload hold their GPUs as its target
// allows, and that those which start and stop as one hold them in one way.
func (c *checker) units(w *fleet.Workload) {
	base, first := w.BaseRank(), fleet.NoHolds
	for i, pool := range w.Pools {
		mine, seen := fleet.NoHolds, 0
		for _, r := range w.Replicas[i] {
			if r.Phase == fleet.Leaving {
				continue
			}
			if (r.HeldAs == fleet.HoldsFlex) != w.Flexes() || r.HeldAs == fleet.NoHolds {
				c.broken(ruleHolds, "%s targets %s and holds GPUs as %q", called(w), w.Target, r.HeldAs)
			}
			if seen++; seen > pool.Min {
				continue // each replica above min is a unit of its own
			}
			before := &mine
			if pool.Rank == base {
				before = &first
			}
			if *before != fleet.NoHolds && *before != r.HeldAs {
				c.broken(ruleHolds, "%s: pool %s holds GPUs as %s and as %s", called(w), pool.Name, *before, r.HeldAs)
			}
			*before = r.HeldAs
		}
	}
}
