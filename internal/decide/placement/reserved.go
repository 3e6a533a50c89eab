package placement

import (
	"math"
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file says what the waiting units at the heads of queues reserve (semantics §5), for people who ask what they could start:
// a newcomer of no greater importance passes none of them, unless it is known to end in time.

// Reserved is the GPUs for which the head of a quota's queue holds a reservation; 0: none does.
func (pl *Planner) Reserved(a *fleet.Account) int {
	h := pl.headOf(a)
	return h.gpus
}

// headOf is the head of a quota's queue.
func (pl *Planner) headOf(a *fleet.Account) head {
	back := pl.returning(a)
	hs := pl.headsBefore(a, &back, func(*fleet.Waiting) bool { return true })
	for _, r := range back {
		hs.first.considerReturning(pl, a, r)
	}
	return hs.first
}

// GangBeside is the largest gang of whole nodes, of at most so many GPUs, that passes work which is on its way to a quota's
// queue: it starts, and leaves that its room. It is as important as that work.
func (pl *Planner) GangBeside(a *fleet.Account, most int) int {
	h := pl.headOf(a)
	switch {
	case !h.reserves || h.it.Workload.State != fleet.Evicting:
		return most
	case !h.returns:
		return 0 // it is not known when that starts, so what is not less important waits for it
	}
	n := sort.Search(most/pl.p.GPUsPerNode, func(n int) bool {
		_, starts := pl.backfill(a, pl.gangLike(&h, n+1), &h)
		return !starts
	})
	return n * pl.p.GPUsPerNode
}

// gangLike is a gang of so many nodes that comes now for the quota of a head.
func (pl *Planner) gangLike(h *head, nodes int) fleet.Waiting {
	return pl.newGang(fleet.Spec{Target: h.account.Quota, Priority: h.it.Workload.Priority}, nodes)
}

// newGang is a gang of so many whole nodes in one island that comes now, after all others.
func (pl *Planner) newGang(spec fleet.Spec, nodes int) fleet.Waiting {
	spec.Pools = []fleet.Pool{{GPUs: pl.p.GPUsPerNode, Min: nodes, Max: nodes, Reach: fleet.ReachIsland}}
	w := &fleet.Workload{ID: math.MaxUint64, Submitted: pl.now, Replicas: make([][]fleet.Replica, 1), Spec: spec}
	return fleet.Waiting{Workload: w, Pool: fleet.Base, Key: fleet.KeyOf(w, w.BaseRank(), false)}
}

// ReservedToBorrow is the GPUs for which the head of a tree's borrowers holds a reservation; 0: none does.
func (pl *Planner) ReservedToBorrow(tree *fleet.Tree) int {
	h := pl.borrowingHead(tree, nil)
	return h.gpus
}

// ReservedOnFlex is the GPUs for which the head of flex holds a reservation against a namespace: its own has less flex.
func (pl *Planner) ReservedOnFlex(namespace string) int {
	h := pl.flexHeadNow()
	if h.it.Workload == nil || pl.p.FlexOf(namespace).Staying <= h.has {
		return 0
	}
	return h.gpus
}

// KeptFromFlex is what is kept of each node's room, in GPUs, for work on its way back to flex that comes before new work of a namespace.
func (pl *Planner) KeptFromFlex(namespace string) map[int]int {
	kept := map[int]int{}
	for _, k := range pl.keptBefore(pl.newOnFlex(namespace, 1)) {
		for _, spot := range k.spots {
			for _, node := range spot.Nodes {
				kept[node] += k.it.Workload.Pools[spot.Pool].GPUs
			}
		}
	}
	return kept
}

// FlexGangBeside is the largest gang of whole nodes, of at most so many GPUs, that new work of a namespace may start on free room beside
// work on its way back to flex. What that work comes before hangs on the gang: a larger one is above its namespace's share.
func (pl *Planner) FlexGangBeside(namespace string, most int) int {
	if len(pl.keptOnFlex()) == 0 {
		return most
	}
	n := sort.Search(most/pl.p.GPUsPerNode, func(n int) bool {
		it := pl.newOnFlex(namespace, n+1)
		_, starts := pl.besideReturning(it, func() (Plan, bool) { return pl.placeOnFreeFlex(pl.claimOf(it, nil, fleet.HoldsFlex)) })
		return !starts
	})
	return n * pl.p.GPUsPerNode
}

// newOnFlex is a gang of so many nodes that comes now for flex.
func (pl *Planner) newOnFlex(namespace string, nodes int) fleet.Waiting {
	return pl.newGang(fleet.Spec{Namespace: namespace, Target: fleet.Flex, Priority: fleet.Mid}, nodes)
}
