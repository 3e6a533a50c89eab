package placement

import "github.com/muster-fleet/muster/internal/fleet"

// TreeBarrier is the head of the tree's borrowers that keeps a unit from
// borrowing, if there is one; explain asks for it as for Barrier.
func (pl *Planner) TreeBarrier(it fleet.Waiting) (fleet.Waiting, bool) {
	h := head{}
	walk := pl.alongTree(it.Workload.Tree())
	for ahead := walk.next(); ahead != nil && ahead.Key.Before(it.Key); ahead = walk.next() {
		h.considerTree(pl, pl.p.Account(ahead.Workload.Target), *ahead)
	}
	return h.it, h.bars(pl, it, HoldBorrowing)
}
