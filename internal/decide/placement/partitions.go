package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A workload that leaves the choice of its partition waits in each queue and
// starts in the best that takes it: guaranteed before borrowing, then where the
// least is evicted, then by name (semantics §5).

// betterInAnother says whether another partition would take a unit now, and on
// better terms than the plan. That partition is then looked at.
func (pl *Planner) betterInAnother(it fleet.Waiting, plan Plan) bool {
	if it.Pool != fleet.Base || it.Workload.Partition != "" || pl.Insist[it.Workload.ID] {
		return false
	}
	for _, p := range pl.s.Partitions {
		if p == pl.p || p.Halted() != "" || !it.Workload.MayStandIn(p) {
			continue
		}
		there := New(pl.s, p, pl.now)
		other, ok := there.offer(it)
		if there.Done(); ok && preferred(other, p, plan, pl.p) {
			p.Touch()
			pl.Deferred = append(pl.Deferred, it.Workload)
			return true
		}
	}
	return false
}

// deferred says whether a unit is left to another partition in this turn.
func (pl *Planner) deferred(it *fleet.Waiting) bool {
	return slices.Contains(pl.Deferred, it.Workload)
}

func preferred(a Plan, at *fleet.Partition, b Plan, here *fleet.Partition) bool {
	if a.Holds != b.Holds {
		return a.Holds < b.Holds
	}
	if x, y := evicted(a), evicted(b); x != y {
		return x < y
	}
	return at.ID < here.ID
}

// evicted is the number of GPUs that a plan takes from victims.
func evicted(plan Plan) int {
	t := 0
	for _, v := range plan.Victims {
		for _, spot := range v.Spots {
			t += len(spot.Nodes) * v.Workload.Pools[spot.Pool].GPUs
		}
	}
	return t
}

// offer is the plan on which the partition would admit a unit now.
func (pl *Planner) offer(it fleet.Waiting) (Plan, bool) {
	if !pl.open() {
		return Plan{}, false
	}
	if it.Workload.Flexes() {
		head := pl.flexHeadNow()
		return pl.flexBehind(it, &head)
	}
	a := pl.p.Account(it.Workload.Target)
	_, barred := pl.Barrier(it)
	if !barred {
		if plan, ok := pl.guarantee(a, it); ok {
			return plan, true
		}
	}
	h := pl.borrowingHead(a.Root(), &it.Key)
	if h.bars(pl, it, HoldBorrowing) || barred && pl.counts(pl.claimOf(it, a, fleet.HoldsGuaranteed)) {
		return Plan{}, false
	}
	plan, ok := pl.borrow(a, it)
	plan.Passed = h.passedBy(a, it)
	return plan, ok
}

// Elsewhere plans a workload that stopped for the visits of its nodes, and waits for them in no
// queue, on nodes that planned work leaves alone; false: there is no such room for it now.
func (pl *Planner) Elsewhere(w *fleet.Workload) (Plan, bool) {
	if !w.Flexes() && pl.p.Account(w.Target) == nil {
		return Plan{}, false
	}
	pl.shuns = true
	defer func() { pl.shuns = false }()
	return pl.offer(fleet.Waiting{Workload: w, Pool: fleet.Base, Key: fleet.KeyOf(w, w.BaseRank(), false)})
}

// mayMoveAway says whether a victim that is guaranteed now may go to another partition of its
// quota: it might evict there who then comes here. Three such would follow each
// other from partition to partition for ever. (What stands there now is not asked:
// it may change without this partition being looked at again.)
func (pl *Planner) mayMoveAway(v *candidateVictim) bool {
	if v.pool != fleet.Base || v.w.Partition != "" || v.holds != fleet.HoldsGuaranteed {
		return false
	}
	return pl.s.Roams(v.w) || slices.ContainsFunc(pl.s.Partitions, func(p *fleet.Partition) bool {
		return p != pl.p && v.w.May(p) && p.Account(v.w.Target) != nil
	})
}
