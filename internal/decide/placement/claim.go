package placement

import (
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// claim is what a waiting unit asks for in one way of holding GPUs, and what it
// may count on: its quota's backing, its tree's, or flex.
type claim struct {
	w       *fleet.Workload
	account *fleet.Account // nil on flex
	key     fleet.Key
	needs   []need
	one     [1]need // where most claims have theirs
	gpus    int
	holds   fleet.Holds

	// Limits of in-quota claims, by island: how many nodes may be opened that
	// its quota's earlier work does not touch (own), and that its tree does not touch (tree).
	own, tree []int
	opens     []int // nodes it has been given so far
	island    int   // the only one it may use; -1: any
	// covered is what of its tree's work counts against tree.
	covered coverage
	// counted says which nodes earlier work of the quota touches; nil: all that the quota owns.
	counted map[int]bool
	// awaitsLeavers says that the tree's usage, leavers included, has no room for the claim
	// yet: it takes the nodes that they leave, and starts when they have gone.
	awaitsLeavers bool
	// uncovered says that no backing covers the claim: the mending of unprotected work.
	uncovered bool
	// sparesHolds says that others hold part of its quota, which it must leave to them: see leavesHeld.
	sparesHolds bool
	// lendable is what work of its quota could borrow if nobody else did: see pushed.go.
	lendable int
	// successors is, by account, who may come into what its work leaves: see heir.go.
	successors map[*fleet.Account][]fleet.Waiting
	// searched is the steps that were taken to pack its needs together.
	searched int
}

// counts says whether a backing limits the claim: not on flex, nor beyond all backing.
func (c *claim) counts() bool { return c.account != nil && !c.uncovered }

const unlimited = 1 << 30

// kind of a node for a claim.
type nodeKind int

const (
	nodeClosed  nodeKind = iota // not for this claim
	nodeCounted                 // touched by its quota's earlier work: free of limits
	nodeLater                   // touched only by its quota's later work: counts against own
	nodeOpen                    // untouched: counts against own and tree
)

// kindOf says what a node is to a claim, with the chosen victims gone.
func (pl *Planner) kindOf(c *claim, node int) nodeKind {
	n := pl.p.Nodes[node]
	if c.account == nil {
		if n.CountsUsable() {
			return nodeCounted
		}
		return nodeClosed
	}
	if !n.CountsWhole() {
		return nodeClosed
	}
	switch owner := pl.owner(node); {
	case owner == nil:
		return nodeOpen
	case owner != c.account:
		return nodeClosed
	case c.counted == nil || c.counted[node]:
		return nodeCounted
	case !c.covered.has(node):
		return nodeOpen // only what nothing covers stands there
	}
	return nodeLater
}

// claimOf starts a claim of a waiting unit; one whose workload overran has lost
// its age, as its running units have.
func (pl *Planner) claimOf(it fleet.Waiting, account *fleet.Account, holds fleet.Holds) *claim {
	c := &claim{w: it.Workload, account: account, key: pl.keyNow(it), holds: holds}
	c.needs = needs(c.one[:0], it)
	c.gpus, c.opens, c.island = gpusOf(c.needs), pl.intsFor(0), -1
	if len(c.needs) == 1 && c.needs[0].beside >= 0 {
		c.island = pl.p.Nodes[c.needs[0].beside].Island
	}
	return c
}

// keyNow is the key of a waiting unit, without its age if its workload overran.
func (pl *Planner) keyNow(it fleet.Waiting) fleet.Key {
	key := it.Key
	if it.Workload.Overran(pl.now) {
		key.Since = fleet.Never
	}
	return key
}

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

// earlier is the GPUs of the quota's work that comes before the claim in its order.
func (pl *Planner) earlier(c *claim) int { return pl.earlierThan(c.account, c.w, c.key) }

// earlierThan is the GPUs of an account's work that comes before a part of a
// workload with a key, the rest of that workload included.
func (pl *Planner) earlierThan(a *fleet.Account, w *fleet.Workload, key fleet.Key) (gpus int) {
	units, n := pl.before(a, key)
	if n > 0 {
		gpus = pl.accounts[a].sums[n-1]
	}
	if w.Account() != a {
		return gpus
	}
	for _, u := range units[n:] {
		if u.w == w {
			gpus += u.gpus
		}
	}
	return gpus
}

func (pl *Planner) eachEarlier(c *claim, fn func(*unit)) {
	units, n := pl.before(c.account, c.key)
	for _, u := range units[:n] {
		fn(u)
	}
	if c.w.Account() != c.account {
		return
	}
	for _, u := range units[n:] {
		if u.w == c.w {
			fn(u)
		}
	}
}

// before is the units of an account, and how many of them come before a key.
func (pl *Planner) before(a *fleet.Account, key fleet.Key) ([]*unit, int) {
	units := pl.accountUnits(a)
	return units, sort.Search(len(units), func(i int) bool { return !units[i].key.Before(key) })
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
