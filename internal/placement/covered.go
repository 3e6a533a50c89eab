package placement

import "github.com/muster-fleet/muster/internal/fleet"

// What a tree's backing must cover is its guaranteed and borrowing work.
// Unprotected work stands beyond it: a guaranteed newcomer does not have to count it.

// coverage is what of a tree's work its backing covers.
type coverage struct {
	gpus  int
	nodes map[int]bool // nodes that covered work touches; nil: all that the tree touches
}

// coverageFor is the coverage that a claim must count.
func (pl *Planner) coverageFor(c *claim) coverage {
	tree := c.account.Root()
	if c.holds != fleet.HoldsGuaranteed || tree.Loose() == 0 {
		return coverage{gpus: tree.Stays()}
	}
	kept := pl.covers[tree]
	if at := tree.Version(pl.p); kept.at != at {
		kept = keptCoverage{pl.withoutUnprotected(tree), at}
		pl.covers[tree] = kept
	}
	return kept.coverage
}

// keptCoverage is a coverage, and the version of the tree that it was derived from.
type keptCoverage struct {
	coverage
	at uint64
}

func (pl *Planner) withoutUnprotected(tree *fleet.Tree) coverage {
	all := coverage{gpus: tree.Stays(), nodes: map[int]bool{}}
	for _, a := range tree.Accounts() {
		units := pl.accountUnits(a)
		for i := range units {
			u := &units[i]
			if u.holds == fleet.HoldsUnprotected {
				all.gpus -= u.gpus
				continue
			}
			u.eachNode(func(node, _ int) { all.nodes[node] = true })
		}
	}
	return all
}

// has says whether a node counts against the backing.
func (c coverage) has(node int) bool { return c.nodes == nil || c.nodes[node] }

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
