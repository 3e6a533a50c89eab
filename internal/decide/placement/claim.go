package placement

import (
	"cmp"
	"slices"

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
	holds   fleet.HeldAs

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
	// mending: the claim swaps lost nodes under a gang.
	mending bool
	// uncovered says that no backing covers the claim: the mending of unprotected work.
	uncovered bool
	// sparesHolds says that others hold part of its quota, which it must leave to them: see leavesHeld.
	sparesHolds bool
	// lendable is what work of its quota could borrow if no other work did: see class.go.
	lendable int
	// successors is, by account, what may come into what its work leaves: see successors.go.
	successors map[*fleet.Account][]fleet.Waiting
	// whether says that only whether there is a plan is asked, and not which: whom it evicts need not be chosen.
	whether bool
	// searched is the steps that were taken to pack its needs together.
	searched int
}

// counts says whether a backing limits the claim: not on flex, nor beyond all backing.
func (c *claim) counts() bool { return c.account != nil && !c.uncovered }

// besideUncovered says whether unprotected work leaves a claim its room in the counts: not a newcomer that would borrow. What a
// gang has lost was counted before, and came before that work.
func (c *claim) besideUncovered() bool { return c.holds == fleet.HoldsGuaranteed || c.mending }

const unlimited = 1 << 30

// claimOf starts a claim of a waiting unit; one whose workload overran has lost
// its age, as its running units have.
func (pl *Planner) claimOf(it fleet.Waiting, account *fleet.Account, holds fleet.HeldAs) *claim {
	c := &claim{w: it.Workload, account: account, key: pl.keyNow(it), holds: holds}
	c.needs = needs(c.one[:0], it)
	pl.setTight(c)
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

// need is replicas of one pool that look for nodes.
type need struct {
	pool, replicas, gpus int
	reach                fleet.Reach
	beside               int              // node that the rest of its pool stands on; -1: none
	tight                *fleet.Footprint // which nodes take fewer replicas than they have GPUs for; nil: none, or it was not asked
}

// needs adds to a list what a waiting part of a workload must get together.
func needs(list []need, it fleet.Waiting) []need {
	w := it.Workload
	if it.Pool != fleet.Base {
		return append(list, poolNeed(w, it.Pool, w.Pools[it.Pool].Min-w.Stays(it.Pool)))
	}
	base := w.BaseRank()
	for i, p := range w.Pools {
		if p.Rank == base {
			list = append(list, poolNeed(w, i, p.Min))
		}
	}
	slices.SortStableFunc(list, func(a, b need) int {
		return cmp.Or(cmp.Compare(narrow(a.reach), narrow(b.reach)), cmp.Compare(b.gpus, a.gpus), cmp.Compare(b.replicas, a.replicas))
	})
	return list
}

// narrow orders reaches: who has the least choice chooses first.
func narrow(r fleet.Reach) int {
	switch r {
	case fleet.ReachRack:
		return 0
	case fleet.ReachIsland:
		return 1
	case fleet.ReachAny:
	}
	return 2
}

func poolNeed(w *fleet.Workload, pool, replicas int) need {
	p := w.Pools[pool]
	nd := need{pool: pool, replicas: replicas, gpus: p.GPUs, reach: p.Reach, beside: -1}
	if p.Max == 1 {
		nd.reach = fleet.ReachAny // one replica is always in one piece
	}
	if p.Reach == fleet.ReachAny {
		return nd
	}
	for _, r := range w.Replicas[pool] {
		if r.Phase != fleet.Leaving {
			nd.beside = r.Node
		}
	}
	return nd
}

// gpusFor is the GPUs of what a waiting part of a workload needs.
func gpusFor(it fleet.Waiting) int {
	if w := it.Workload; it.Pool != fleet.Base {
		return (w.Pools[it.Pool].Min - w.Stays(it.Pool)) * w.Pools[it.Pool].GPUs
	}
	return it.Workload.NeedsBase()
}

func gpusOf(list []need) int {
	t := 0
	for _, n := range list {
		t += n.replicas * n.gpus
	}
	return t
}

// nodesAtMost bounds, by counts alone, the nodes of an island that the claim may use:
// those that its quota touches, those it has been given, and those it may still open.
func (c *claim) nodesAtMost(island int) int {
	if !c.counts() {
		return unlimited
	}
	opens := c.own[island]
	if c.counted == nil { // then each node that it opens counts against the tree, too
		opens = min(opens, c.tree[island])
	}
	return c.account.Touched(island) + c.opens[island] + max(0, opens)
}

// reaches says whether the rest of its gang, or the search, leaves an island to the claim.
func (c *claim) reaches(island int) bool { return c.island < 0 || c.island == island }

// mayUse says whether the claim has anything to count on in an island.
func (c *claim) mayUse(island int) bool {
	return c.reaches(island) &&
		(!c.counts() || c.own[island] > 0 && c.tree[island] > 0 || c.account.Touched(island) > 0 || c.opens[island] > 0)
}

// mayUseVacated is mayUse with all work of its tree gone.
func (c *claim) mayUseVacated(island int) bool {
	return c.reaches(island) &&
		(!c.counts() || c.own[island] > 0 && c.account.Root().Backing(island) > 0 || c.account.Touched(island) > 0)
}

// limit is how many untouched nodes the claim may open in an island.
func (c *claim) limit(island int) int { return min(c.own[island], c.tree[island]) }

// nodesFor is the least number of nodes that hold all replicas of a need.
func (pl *Planner) nodesFor(nd need) int {
	per := pl.p.GPUsPerNode / nd.gpus
	if per == 0 {
		return unlimited
	}
	return (nd.replicas + per - 1) / per
}

// mends says whether a unit of the claim's own workload gives way to the mending of a more important pool.
func (c *claim) mends(u *unit) bool {
	return c.mending && u.w == c.w && u.pool != fleet.Base && c.key.Importance().Above(u.key.Importance())
}

// intsFor is the k-th row of numbers by island, all zero, for the claim at hand.
func (pl *Planner) intsFor(k int) []int {
	if n := len(pl.p.Islands); len(pl.ints[k]) != n {
		pl.ints[k] = make([]int, n)
	}
	clear(pl.ints[k])
	return pl.ints[k]
}
