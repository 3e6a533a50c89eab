package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// admitGuaranteed admits the first waiting unit that fits its quota's backing.
func (pl *Planner) admitGuaranteed() (Plan, bool) {
	for _, tree := range pl.awakeTrees() {
		if plan, ok := pl.guaranteeIn(tree); ok {
			return plan, true
		}
	}
	return Plan{}, false
}

// guaranteeIn admits the first waiting unit of a tree that fits its quota's backing. One behind a head of its own queue that
// can borrow now is admitted after that: they would else take turns in another order than their queue's.
func (pl *Planner) guaranteeIn(tree *fleet.Tree) (plan Plan, ok bool) {
	for _, a := range tree.Waits() {
		next, found := pl.admitFrom(a)
		if !found {
			continue
		}
		ahead, waits := pl.borrowAhead(a, next)
		if !waits {
			return next, true
		}
		if !ok {
			plan, ok = ahead, true
		}
	}
	return plan, ok
}

// borrowAhead plans what waits in the same quota's queue ahead of a plan, holds a reservation, and can borrow now: the head of the
// tree's borrowers, or of the queue.
func (pl *Planner) borrowAhead(a *fleet.Account, behind Plan) (Plan, bool) {
	tree, key := a.Root(), behind.key()
	if first := a.Firsts()[0]; !first.Key.Before(key) || !tree.Borrows() {
		return Plan{}, false
	}
	noneBack := []fleet.Waiting{} // what is on its way back starts later
	first := pl.headsBefore(a, &noneBack, func(it *fleet.Waiting) bool { return it.Key.Before(key) }).first
	borrower := pl.borrowingHead(tree, &key)
	if first.reserves && (!borrower.reserves || first.it.Key.Before(borrower.it.Key)) {
		if plan, ok := pl.borrowAsHead(a, &first); ok {
			return plan, true
		}
	}
	if borrower.reserves && borrower.account == a {
		return pl.borrowAsHead(a, &borrower)
	}
	return Plan{}, false
}

// borrowAsHead plans a head that borrows.
func (pl *Planner) borrowAsHead(a *fleet.Account, h *head) (Plan, bool) {
	tree := a.Root()
	if !asks(h.it.Workload, h.it.Pool) || pl.isWithheld(h.it.Workload, h.it.Pool) || pl.outrankedTooOften(&h.it) {
		return Plan{}, false
	}
	if reserve := pl.returningGPUs(pl.returningTo(tree)); reserve > 0 && !pl.leavesFor(tree, h.it, reserve) {
		return Plan{}, false
	}
	plan, ok := pl.borrow(a, h.it)
	return plan, ok && !pl.betterInAnother(h.it, plan)
}

// admitFrom admits the first unit of one quota's queue that fits its backing.
func (pl *Planner) admitFrom(a *fleet.Account) (Plan, bool) {
	walk, heads, back := walkQueue(a), heads{}, pl.returning(a)
	alone := !a.Root().Lends(a)
	for it := walk.next(); it != nil; it = walk.next() {
		for _, r := range earlierThan(&back, it.Key) {
			heads.first.considerReturning(pl, a, r)
		}
		switch {
		case pl.tried(it):
		case pl.isWithheld(it.Workload, it.Pool):
			walk.skipped(it)
			heads.consider(pl, a, *it)
			continue
		case pl.outrankedTooOften(it):
			walk.skipped(it)
		default:
			pl.lacking, pl.readsQueue = lacksCounts, alwaysReadsQueue(a, it)
			plan, ok := pl.guaranteeBehind(a, *it, &heads)
			if ok && !pl.betterInAnother(*it, plan) {
				return plan, true
			}
			if ok {
				walk.skipped(it)
			}
			pl.noteAnswer(it, pl.readsQueue || ok)
		}
		if alone {
			pl.noteTried(it)
		}
		heads.consider(pl, a, *it)
	}
	return Plan{}, false
}

// guaranteeBehind is guarantee for a unit that must not delay the head of its queue.
func (pl *Planner) guaranteeBehind(a *fleet.Account, it fleet.Waiting, hs *heads) (Plan, bool) {
	h := hs.barring(pl, a, it, HoldGuaranteed)
	if h == nil {
		return pl.guarantee(a, it)
	}
	pl.readsQueue = true
	if !h.returns && (h.shadow == fleet.Never || it.Workload.MaxRuntime == 0) {
		return Plan{}, false
	}
	return pl.backfill(a, it, h)
}

// admitBorrowing admits the first waiting unit that fits its tree's backing, in
// the order of the tree.
func (pl *Planner) admitBorrowing() (Plan, bool) {
	for _, tree := range slices.Clone(pl.awakeTrees()) {
		if plan, ok := pl.borrowIn(tree); ok {
			return plan, true
		}
		pl.sleep(tree)
	}
	return Plan{}, false
}

