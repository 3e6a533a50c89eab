package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file asks whether a claim fits without some victims, anywhere or on given nodes. It
// leaves the overlay as it found it.

// fits looks for nodes with a set of victims gone, and leaves no trace.
func (pl *Planner) fits(c *claim, victims []*candidateVictim) ([]fleet.Spot, bool) {
	freed := 0
	leaving := pl.leavers(victims)
	for _, v := range leaving {
		freed += v.freed(c)
	}
	if !pl.countsWithout(c, freed) {
		return nil, false
	}
	for _, v := range leaving {
		pl.evict(v.all)
	}
	spots, ok := pl.findWith(c, leaving)
	for _, v := range leaving {
		pl.restore(v.all)
	}
	return spots, ok
}

// countsWithout says whether a claim fits its tree's count with so many GPUs freed of it.
func (pl *Planner) countsWithout(c *claim, freed int) bool {
	return !c.counts() || c.covered.gpus-freed+c.gpus <= pl.backedGPUs(c.account.Root())
}

// findWith is find with the tree's limits as the victims leave them, who are out
// of the picture already.
func (pl *Planner) findWith(c *claim, leaving []*candidateVictim) ([]fleet.Spot, bool) {
	counts := c.counts()
	if counts {
		if !c.leavesHeld(leaving) {
			return nil, false
		}
		pl.setAwaitsLeavers(c)
		pl.addCleared(c, leaving, 1)
	}
	spots, ok := pl.find(c)
	if ok {
		pl.release(c, spots)
	}
	if counts {
		pl.addCleared(c, leaving, -1)
	}
	return spots, ok
}

// holdsIn says whether a claim fits on the nodes that were found for it with
// victims gone who are taken out of the picture already: on the nodes, within its
// limits and its tree's count.
func (pl *Planner) holdsIn(c *claim, spots []fleet.Spot, gone []*candidateVictim, freed int) bool {
	counts := c.counts()
	if counts && (!pl.countsWithout(c, freed) || !c.leavesHeld(gone)) || !pl.allOpen(c, spots) {
		return false
	}
	if counts {
		pl.addCleared(c, gone, 1)
	}
	for _, spot := range spots {
		pl.takeAll(c, spot.Nodes, spot.Pool)
	}
	holds := !pl.crowdedAt(c, spots) && pl.withinLimits(c)
	pl.release(c, spots)
	if counts {
		pl.addCleared(c, gone, -1)
	}
	return holds
}

// crowdedAt says whether what a claim was given does not fit on some node of its spots.
func (pl *Planner) crowdedAt(c *claim, spots []fleet.Spot) bool {
	crowded := func(node int) bool { return pl.crowded(c, node) }
	return slices.ContainsFunc(spots, func(s fleet.Spot) bool { return slices.ContainsFunc(s.Nodes, crowded) })
}

// allOpen says whether every node of some spots is one that the claim may use.
func (pl *Planner) allOpen(c *claim, spots []fleet.Spot) bool {
	closed := func(node int) bool { return pl.kindOf(c, node) == nodeClosed }
	return !slices.ContainsFunc(spots, func(s fleet.Spot) bool { return slices.ContainsFunc(s.Nodes, closed) })
}

// withinLimits says whether the claim has opened no more nodes than it may.
func (pl *Planner) withinLimits(c *claim) bool {
	if !c.counts() {
		return true
	}
	for i, opens := range c.opens {
		if opens > 0 && (c.own[i] < 0 || c.tree[i] < 0) {
			return false
		}
	}
	return true
}

// doesAt says whether a claim fits on the nodes that were found for it, with a
// set of victims gone.
func (pl *Planner) doesAt(c *claim, spots []fleet.Spot, set []*candidateVictim) bool {
	leaving, freed := slices.Clone(pl.leavers(set)), 0
	for _, v := range leaving {
		pl.evict(v.all)
		freed += v.freed(c)
	}
	does := pl.holdsIn(c, spots, leaving, freed)
	for _, v := range leaving {
		pl.restore(v.all)
	}
	return does
}

// overfull lists the nodes of found spots that flex work keeps too full.
func (pl *Planner) overfull(spots []fleet.Spot) []int {
	var nodes []int
	seen := map[int]bool{}
	for _, spot := range spots {
		for _, n := range spot.Nodes {
			if !seen[n] && pl.room(n) < 0 {
				seen[n] = true
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

// fitsWithoutFlex says whether a claim fits with the given victims gone and all flex work.
func (pl *Planner) fitsWithoutFlex(c *claim, victims []*candidateVictim) bool {
	pl.ignoreFlex, pl.roomiestFirst = true, true
	_, ok := pl.fits(c, victims)
	pl.ignoreFlex, pl.roomiestFirst = false, false
	return ok
}
