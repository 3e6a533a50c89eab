package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mendGangs swaps the nodes that a gang has lost for others in its reach; a
// gang that cannot be mended goes back to its queue.
func (pl *Planner) mendGangs() (Plan, bool) {
	for _, w := range mendOrder(pl.p.Broken()) {
		if w.State == fleet.Mending && lostBase(w) {
			return returnToQueue(w), true
		}
		for i, pool := range w.Pools {
			base, stays := pool.Rank == w.BaseRank(), w.Stays(i)
			if pool.Elastic || stays >= pool.Min || !base && stays == 0 {
				continue
			}
			if plan, ok := pl.mendOrReturn(w, i); ok {
				return plan, true
			}
		}
	}
	return Plan{}, false
}

// mendOrder is the order in which broken gangs get nodes: by how they hold their GPUs, the
// best first, and then by their quota's order. The first could else evict for its
// own mend what was mended before it.
func mendOrder(broken []*fleet.Workload) []*fleet.Workload {
	if len(broken) < 2 {
		return broken
	}
	return slices.SortedStableFunc(slices.Values(broken), byStanding)
}

// mendOrReturn mends a gang that stands without being whole, or sends it back to
// its queue: the whole workload where it is one of its lowest-rank pools. false: it is not asked now.
func (pl *Planner) mendOrReturn(w *fleet.Workload, pool int) (Plan, bool) {
	switch {
	case pl.Unmendable[Part{w.ID, pool}]:
	case pl.isWithheld(w, pool):
		return Plan{}, false
	case w.PoolHeldAs(pool) != fleet.NoHolds:
		if plan, ok := pl.mend(w, pool); ok {
			return plan, true
		}
	}
	if w.Pools[pool].Rank == w.BaseRank() {
		return returnToQueue(w), true
	}
	return returnPoolToQueue(w, pool), true
}

// lostBase says whether nothing runs any more of the pools that must run together.
func lostBase(w *fleet.Workload) bool {
	for i, p := range w.Pools {
		if p.Rank == w.BaseRank() && w.InPhase(i, fleet.Running) > 0 {
			return false
		}
	}
	return true
}

// mend finds nodes for a gang's lost replicas where its quota's or tree's backing covers
// them: free ones, the lost nodes' islands first, else those of the cheapest victims. Work
// that no backing covers is mended from free and flex nodes, flex work from free ones. A guaranteed gang
// takes a node of its own backing from flex work before it borrows a free one.
func (pl *Planner) mend(w *fleet.Workload, pool int) (plan Plan, ok bool) {
	covered, rest := mendsAs(w.PoolHeldAs(pool))
	islands := append(pl.lostIslands(w, pool), anyIsland)
	if plan, ok = pl.mendOnFreeOrFlex(w, pool, covered, islands); !ok {
		plan, ok = pl.mendByPreemption(w, pool, covered, islands)
	}
	if !ok {
		plan, ok = pl.mendOnFree(w, pool, rest, islands)
	}
	if !ok {
		plan, ok = pl.mendByPreemption(w, pool, rest, islands)
	}
	plan.Kind = Mend
	return plan, ok
}

// mendOnFreeOrFlex mends a gang on free nodes or at the cost of flex work alone: where it lost nodes first, and elsewhere in
// the best way first. The last of the islands is any.
func (pl *Planner) mendOnFreeOrFlex(w *fleet.Workload, pool int, ways []fleet.HeldAs, islands []int) (Plan, bool) {
	lost := islands[:len(islands)-1]
	if plan, ok := pl.mendOnFree(w, pool, ways, lost); ok {
		return plan, true
	}
	for i := range ways {
		if plan, ok := pl.mendOnFree(w, pool, ways[i:i+1], islands); ok {
			return plan, true
		}
		if plan, ok := pl.mendByPreemption(w, pool, ways[i:i+1], islands); ok && dearestClass(plan) == ClassFlex {
			return plan, true
		}
	}
	return Plan{}, false
}

// mendsAs lists in which ways a gang that holds its GPUs in some way may be mended, the
// best first: those that backing covers, and those without.
func mendsAs(holds fleet.HeldAs) (covered, rest []fleet.HeldAs) {
	if holds == fleet.HoldsFlex {
		return nil, []fleet.HeldAs{fleet.HoldsFlex}
	}
	covered = []fleet.HeldAs{fleet.HoldsGuaranteed, fleet.HoldsBorrowing}
	return covered[holds-fleet.HoldsGuaranteed:], []fleet.HeldAs{fleet.HoldsUnprotected}
}

