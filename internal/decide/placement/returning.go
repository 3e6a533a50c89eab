package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A unit on its way back to its queue waits from the moment when that was decided
// (semantics §5): less important work and growth that took its place meanwhile would be
// evicted when it is back. So does work that was retargeted, in the queue that it goes to:
// it keeps its age, and younger work comes after it.

// returning lists, in order, the units of an account that are on their way back to its queue.
// A unit that was told to leave more than once is not: it is not known when it is back.
func (pl *Planner) returning(a *fleet.Account) []fleet.Waiting {
	if !pl.mayReturn(a.Root()) {
		return nil
	}
	if at := pl.p.Shifted() + 1; pl.returnsAt != at {
		pl.returnsAt = at
		clear(pl.returns)
		for _, w := range pl.p.Leaving() {
			if x := w.ReturnsTo(); x != nil {
				pl.returns[x] = append(pl.returns[x], returningOf(w)...)
			}
		}
		for _, list := range pl.returns {
			inOrder(list)
		}
	}
	return pl.returns[a]
}

// mayReturn says whether work may be on its way back to a queue of a tree.
func (pl *Planner) mayReturn(tree *fleet.Tree) bool { return tree.Leaves() || len(pl.p.Moving()) > 0 }

// returningOf lists the units of a workload that are on their way back to its queue.
func returningOf(w *fleet.Workload) (list []fleet.Waiting) {
	if w.Returns() {
		list = append(list, fleet.Waiting{Workload: w, Pool: fleet.Base, Key: fleet.KeyOf(w, w.BaseRank(), false)})
	}
	for i, p := range w.Pools {
		if w.Rejoins(i) {
			list = append(list, fleet.Waiting{Workload: w, Pool: i, Key: fleet.KeyOf(w, p.Rank, false)})
		}
	}
	return list
}

func inOrder(list []fleet.Waiting) {
	slices.SortStableFunc(list, func(x, y fleet.Waiting) int { return x.Key.Compare(y.Key) })
}

// returningTo is returning for all accounts of a tree.
func (pl *Planner) returningTo(tree *fleet.Tree) (list []fleet.Waiting) {
	if !pl.mayReturn(tree) {
		return nil
	}
	for _, a := range tree.Accounts() {
		list = append(list, pl.returning(a)...)
	}
	inOrder(list)
	return list
}

// couldReturn says whether a unit on its way back would start inside its quota's backing, were it
// back now. Room that no node, rack or island has for it is kept for nothing.
func (pl *Planner) couldReturn(a *fleet.Account, it fleet.Waiting) bool {
	lacking, reads := pl.lacking, pl.readsQueue
	c, ok := pl.guaranteeClaim(a, it)
	if ok {
		c.whether = true
		_, ok = pl.guaranteeFor(c)
	}
	pl.lacking, pl.readsQueue = lacking, reads
	return ok
}

// returningGPUs is the GPUs of units on their way back that would start at once inside
// their quotas' backing.
func (pl *Planner) returningGPUs(list []fleet.Waiting) (gpus int) {
	for _, it := range list {
		h := head{}
		if h.considerReturning(pl, it.Workload.ReturnsTo(), it); h.returns {
			gpus += h.gpus
		}
	}
	return gpus
}

// earlierThan takes those off a list of returning units that come before a key.
func earlierThan(list *[]fleet.Waiting, key fleet.Key) (earlier []fleet.Waiting) {
	n := 0
	for n < len(*list) && (*list)[n].Key.Before(key) {
		n++
	}
	earlier, *list = (*list)[:n], (*list)[n:]
	return earlier
}
