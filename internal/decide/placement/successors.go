package placement

import (
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A borrower's room is taken for another borrower only if it is not taken back. This
// file finds victims whose going would let other work of their quota in as
// guaranteed, which would evict the newcomer in turn (hard cases 1 and 2, decision
// record 0006).

// hasSuccessor says whether a borrowing victim of a borrowing claim is no borrower: with
// the victims gone, it or something that waits in its quota would be guaranteed
// there by count, or it may be so in another partition. The newcomer must do without
// it, or wait.
func (pl *Planner) hasSuccessor(c *claim, v *candidateVictim, victims []*candidateVictim) bool {
	if c.holds != fleet.HoldsBorrowing {
		return false
	}
	alone := len(victims) == 1
	if alone && v.successor != nil {
		return *v.successor
	}
	has := pl.mayMoveAway(v) || pl.regainsGuarantee(c, v, victims) || pl.leavesSuccessor(c, v.w.Account(), victims)
	if alone {
		known := has // of its own, so that only this case takes memory
		v.successor = &known
	}
	return has
}

// fitsWithoutSucceeded says whether a borrowing claim might find room, with all flex work
// gone, though no victim leaves for it that has a successor even alone: it has one beside
// whatever else leaves. Most claims that find room by count are refused here, and need no
// look at flex and no search for the cheapest set.
func (pl *Planner) fitsWithoutSucceeded(c *claim, list []*candidateVictim) bool {
	if c.holds != fleet.HoldsBorrowing {
		return true
	}
	may := make([]*candidateVictim, 0, len(list))
	for _, v := range list {
		if v.class != ClassBorrowing || givesWayAnyway(c, &v.unit) || !pl.hasSuccessor(c, v, []*candidateVictim{v}) {
			may = append(may, v)
		}
	}
	if len(may) == len(list) {
		return true
	}
	pl.readsQueue = true
	return pl.fitsWithoutFlex(c, may)
}

// regainsGuarantee says whether a victim would be guaranteed, by count, with all other
// victims gone: it borrows only because of them, or because of where it stands.
func (pl *Planner) regainsGuarantee(c *claim, v *candidateVictim, victims []*candidateVictim) bool {
	return pl.shortfall(c, v, victims) == 0
}

// shortfall is how many of a victim's GPUs its quota's backing would not take, by
// count, with all other victims gone. A guaranteed newcomer counts; one that borrows takes
// no cover from what its quota's backing takes (decision record 0023).
func (pl *Planner) shortfall(c *claim, v *candidateVictim, victims []*candidateVictim) int {
	a, gone := v.w.Account(), goneWith(victims)
	e := a.Earmarks()
	if a == c.account && c.holds == fleet.HoldsGuaranteed && c.key.Before(v.key) {
		e.Take(c.w, c.gpus)
	}
	for _, u := range pl.accountUnits(a) {
		if u.comesBefore(v) && !gone(u) {
			e.Take(u.w, u.counts())
		}
	}
	return e.Short(v.w, v.counts())
}

// leavesSuccessor walks what stands in an account and what waits for it (or is on
// its way out) in the quota's order, with the victims there and without.
func (pl *Planner) leavesSuccessor(c *claim, a *fleet.Account, victims []*candidateVictim) bool {
	gone, units, at := goneWith(victims), pl.accountUnits(a), 0
	there, left := a.Earmarks(), a.Earmarks() // earlier units, with the victims and without
	for _, it := range pl.successorsOf(c, a, units) {
		if leavesWithBase(it, victims) {
			continue
		}
		for ; at < len(units) && !it.Key.Before(units[at].key); at++ {
			u := units[at]
			there.Take(u.w, u.counts())
			if !gone(u) {
				left.Take(u.w, u.counts())
			}
		}
		gpus, after := gpusFor(it), left.Clone()
		if a == c.account && c.key.Before(it.Key) {
			after.Take(c.w, c.gpus)
		}
		if !there.Fits(it.Workload, gpus) && after.Fits(it.Workload, gpus) {
			return true
		}
	}
	return false
}

// leavesWithBase says whether a pool waits to join a workload that leaves with a set of victims: it comes
// back with all of that workload, or not at all.
func leavesWithBase(it fleet.Waiting, victims []*candidateVictim) bool {
	return it.Pool != fleet.Base && slices.ContainsFunc(victims, func(v *candidateVictim) bool { return v.w == it.Workload && v.pool == fleet.Base })
}

// successorsOf is successors, found out once for a claim: they do not depend on the victims.
func (pl *Planner) successorsOf(c *claim, a *fleet.Account, units []*unit) []fleet.Waiting {
	list, known := c.successors[a]
	if !known {
		if c.successors == nil {
			c.successors = map[*fleet.Account][]fleet.Waiting{}
		}
		list = pl.successors(c, a, units)
		c.successors[a] = list
	}
	return list
}

// successors lists, in order, who may come into what victims leave: who is on its way
// back to its queue, and of what waits those about whom the answer may differ.
func (pl *Planner) successors(c *claim, a *fleet.Account, units []*unit) []fleet.Waiting {
	list := waitingSuccessors(c, a, units)
	for _, it := range pl.returning(a) {
		if it.Workload != c.w {
			list = append(list, it)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Key.Before(list[j].Key) })
	return list
}

// waitingSuccessors lists, of each kind that waits, the first behind each standing
// unit, and behind the claim: for those between two of them the counts are the same.
func waitingSuccessors(c *claim, a *fleet.Account, units []*unit) []fleet.Waiting {
	var list []fleet.Waiting
	for _, it := range a.Firsts() {
		for it != nil {
			if it.Workload == c.w {
				it = a.Following(it)
				continue
			}
			list = append(list, *it)
			if joinsUncovered(*it) {
				it = a.Following(it) // it may leave with the victims, and others of its kind not
				continue
			}
			next, ok := nextCount(c, a, units, it.Key)
			if !ok {
				break
			}
			it = a.FollowingFrom(it, next)
		}
	}
	return list
}

// nextCount is the key behind another at which the counts of an account change.
func nextCount(c *claim, a *fleet.Account, units []*unit, key fleet.Key) (next fleet.Key, ok bool) {
	at := sort.Search(len(units), func(i int) bool { return key.Before(units[i].key) })
	if ok = at < len(units); ok {
		next = units[at].key
	}
	if a == c.account && key.Before(c.key) && (!ok || c.key.Before(next)) {
		return c.key, true
	}
	return next, ok
}
