package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file is about what a node has beside GPUs: processors, memory, host ports. Their amounts
// are not known here. Known is which nodes take fewer replicas of a footprint than they have
// GPUs for, and how many (fleet.Tight). Bounds that are asked before a search count GPUs alone:
// they are more generous than the search, which is what a bound may be.

// setTight notes with the needs of a claim which nodes are tight for them. In most
// partitions none is.
func (pl *Planner) setTight(c *claim) {
	if len(pl.p.Footprints) > 0 {
		pl.setTightOf(c.w, c.needs)
	}
}

func (pl *Planner) setTightOf(w *fleet.Workload, list []need) {
	for i := range list {
		list[i].tight = pl.p.Footprint(w.Pools[list[i].pool].Footprint)
	}
}

// tight says whether some node is tight for a claim.
func (c *claim) tight() bool { return anyTight(c.needs) }

// anyTight says whether some node is tight for one of some needs.
func anyTight(list []need) bool {
	return slices.ContainsFunc(list, func(nd need) bool { return nd.tight != nil })
}

// slotsOn is how many replicas of a need a node with so much room takes.
func (pl *Planner) slotsOn(nd *need, node, room int) int {
	if room < nd.gpus {
		return 0
	}
	return pl.slotsIn(nd, node, room)
}

// slotsIn is slotsOn where there is room for one by count.
func (pl *Planner) slotsIn(nd *need, node, room int) int {
	if nd.tight == nil {
		return room / nd.gpus
	}
	return pl.slotsWhereTight(nd, node, room)
}

// slotsWhereTight is slotsIn where some node may be tight for the need.
func (pl *Planner) slotsWhereTight(nd *need, node, room int) int {
	slots := room / nd.gpus
	if t := nd.tight.At(node); t != nil {
		return max(0, min(slots, pl.spaceOn(nd, t, node, room)))
	}
	return slots
}

// spaceOn is how many replicas more of a need's footprint a tight node takes; below 0: too many
// stand there. Work of other footprints is taken to need nothing of what is short, until the
// cluster says otherwise (Full). What the claim itself was given there counts as if it were alike.
func (pl *Planner) spaceOn(nd *need, t *fleet.Tight, node, room int) int {
	given := pl.given[footprintOn{node: node}]
	space := t.Takes - pl.alikeOn(nd, node) - given
	stays := pl.p.Nodes[node].Counted() - room - pl.extra[node]
	if others := given - pl.given[footprintOn{node: node, name: nd.tight.Name}]; t.Full && (stays > 0 || others > 0) {
		space = min(space, t.More-given)
	}
	return space
}

// alikeOn is how many replicas of the same footprint mean to stay on a node, with the chosen victims gone.
func (pl *Planner) alikeOn(nd *need, node int) (n int) {
	for _, r := range pl.p.Nodes[node].Residents() {
		ignored := pl.ignoreFlex && r.Workload.Flexes()
		if r.Phase != fleet.Leaving && !ignored && r.Workload.Pools[r.Pool].Footprint == nd.tight.Name {
			n++
		}
	}
	n -= pl.givenUp[footprintOn{node, nd.tight.Name, false}]
	if !pl.ignoreFlex {
		n -= pl.givenUp[footprintOn{node, nd.tight.Name, true}]
	}
	return n
}

// footprintOn is the work of a footprint on a node: that on flex, or that in quota. Without a name it is
// what a newcomer was given there, whatever it asks for.
type footprintOn struct {
	node int
	name string
	flex bool
}

// note counts a replica that a claim is given on a node (sign 1), or gives back (−1). In most partitions no
// node is tight, and nothing is counted.
func (pl *Planner) note(c *claim, node, pool, sign int) {
	if len(pl.p.Footprints) == 0 {
		return
	}
	if pl.given == nil {
		pl.given = map[footprintOn]int{}
	}
	count(pl.given, footprintOn{node: node}, sign)
	if name := c.w.Pools[pool].Footprint; name != "" {
		count(pl.given, footprintOn{node: node, name: name}, sign)
	}
}

func count(all map[footprintOn]int, at footprintOn, sign int) {
	if all[at] += sign; all[at] == 0 {
		delete(all, at)
	}
}

// vacate counts the replicas of a unit that is taken out of the picture (sign 1), or put back (−1). In most
// partitions no node is tight, and nothing is counted.
func (pl *Planner) vacate(u *unit, sign int) {
	if len(pl.p.Footprints) == 0 {
		return
	}
	if pl.givenUp == nil {
		pl.givenUp = map[footprintOn]int{}
	}
	for _, spot := range u.spots {
		name := u.w.Pools[spot.Pool].Footprint
		for _, node := range spot.Nodes {
			count(pl.givenUp, footprintOn{node, name, u.w.Flexes()}, sign)
		}
	}
}