// borrowIn admits the first waiting unit of a tree that fits the tree's backing.
func (pl *Planner) borrowIn(tree *fleet.Tree) (Plan, bool) {
	if !tree.Borrows() {
		return Plan{}, false
	}
	walk, first, own := walkTree(tree), head{}, map[*fleet.Account]*heads{}
	back := pl.returningTo(tree)
	reserve := pl.returningGPUs(back)
	for it := walk.next(); it != nil; it = walk.next() {
		a := it.Account()
		for _, r := range earlierThan(&back, it.Key) {
			to := r.Workload.ReturnsTo()
			first.considerTree(pl, to, r)
			headsOf(own, to).first.considerReturning(pl, to, r)
		}
		if !pl.tried(it) {
			switch {
			case pl.isWithheld(it.Workload, it.Pool):
				walk.skipped(it)
				first.considerTree(pl, a, *it)
				headsOf(own, a).consider(pl, a, *it)
				continue
			case pl.outrankedTooOften(it):
				walk.skipped(it)
			case first.bars(pl, *it, HoldBorrowing), pl.barredInOwnQueue(a, *it, own[a]), reserve > 0 && !pl.leavesFor(tree, *it, reserve):
				noteReadsQueue(it)
			default:
				plan, skips, ok := pl.tryBorrow(a, it)
				if ok {
					plan.Passed = first.passedBy(a, *it)
					return plan, true
				}
				if skips {
					walk.skipped(it)
				}
			}
			pl.noteTried(it)
		}
		first.considerTree(pl, a, *it)
		headsOf(own, a).consider(pl, a, *it)
	}
	return Plan{}, false
}

// headsOf finds or makes the heads of an account's queue.
func headsOf(own map[*fleet.Account]*heads, a *fleet.Account) *heads {
	if own[a] == nil {
		own[a] = &heads{}
	}
	return own[a]
}

// leavesFor says whether a borrowing unit leaves, by count, so many GPUs of the tree's
// backing to units that are on their way back to their queues, as guaranteed.
func (pl *Planner) leavesFor(tree *fleet.Tree, it fleet.Waiting, reserve int) bool {
	return tree.Stays()+gpusFor(it)+reserve <= pl.backedGPUs(tree)
}

// tryBorrow asks for a unit's room beyond its own quota. skips says that it has room,
// and better in another partition.
func (pl *Planner) tryBorrow(a *fleet.Account, it *fleet.Waiting) (plan Plan, skips, ok bool) {
	pl.lacking, pl.readsQueue = lackOf(it.Memo), readsQueueOf(it.Memo)
	plan, found := pl.borrow(a, *it)
	if found && !pl.betterInAnother(*it, plan) {
		return plan, false, true
	}
	pl.noteAnswer(it, pl.readsQueue || found)
	return Plan{}, found, false
}

// sleep lets a tree sleep in which no waiting unit can start now.
func (pl *Planner) sleep(tree *fleet.Tree) {
	lacks := lacksCounts
	for _, a := range tree.Waits() {
		for _, it := range a.Firsts() {
			if pl.outrankedTooOften(it) || pl.deferred(it) || pl.isWithheld(it.Workload, it.Pool) {
				return
			}
			lacks = max(lacks, lackOf(it.Memo))
			if it.Workload.ReadsMetal() {
				lacks = lacksRoom
			}
		}
	}
	pl.sleeps(tree, lacks)
}

// barredInOwnQueue says whether a unit that its quota's backing could take by count
// must wait for the head of its own queue: it would not borrow but hold as
// guaranteed, and it could not be taken back for the head.
func (pl *Planner) barredInOwnQueue(a *fleet.Account, it fleet.Waiting, hs *heads) bool {
	if hs.barring(pl, a, it, HoldGuaranteed) == nil {
		return false
	}
	return pl.counts(pl.claimOf(it, a, fleet.HoldsGuaranteed))
}

// alwaysReadsQueue says whether what a unit is told always counts as hanging on who else
// waits and starts: where holds lie inside its quota, and for everything except plain gangs.
func alwaysReadsQueue(a *fleet.Account, it *fleet.Waiting) bool {
	return it.Pool != fleet.Base || len(it.Workload.Pools) > 1 || len(a.InsideHolds()) > 0
}

// mostOutranked is how many reservations a workload may lose within one turn. Two
// that take turns would otherwise keep the turn from ending.
const mostOutranked = 3

// outrankedTooOften says whether a unit has lost too many reservations in this turn to be asked again.
func (pl *Planner) outrankedTooOften(it *fleet.Waiting) bool {
	return pl.Outranked[it.Workload.ID] >= mostOutranked
}

// isWithheld says whether a part of a workload is not asked at present: see Withheld.
func (pl *Planner) isWithheld(w *fleet.Workload, pool int) bool {
	_, is := pl.Withheld[Part{w.ID, pool}]
	return is
}
