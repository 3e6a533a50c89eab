package invariant

import (
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// trees asks that what is kept of each tree is the sum over its accounts, and
// that the lists of waiting and of loose work hold exactly those.
func (c *checker) trees(r *recount) {
	var waits []*fleet.Account
	for _, t := range r.p.Trees() {
		c.tree(r, t)
		loose := 0
		for _, a := range t.Accounts() {
			loose += a.Loose() + a.Over() + len(a.InsideHolds())
			if len(a.Queue()) > 0 {
				waits = append(waits, a)
			}
		}
		if slices.Contains(r.p.Unsettled(), t) != (loose > 0) {
			c.broken(ruleIndex, "tree %s is not listed as unsettled as it should be", t.Name())
		}
	}
	slices.SortFunc(waits, func(a, b *fleet.Account) int { return strings.Compare(a.Quota, b.Quota) })
	if !slices.Equal(waits, r.p.Waits()) {
		c.broken(ruleIndex, "the list of quotas for which work waits is not what it should be")
	}
}

func (c *checker) tree(r *recount, t *fleet.Tree) {
	backed, usage, stays := 0, 0, 0
	for _, a := range t.Accounts() {
		backed += a.BackedNodes()
		usage += a.Usage()
		stays += a.Stays()
		if others := t.BackedNodes() > a.BackedNodes(); t.Lends(a) != others {
			c.broken(ruleIndex, "%s is not known to have siblings with backing as it should be", a.Quota)
		}
		if fleet.TreeOf(a.Quota) != t.Name() {
			c.broken(ruleIndex, "%s is listed in tree %s", a.Quota, t.Name())
		}
	}
	leaves := false
	for _, w := range r.p.Leaving() {
		leaves = leaves || w.Account() != nil && w.Account().Root() == t
	}
	c.equal(ruleIndex, "nodes that back tree ", t.Name(), t.BackedNodes(), backed)
	c.equal(ruleIndex, "usage of tree ", t.Name(), t.Usage(), usage)
	c.equal(ruleIndex, "GPUs staying of tree ", t.Name(), t.Stays(), stays)
	if t.Leaves() != leaves {
		c.broken(ruleIndex, "tree %s is not known to have work on its way out as it should be", t.Name())
	}
	for i, island := range r.p.Islands {
		sum := 0
		for _, a := range t.Accounts() {
			sum += a.Backing[i]
		}
		c.equal(ruleIndex, "nodes of "+island.Name+" that back tree ", t.Name(), t.Backing(i), sum)
	}
}

// rooms asks that each island's room, and its nodes by room, add up.
func (c *checker) rooms(r *recount) {
	for _, island := range r.p.Islands {
		room := 0
		slots := make([]int, r.p.GPUsPerNode+1)
		for _, n := range island.Nodes() {
			free := r.p.Nodes[n].Room()
			room += free
			for gpus := 1; gpus <= r.p.GPUsPerNode; gpus++ {
				slots[gpus] += free / gpus
			}
		}
		c.equal(ruleIndex, "room in island ", island.Name, island.Room(), room)
		for gpus := 1; gpus <= r.p.GPUsPerNode; gpus++ {
			c.equal(ruleIndex, "replicas that fit in island ", island.Name, island.Slots(gpus), slots[gpus])
		}
	}
}
