package invariant

import "github.com/muster-fleet/muster/internal/state/fleet"

const (
	ruleWhole = "a gang is whole, being mended, or not running" // semantics §10.3
	ruleReach = "a pool stands within its reach"                // §1
	ruleMax   = "a pool has at most its replicas"
)

// gangs asks of every pool of a workload that it is as many and as close as it must be.
func (c *checker) gangs(p *fleet.Partition, w *fleet.Workload) {
	for i, pool := range w.Pools {
		if n := w.Stays(i); n > pool.Max {
			c.broken(ruleMax, "%s: pool %s has %d replicas of at most %d", called(w), pool.Name, n, pool.Max)
		}
		if !pool.Elastic && !c.wholeOrMending(p, w, i) {
			c.broken(ruleWhole, "%s: pool %s runs %d, reserves %d, leaves %d of %d", called(w), pool.Name,
				w.InPhase(i, fleet.Running), w.InPhase(i, fleet.Reserved), w.InPhase(i, fleet.Leaving), pool.Min)
		}
		c.reach(p, w, i)
	}
}

// wholeOrMending: all replicas stay or none does. While nothing is decided a
// gang may wait for its mending.
func (c *checker) wholeOrMending(p *fleet.Partition, w *fleet.Workload, pool int) bool {
	stays := w.Stays(pool)
	if stays == 0 || stays == w.Pools[pool].Min {
		return true
	}
	if w.Pools[pool].Rank == w.BaseRank() {
		return !deciding(p) && (w.State == fleet.Mending || w.State == fleet.Starting)
	}
	return !deciding(p)
}

func (c *checker) reach(p *fleet.Partition, w *fleet.Workload, pool int) {
	reach, first := w.Pools[pool].Reach, -1
	if reach == fleet.ReachAny {
		return
	}
	for _, r := range w.Replicas[pool] {
		if r.Phase == fleet.Leaving {
			continue
		}
		if first < 0 {
			first = r.Node
		}
		a, b := p.Nodes[first], p.Nodes[r.Node]
		if a.Island != b.Island || (reach == fleet.ReachRack && a.Rack != b.Rack) {
			c.broken(ruleReach, "%s: pool %s, reach %s, stands on %s and %s", called(w), w.Pools[pool].Name, reach, a.Name, b.Name)
			return
		}
	}
}
