package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file says how many nodes of each island a claim may open: the law of the private
// cluster (semantics §3), for a quota and for its tree.

// limitByTree lets the claim open the nodes of its tree's backing that the tree
// does not touch, with the chosen victims gone.
func (pl *Planner) limitByTree(c *claim) {
	tree := c.account.Root()
	pl.setAwaitsLeavers(c)
	c.covered = pl.coverageFor(c)
	c.tree = pl.touchedBy(c.covered, tree)
	for i, touched := range c.tree {
		c.tree[i] = tree.Backing(i) - touched
	}
}

// setAwaitsLeavers says whether the tree's usage has room for the claim only once leavers have gone.
func (pl *Planner) setAwaitsLeavers(c *claim) {
	tree := c.account.Root()
	c.awaitsLeavers = tree.Usage()+c.gpus > pl.backedGPUs(tree) && tree.Leaves()
}

// limitByQuota lets the claim open the nodes of its quota's backing that the
// quota's work does not touch.
func (pl *Planner) limitByQuota(c *claim) {
	c.own = pl.intsFor(1)
	for i := range c.own {
		c.own[i] = c.account.Backing[i] - c.account.Touched(i)
	}
}

// limitByEarlier is limitByQuota where only work counts that comes before the
// claim in the quota's order, wherever it stands, and is covered there.
func (pl *Planner) limitByEarlier(c *claim) {
	c.own = pl.intsFor(1)
	c.counted = map[int]bool{}
	covered := pl.newCover(c.account.BackedGPUs(), c.account.Backing)
	pl.eachEarlier(c, func(u *unit) {
		if u.aside || u.holds == fleet.HoldsUnprotected || !covered.add(u) {
			return
		}
		u.eachNode(func(node, _ int) { c.counted[node] = true })
	})
	copy(c.own, covered.nodes)
}

// noOwnLimit lets the claim open nodes beyond its quota's backing.
func (pl *Planner) noOwnLimit(c *claim) {
	c.own = pl.intsFor(1)
	for i := range c.own {
		c.own[i] = unlimited
	}
}

// backedGPUs is a tree's backing in GPUs.
func (pl *Planner) backedGPUs(t *fleet.Tree) int { return t.BackedNodes() * pl.p.GPUsPerNode }
