package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file packs replicas smaller than a node as their quota's private cluster
// would: as if no flex work were there (decision record 0004). Whole nodes need no
// such care, one is as good as another.

// placeInBacking plans a claim that its quota's backing has room for. Where nodes are tight
// for it, it is not known what flex work there leaves of what is short: room that is free comes first.
func (pl *Planner) placeInBacking(c *claim) (Plan, bool) {
	if c.tight() {
		return pl.placeOnFree(c)
	}
	for _, nd := range c.needs {
		if nd.gpus >= pl.p.GPUsPerNode {
			return pl.placeOnFree(c)
		}
	}
	pl.ignoreFlex = true
	spots, ok := pl.find(c)
	pl.ignoreFlex = false
	if !ok {
		return Plan{}, false
	}
	defer pl.release(c, spots)
	full := pl.overfull(spots)
	if full == nil {
		return pl.finish(c, spots, nil), true
	}
	if fleet.Count(spots) == 1 && pl.p.Nodes[full[0]].Owner() != c.account {
		return Plan{}, false // nothing of the quota is there yet: the cheapest victims decide which node it opens
	}
	return pl.finish(c, spots, asVictims(pl.flexVictimsAt(spots))), true
}

// flexVictimsAt chooses the cheapest flex units that make room on the nodes of the
// spots, and then gives back, the dearest first, those that need not leave.
func (pl *Planner) flexVictimsAt(spots []fleet.Spot) []*candidateVictim {
	short, full := pl.overfull(spots), map[int]bool{}
	for _, n := range short {
		full[n] = true
	}
	var list []*candidateVictim
	elsewhere := func(node int) bool { return !full[node] }
	for _, w := range byID(pl.addFlexOn(nil, short)) {
		for _, u := range pl.unitsBy(w, elsewhere) {
			on := false
			u.eachNode(func(node, _ int) { on = on || full[node] })
			if on {
				list = append(list, pl.candidate(u, ClassFlex))
			}
		}
	}
	return pl.keepMins(spots, pl.stillNeeded(spots, byCost(list)))
}

// stillNeeded gives back, the dearest first, those that need not leave for the spots, which are given to the claim; the
// others must. What leaves along with one of these is not listed by itself.
func (pl *Planner) stillNeeded(spots []fleet.Spot, list []*candidateVictim) []*candidateVictim {
	for _, v := range list {
		pl.evict(v.unit)
	}
	var chosen, along []*candidateVictim
	var cores parts
	for i := len(list) - 1; i >= 0; i-- {
		v := list[i]
		if v.goesWith(cores) {
			along = append(along, v)
			continue
		}
		pl.restore(v.unit)
		if pl.overfull(spots) != nil {
			pl.evict(v.unit)
			chosen = append(chosen, v)
			cores.mark(&v.unit)
		}
	}
	for _, v := range slices.Concat(chosen, along) {
		pl.restore(v.unit)
	}
	return chosen
}