// mendOnFree mends a gang on free nodes, island by island.
func (pl *Planner) mendOnFree(w *fleet.Workload, pool int, ways []fleet.HeldAs, islands []int) (Plan, bool) {
	for _, island := range islands {
		for _, holds := range ways {
			if c, ok := pl.mendClaim(w, pool, holds, island); ok && pl.countsWithout(c, 0) {
				if plan, ok := pl.placeOnFree(c); ok {
					return plan, true
				}
			}
		}
	}
	return Plan{}, false
}

// mendByPreemption mends a gang at the cost of the cheapest class of victims, in the first
// island where those are enough.
func (pl *Planner) mendByPreemption(w *fleet.Workload, pool int, ways []fleet.HeldAs, islands []int) (best Plan, found bool) {
	for _, holds := range ways {
		for _, island := range islands {
			c, ok := pl.mendClaim(w, pool, holds, island)
			if !ok {
				continue
			}
			if plan, ok := pl.preemptForMend(c); ok && (!found || dearestClass(plan) < dearestClass(best)) {
				best, found = plan, true
			}
		}
		if found {
			return best, true
		}
	}
	return Plan{}, false
}

// anyIsland lets a claim stand in every island that its reach allows.
const anyIsland = -1

// lostIslands lists the islands of the nodes that a gang of reach any has lost, in order;
// where the rest of another gang stands is where it is mended.
func (pl *Planner) lostIslands(w *fleet.Workload, pool int) (islands []int) {
	if poolNeed(w, pool, 1).beside >= 0 {
		return nil
	}
	for _, node := range w.Lost.All() {
		islands = append(islands, pl.p.Nodes[node].Island)
	}
	slices.Sort(islands)
	return slices.Compact(islands)
}

// mendClaim is what the lost replicas of a gang ask for; false: no backing covers them in
// that way.
func (pl *Planner) mendClaim(w *fleet.Workload, pool int, holds fleet.HeldAs, island int) (*claim, bool) {
	c := pl.claimOf(fleet.Waiting{Workload: w, Pool: pool, Key: fleet.KeyOf(w, w.Pools[pool].Rank, false)}, w.Account(), holds)
	c.mending = true
	if island != anyIsland {
		c.island = island
	}
	switch holds {
	case fleet.HoldsGuaranteed:
		pl.limitByTree(c)
		if !pl.countsWithoutAside(c) {
			return nil, false
		}
		pl.limitByEarlier(c)
	case fleet.HoldsBorrowing:
		pl.limitByTree(c)
		pl.noOwnLimit(c)
	case fleet.HoldsUnprotected:
		c.uncovered = true
		pl.noOwnLimit(c)
		c.tree = pl.intsFor(2)
		copy(c.tree, c.own)
	default: // flex has no limits
	}
	return c, true
}

// preemptForMend plans a mend that finds no free nodes.
func (pl *Planner) preemptForMend(c *claim) (Plan, bool) {
	switch {
	case c.account == nil:
		return Plan{}, false
	case c.uncovered:
		return pl.preemptFlex(c)
	}
	return pl.preempt(c)
}

// dearestClass is the class of the victim that a plan should rather have spared.
func dearestClass(plan Plan) (dearest Class) {
	for _, v := range plan.Victims {
		dearest = max(dearest, v.Class)
	}
	return dearest
}

const unmendable = "no node in its reach could take the place of a lost one"

// returnPoolToQueue sends a gang of higher rank back to its queue; the rest runs on.
func returnPoolToQueue(w *fleet.Workload, pool int) Plan {
	spot := w.SpotOf(pool, func(r fleet.Replica) bool { return r.Phase != fleet.Leaving })
	return Plan{Kind: Return, Workload: w, Why: unmendable, Spots: []fleet.Spot{spot}}
}

// returnToQueue sends a gang back to its queue: what is left of it leaves its nodes.
func returnToQueue(w *fleet.Workload) Plan {
	return Plan{
		Kind: Return, Workload: w, Why: unmendable,
		Spots: w.Spots(func(r fleet.Replica) bool { return r.Phase != fleet.Leaving }),
	}
}