// crowded says whether what a claim was given on a node does not fit beside what stays there.
func (pl *Planner) crowded(c *claim, node int) bool {
	room := pl.room(node)
	if room < 0 {
		return true
	}
	return slices.ContainsFunc(c.needs, func(nd need) bool {
		t := nd.tight.At(node)
		return t != nil && pl.spaceOn(&nd, t, node, room) < 0
	})
}

// outlasted says whether what leaves a node still has what a claim was given there needs beside GPUs.
func (pl *Planner) outlasted(c *claim, node int) bool {
	if len(pl.p.Footprints) == 0 {
		return false
	}
	given := pl.given[footprintOn{node: node}]
	return slices.ContainsFunc(c.needs, func(nd need) bool { return pl.fullUntilLeft(nd.tight.At(node), node, given) })
}

// outlastsReserved is outlasted for what a workload has reserved on a node.
func (pl *Planner) outlastsReserved(w *fleet.Workload, node int) bool {
	if len(pl.p.Footprints) == 0 {
		return false
	}
	for i, pool := range w.Pools {
		wants := 0
		for _, r := range w.Replicas[i] {
			if r.Phase == fleet.Reserved && r.Node == node {
				wants++
			}
		}
		if pl.fullUntilLeft(pl.p.Footprint(pool.Footprint).At(node), node, wants) {
			return true
		}
	}
	return false
}

// fullUntilLeft says whether a node takes so many replicas only once all has left that leaves it.
func (pl *Planner) fullUntilLeft(t *fleet.Tight, node, replicas int) bool {
	return t != nil && t.Full && replicas > t.More && slices.ContainsFunc(pl.p.Nodes[node].Residents(), func(r fleet.Resident) bool { return r.Phase == fleet.Leaving })
}

// takesEmpty says whether nodes that back a quota, or its tree, take every pool of a unit if nothing else of Muster's
// stands there. Each pool is looked at alone, those of one footprint together in number, and all of them beside each other.
// A unit that none could ever take holds up no other. Where that is not known in time it may.
func (pl *Planner) takesEmpty(a *fleet.Account, it fleet.Waiting, tree bool) bool {
	backing := func(island int) int { return a.Backing[island] }
	if tree {
		backing = a.Root().Backing
	}
	list := needs(nil, it)
	if pl.setTightOf(it.Workload, list); !anyTight(list) {
		return true
	}
	takes := func(nd need) bool { return nd.tight == nil || pl.backingTakes(nd, backing) }
	for _, nd := range slices.Concat(list, byFootprint(list)) {
		if !takes(nd) {
			return false
		}
	}
	return !severalIn(list) || pl.packTight(list, backing) != noWay
}

// byFootprint lists what all pools of one footprint need together, wherever it stands.
func byFootprint(list []need) (together []need) {
	for _, nd := range list {
		at := slices.IndexFunc(together, func(all need) bool { return all.tight == nd.tight })
		if at < 0 {
			together = append(together, need{replicas: nd.replicas, gpus: nd.gpus, reach: fleet.ReachAny, beside: -1, tight: nd.tight})
			continue
		}
		together[at].replicas += nd.replicas
		together[at].gpus = min(together[at].gpus, nd.gpus)
	}
	return together
}

// backingTakes says whether the best of an island's whole nodes, as many as back the quota there,
// take a need; for reach rack those of one of its racks, and for reach any those of all islands together.
func (pl *Planner) backingTakes(nd need, backing func(island int) int) bool {
	all := 0
	for i, island := range pl.p.Islands {
		slots := make([][]int, island.Racks)
		for _, node := range island.Nodes() {
			n, rack := pl.p.Nodes[node], 0
			if nd.reach == fleet.ReachRack {
				rack = n.Rack
			}
			if n.Whole() {
				slots[rack] = append(slots[rack], takesAtMost(nd, node, n.Good()))
			}
		}
		for _, list := range slots {
			here := mostOf(list, backing(i))
			if all += here; here >= nd.replicas {
				return true
			}
		}
	}
	return nd.reach == fleet.ReachAny && all >= nd.replicas
}

// mostOf is the sum of the largest so many numbers.
func mostOf(list []int, n int) (sum int) {
	slices.SortFunc(list, func(a, b int) int { return b - a })
	for _, x := range list[:min(len(list), max(0, n))] {
		sum += x
	}
	return sum
}

// takesAtMost is how many replicas of a need so many GPUs of a node take if nothing else of
// Muster's stands there.
func takesAtMost(nd need, node, gpus int) int {
	slots := max(0, gpus) / nd.gpus
	if t := nd.tight.At(node); t != nil {
		return min(slots, t.Takes)
	}
	return slots
}
