package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file counts work against backing. A tree's backing must cover its guaranteed and
// borrowing work; unprotected work stands beyond it, so a guaranteed newcomer does not
// have to count it.

// cover counts units against a backing, one cover at a time: which nodes it has
// counted stands in the planner's marks.
type cover struct {
	pl    *Planner
	gpus  int
	nodes []int
	added []int // nodes that the last unit added
	lost  lost  // what the last unit has lost, as far as it was added
}

func (pl *Planner) newCover(gpus int, nodes []int) *cover {
	pl.mark++
	return &cover{pl: pl, gpus: gpus, nodes: append([]int(nil), nodes...)}
}

// add counts a unit and says whether it is inside the backing where it stands,
// with all that was inside before. What is not still counts in GPUs; its nodes are
// left to those who come after, for nothing covers them.
func (c *cover) add(u *unit) bool {
	c.gpus -= u.counts()
	c.added = c.added[:0]
	inside := c.gpus >= 0
	if c.lost = u.lost; c.lost.nodes > 0 {
		c.nodes[c.lost.island] -= c.lost.nodes
		inside = inside && c.nodes[c.lost.island] >= 0
	}
	u.eachNode(func(node, _ int) {
		island := c.pl.p.Nodes[node].Island
		if c.pl.marks[node] != c.pl.mark {
			c.pl.marks[node] = c.pl.mark
			c.added = append(c.added, node)
			c.nodes[island]--
		}
		inside = inside && c.nodes[island] >= 0
	})
	if !inside {
		c.uncount()
	}
	return inside
}

// undo takes the last unit out again.
func (c *cover) undo(u *unit) {
	c.gpus += u.counts()
	c.uncount()
}

// uncount takes out the nodes that the last unit added.
func (c *cover) uncount() {
	if c.lost.nodes > 0 {
		c.nodes[c.lost.island] += c.lost.nodes
	}
	c.lost = lost{}
	for _, node := range c.added {
		c.pl.marks[node] = 0
		c.nodes[c.pl.p.Nodes[node].Island]++
	}
	c.added = c.added[:0]
}

// coverage is what of a tree's work its backing covers.
type coverage struct {
	gpus int
	// nodes is the covered replicas by node, without the chosen victims'; nil: all
	// of the tree's work counts.
	nodes map[int]int
}

// coverageFor is the coverage that a claim must count.
func (pl *Planner) coverageFor(c *claim) coverage {
	tree := c.account.Root()
	if !c.besideUncovered() || tree.Loose() == 0 {
		return coverage{gpus: tree.Stays()}
	}
	kept := pl.covers[tree]
	if at := tree.Version(pl.p); kept.at != at {
		kept = coverageAt{pl.withoutUnprotected(tree), at}
		pl.covers[tree] = kept
	}
	return kept.coverage
}

// coverageAt is a coverage, and the version of the tree that it was derived from.
type coverageAt struct {
	coverage
	at uint64
}

func (pl *Planner) withoutUnprotected(tree *fleet.Tree) coverage {
	all := coverage{gpus: tree.Stays(), nodes: map[int]int{}}
	for _, a := range tree.Accounts() {
		for _, u := range pl.accountUnits(a) {
			if u.holds == fleet.HoldsUnprotected {
				all.gpus -= u.gpus
				continue
			}
			u.eachNode(func(node, _ int) { all.nodes[node]++ })
		}
	}
	return all
}

// has says whether a node counts against the backing.
func (c coverage) has(node int) bool { return c.nodes == nil || c.nodes[node] > 0 }

// touchedBy is the number of nodes that count, by island.
func (pl *Planner) touchedBy(c coverage, tree *fleet.Tree) []int {
	touched := pl.intsFor(2)
	if c.nodes == nil {
		for i := range pl.p.Islands {
			touched[i] = tree.Touched(i)
		}
		return touched
	}
	for node := range c.nodes {
		touched[pl.p.Nodes[node].Island]++
	}
	return touched
}

// addCleared lets the claim open (sign 1) the nodes that its tree's victims leave:
// those on which none of the work stays that counts.
func (pl *Planner) addCleared(c *claim, leaving []*candidateVictim, sign int) {
	if c.covered.nodes != nil {
		for _, v := range leaving {
			pl.uncover(c, v, sign)
		}
		return
	}
	pl.mark++
	for _, v := range leaving {
		if v.w.Flexes() || v.w.Tree() != c.account.Tree() {
			continue
		}
		v.all.eachNode(func(node, _ int) {
			if pl.marks[node] == pl.mark {
				return
			}
			pl.marks[node] = pl.mark
			if pl.owner(node) == nil {
				c.tree[pl.p.Nodes[node].Island] += sign
			}
		})
	}
}

// uncover takes a victim's covered replicas out of what counts (sign 1), or puts
// them back. Unprotected work that stays beside them takes no node of the backing.
func (pl *Planner) uncover(c *claim, v *candidateVictim, sign int) {
	if v.w.Flexes() || v.w.Tree() != c.account.Tree() {
		return
	}
	nodes := c.covered.nodes
	v.eachLeaving(func(_ int, r fleet.Replica) {
		if r.HeldAs == fleet.HoldsUnprotected {
			return
		}
		had := nodes[r.Node] > 0
		nodes[r.Node] -= sign
		if had != (nodes[r.Node] > 0) {
			c.tree[pl.p.Nodes[r.Node].Island] += sign
		}
	})
}
