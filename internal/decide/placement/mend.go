package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// mendGangs swaps the nodes that a gang has lost for others in its reach; a
// gang that cannot be mended goes back to its queue.
func (pl *Planner) mendGangs() (Plan, bool) {
	for _, w := range pl.p.Broken() {
		if w.State == fleet.Mending && lostBase(w) {
			return returnToQueue(w), true
		}
		for i, pool := range w.Pools {
			base, stays := pool.Rank == w.BaseRank(), w.Stays(i)
			if pool.Elastic || stays >= pool.Min || !base && stays == 0 {
				continue
			}
			return pl.mendOrReturn(w, i), true
		}
	}
	return Plan{}, false
}

// mendOrReturn mends a gang that stands without being whole, or sends it back to
// its queue: the whole workload where it is one of its lowest-rank pools.
func (pl *Planner) mendOrReturn(w *fleet.Workload, pool int) Plan {
	if w.HoldsOf(pool) != fleet.NoHolds {
		if plan, ok := pl.mend(w, pool, w.Pools[pool].Min-w.Stays(pool)); ok {
			return plan
		}
	}
	if w.Pools[pool].Rank == w.BaseRank() {
		return returnToQueue(w)
	}
	return returnPoolToQueue(w, pool)
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

// mend finds nodes for a gang's lost replicas: free ones, else those of flex
// work, else, for guaranteed gangs, of unprotected or borrowing work.
func (pl *Planner) mend(w *fleet.Workload, pool, missing int) (Plan, bool) {
	it := fleet.Waiting{Workload: w, Pool: pool, Key: fleet.KeyOf(w, w.Pools[pool].Rank, false)}
	c := pl.claimOf(it, w.Account(), w.HoldsOf(pool))
	c.needs[0].replicas = missing
	c.gpus = gpusOf(c.needs)
	var plan Plan
	var ok bool
	switch {
	case w.Flexes():
		plan, ok = pl.placeOnFree(c)
	case c.holds == fleet.HoldsGuaranteed:
		if plan, ok = pl.mendGuaranteed(c); !ok {
			plan, ok = pl.mendUncovered(c)
		}
	default:
		plan, ok = pl.mendUncovered(c)
	}
	plan.Kind = Mend
	return plan, ok
}

func (pl *Planner) mendGuaranteed(c *claim) (Plan, bool) {
	pl.limitByTree(c)
	if !pl.countsWithoutAside(c) {
		return Plan{}, false
	}
	pl.limitByEarlier(c)
	if plan, ok := pl.placeOnFree(c); ok {
		return plan, true
	}
	return pl.preempt(c)
}

// mendUncovered mends work that no backing covers: from free and flex nodes only.
func (pl *Planner) mendUncovered(c *claim) (Plan, bool) {
	c.counted, c.uncovered = nil, true
	pl.noOwnLimit(c)
	c.tree = pl.intsFor(2)
	copy(c.tree, c.own)
	if plan, ok := pl.placeOnFree(c); ok {
		return plan, true
	}
	return pl.preemptFlex(c)
}

const unmendable = "no node in its reach could take the place of a lost one"

// returnPoolToQueue sends a gang of higher rank back to its queue; the rest runs on.
func returnPoolToQueue(w *fleet.Workload, pool int) Plan {
	spot := fleet.Spot{Pool: pool}
	for _, r := range w.Replicas[pool] {
		if r.Phase != fleet.Leaving {
			spot.Nodes = append(spot.Nodes, r.Node)
		}
	}
	return Plan{Kind: Return, Workload: w, Why: unmendable, Spots: []fleet.Spot{spot}}
}

// returnToQueue sends a gang back to its queue: what is left of it leaves its nodes.
func returnToQueue(w *fleet.Workload) Plan {
	return Plan{
		Kind: Return, Workload: w, Why: unmendable,
		Spots: w.Spots(func(r fleet.Replica) bool { return r.Phase != fleet.Leaving }),
	}
}
