package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// TreeBarrier is the head of the tree's borrowers that keeps a unit from
// borrowing, if there is one; explain asks for it as for Barrier.
func (pl *Planner) TreeBarrier(it fleet.Waiting) (fleet.Waiting, bool) {
	h := pl.borrowingHead(pl.p.TreeOf(it.Workload.Tree()), &it.Key)
	return h.it, h.bars(pl, it, HoldBorrowing)
}
