package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file gives victims back. Of thousands each is asked for, so what it costs
// to ask for one must not grow with how many there are. What each question means,
// asked with everything looked at again: does holdsIn (thin) or fits (spare) still
// say yes with all others gone and this one back?

// giveBackAt spares the victims that need not leave for the place that fits found with the chosen
// victims gone. (The search may miss a place that it would have found with fewer gone.)
func (pl *Planner) giveBackAt(c *claim, spots []fleet.Spot, chosen []*candidateVictim) []*candidateVictim {
	leaving := slices.Clone(pl.leavers(chosen))
	t := pl.begin(c, spots, leaving)
	kept := make([]*candidateVictim, 0, len(leaving))
	for i := len(leaving) - 1; i >= 0; i-- {
		v := leaving[i]
		t.shift(v, -1)
		if t.holdsWithout(v, leaving[:i], kept) {
			t.freed -= v.freed(c)
			continue
		}
		t.shift(v, 1)
		kept = append(kept, v)
	}
	t.end(kept)
	slices.Reverse(kept)
	if len(kept) == len(leaving) {
		return chosen
	}
	return kept
}

// placedTrial is a claim on the nodes that were found for it, with victims out of the
// picture who are given back one by one. What it holds against its limits is kept
// up to date node by node: as it fitted before a victim came back, only the nodes
// on which that one stands can say no.
type placedTrial struct {
	pl    *Planner
	c     *claim
	spots []fleet.Spot
	freed int   // GPUs of the claim's tree that those gone no longer need
	nodes []int // of the victim that was shifted last

	own, tree, opens []int // the claim's limits as they were before
}

func (pl *Planner) begin(c *claim, spots []fleet.Spot, leaving []*candidateVictim) *placedTrial {
	t := &placedTrial{pl: pl, c: c, spots: spots, own: slices.Clone(c.own), tree: slices.Clone(c.tree), opens: slices.Clone(c.opens)}
	for _, v := range leaving {
		pl.evict(v.all)
		t.freed += v.freed(c)
	}
	if c.counts() {
		pl.addCleared(c, leaving, 1)
	}
	for _, v := range leaving {
		t.clear(v, 1)
	}
	for _, spot := range spots {
		pl.takeAll(c, spot.Nodes, spot.Pool)
	}
	return t
}

// end leaves no trace; the kept victims are who is still out of the picture.
func (t *placedTrial) end(kept []*candidateVictim) {
	t.pl.give(t.c, t.spots, -1)
	for _, v := range kept {
		t.clear(v, -1)
		if t.c.counts() && t.c.covered.nodes != nil {
			t.pl.uncover(t.c, v, -1)
		}
		t.pl.restore(v.all)
	}
	copy(t.c.own, t.own)
	copy(t.c.tree, t.tree)
	copy(t.c.opens, t.opens)
}

// shift takes a victim out of the picture (sign 1) or puts it back (−1).
func (t *placedTrial) shift(v *candidateVictim, sign int) {
	t.nodes = t.pl.nodesOf(&v.all, t.nodes[:0])
	for _, node := range t.nodes {
		t.count(node, -1)
	}
	t.clear(v, sign)
	if t.c.counts() && t.c.covered.nodes != nil {
		t.pl.uncover(t.c, v, sign)
	}
	t.pl.shift(v.all, sign)
	for _, node := range t.nodes {
		t.count(node, 1)
	}
}

// count counts a node as it is now into the claim's limits, or out of them.
func (t *placedTrial) count(node, sign int) {
	if t.pl.clears[node] > 0 && t.pl.owner(node) == nil {
		t.c.tree[t.pl.p.Nodes[node].Island] += sign
	}
	if t.pl.extra[node] > 0 {
		t.pl.opened(t.c, node, sign)
	}
}

// clear counts a victim of the claim's tree among those that leave its nodes, where
// the tree's own nodes are what its limits count.
func (t *placedTrial) clear(v *candidateVictim, sign int) {
	if !t.c.counts() || t.c.covered.nodes != nil || v.w.Flexes() || v.w.Tree() != t.c.account.Tree() {
		return
	}
	v.all.eachNode(func(node, _ int) { t.pl.clears[node] += sign })
}

// holdsWithout says whether the claim still fits where it is with a victim given
// back, the one that was shifted last. Gone are all before it, and those kept.
func (t *placedTrial) holdsWithout(v *candidateVictim, before, kept []*candidateVictim) bool {
	if !t.pl.countsWithout(t.c, t.freed-v.freed(t.c)) {
		return false
	}
	if t.c.sparesHolds && t.c.counts() && !t.c.leavesHeld(slices.Concat(before, kept)) {
		return false
	}
	for _, node := range t.nodes {
		if t.pl.extra[node] > 0 && (t.pl.crowded(t.c, node) || t.pl.kindOf(t.c, node) == nodeClosed) {
			return false
		}
	}
	return t.pl.withinLimits(t.c)
}

// giveBack gives back, the dearest first, the victims that a claim fits without.
func (pl *Planner) giveBack(c *claim, chosen []*candidateVictim) []*candidateVictim {
	for spared := true; spared; { // whom the claim needs may change with who is spared
		spared = false
		b := pl.slotBoundOf(c, chosen)
		for i := len(chosen) - 1; i >= 0; i-- {
			if b.needs(chosen[i]) {
				continue
			}
			b.end()
			rest := slices.Delete(slices.Clone(chosen), i, i+1)
			if _, ok := pl.fits(c, rest); !ok {
				b.resume()
				continue
			}
			chosen, spared = rest, true
			b = pl.slotBoundOf(c, chosen)
		}
		b.end()
	}
	return chosen
}
