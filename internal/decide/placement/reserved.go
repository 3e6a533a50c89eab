package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file says what the waiting units at the heads of queues reserve (semantics §5), for people who ask what they could start:
// a newcomer of no greater importance passes none of them, unless it is known to end in time.

// Reserved is the GPUs for which the head of a quota's queue holds a reservation; 0: none does.
func (pl *Planner) Reserved(a *fleet.Account) int {
	back := pl.returning(a)
	hs := pl.headsBefore(a, &back, func(*fleet.Waiting) bool { return true })
	for _, r := range back {
		hs.first.considerReturning(pl, a, r)
	}
	return hs.first.gpus
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
