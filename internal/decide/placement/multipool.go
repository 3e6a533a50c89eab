package placement

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// claimSteps bounds what all packings of one claim may take together: it is asked
// again and again, with other victims gone.
const claimSteps = 5 * packSteps

// findJointly looks for nodes for all needs of a claim at once, with the chosen victims
// gone. What it finds stays given in the scratch arrays, as with find. Where it stops
// early the planner remembers so: see Unsure.
func (pl *Planner) findJointly(c *claim) ([]fleet.Spot, bool) {
	if !severalIn(c.needs) || c.tight() || c.searched >= claimSteps {
		pl.cutShort = pl.cutShort || c.tight() || c.searched >= claimSteps
		return nil, false
	}
	p := pl.packingOf(c)
	allowed := min(packSteps, claimSteps-c.searched)
	p.steps = allowed
	answer := p.pack()
	c.searched += allowed - p.steps
	pl.cutShort = pl.cutShort || answer == notKnown
	if answer != isPacked {
		return nil, false
	}
	var spots []fleet.Spot
	for k, nd := range p.needs {
		pl.takeAll(c, p.given[k], nd.pool)
		spots = append(spots, asSpots(nd, p.given[k])...)
	}
	return spots, true
}

// severalIn says whether some of several needs could be in each other's way.
func severalIn(list []need) bool {
	n := 0
	for _, nd := range list {
		if nd.replicas > 0 {
			n++
		}
	}
	return n > 1
}

// packingOf is what a claim asks for as a packing of the nodes that it may use, those
// that it rates best first.
func (pl *Planner) packingOf(c *claim) *packing {
	p := &packing{}
	least := unlimited
	for _, nd := range c.needs {
		if nd.replicas > 0 {
			p.needs, p.homes = append(p.needs, nd), append(p.homes, pl.homeOf(c, nd))
			least = min(least, nd.gpus)
		}
	}
	if c.account != nil {
		p.own, p.tree = slices.Clone(c.own), slices.Clone(c.tree)
	}
	ratings := map[int]int{}
	for i := range pl.p.Islands {
		if !c.mayUse(i) || c.account != nil && (c.own[i] < 0 || c.tree[i] < 0) {
			continue
		}
		for _, cand := range pl.candidates(c, need{gpus: least}, i) {
			ratings[cand.node] = cand.rating
			p.bins = append(p.bins, bin{node: cand.node, room: pl.room(cand.node), home: home{i, cand.rack}, kind: cand.kind})
		}
	}
	slices.SortStableFunc(p.bins, func(a, b bin) int { return cmp.Compare(ratings[a.node], ratings[b.node]) })
	return p
}

// homeOf is where a need must stand, if part of its pool stands already.
func (pl *Planner) homeOf(c *claim, nd need) home {
	switch {
	case nd.beside < 0:
		return home{c.island, -1}
	case nd.reach == fleet.ReachRack:
		return home{pl.p.Nodes[nd.beside].Island, pl.p.Nodes[nd.beside].Rack}
	}
	return home{pl.p.Nodes[nd.beside].Island, -1}
}
