package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// mayFit says whether a claim might find room with all flex work and the given
// in-quota units gone. It counts more generously than find, so what it refuses
// needs no look at victims; most claims that wait are refused here.
func (pl *Planner) mayFit(c *claim, gone []evictable) bool {
	pl.mark++
	for _, v := range gone {
		allWith(*v.unit).eachNode(func(node, _ int) { pl.marks[node] = pl.mark })
	}
	pl.ignoreFlex = true
	fits := true
	for _, nd := range c.needs {
		fits = fits && pl.mayTake(c, nd)
	}
	pl.ignoreFlex = false
	return fits
}

// mayTake says whether an island (for reach any, all together) has slots for a need.
func (pl *Planner) mayTake(c *claim, nd need) bool {
	if nd.beside >= 0 {
		return pl.slotsAtMost(c, nd, pl.p.Nodes[nd.beside].Island) >= nd.replicas
	}
	all := 0
	for i := range pl.p.Islands {
		if !c.mayUseVacated(i) {
			continue
		}
		n := pl.slotsAtMost(c, nd, i)
		if all += n; n >= nd.replicas || nd.reach == fleet.ReachAny && all >= nd.replicas {
			return true
		}
	}
	return all >= nd.replicas && nd.reach == fleet.ReachAny
}

// slotsAtMost bounds the replicas that an island takes from above.
func (pl *Planner) slotsAtMost(c *claim, nd need, island int) int {
	if own := c.own[island]; c.counts() && own < unlimited && nd.reach != fleet.ReachAny && c.account.Touched(island)+max(0, own) < pl.nodesFor(nd) {
		return 0 // whoever leaves
	}
	slots, opens, cleared := 0, 0, 0
	for _, node := range pl.p.Islands[island].Nodes() {
		n, owner := pl.p.Nodes[node], pl.p.Nodes[node].Owner()
		goes := pl.marks[node] == pl.mark
		if goes && owner != nil && owner.Root() == c.account.Root() {
			cleared++
		}
		kind := pl.kindOf(c, node)
		switch {
		case goes && n.CountsWhole() && owner != c.account:
			opens++
		case goes:
			slots += n.Counted() / nd.gpus
		case kind == nodeOpen:
			opens += min(1, max(0, pl.room(node))/nd.gpus)
		case kind != nodeClosed:
			slots += max(0, pl.room(node)) / nd.gpus
		}
	}
	if !c.uncovered {
		if c.own[island] < 0 || c.tree[island]+cleared < 0 {
			return 0
		}
		opens = min(opens, c.own[island], c.tree[island]+cleared)
	}
	return slots + max(0, opens)*(pl.p.GPUsPerNode/nd.gpus)
}

// fitsWithoutFlex says whether a claim fits with the given victims gone and all flex work.
func (pl *Planner) fitsWithoutFlex(c *claim, victims []*candidateVictim) bool {
	pl.ignoreFlex, pl.roomiestFirst = true, true
	_, ok := pl.fits(c, victims)
	pl.ignoreFlex, pl.roomiestFirst = false, false
	return ok
}
