package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file says what holds inside a quota mean for who waits, runs and grows
// there (semantics §4, decision record 0007). Where a quota has none, every
// count here is the plain one: GPUs against the backing.

// counts says whether a claim would be guaranteed in number: with the quota's
// earlier work, within what of the backing nobody holds from it. Earlier work
// that stands aside is not in the way of who starts within a hold.
func (pl *Planner) counts(c *claim) bool {
	a := c.account
	if len(a.InsideHolds()) == 0 {
		// Earlier work is part of all that stays: where all fits, nobody need be asked.
		return a.Stays()+c.gpus <= a.BackedGPUs() || pl.earlier(c)+c.gpus <= a.BackedGPUs()
	}
	e := a.Earmarks()
	pl.eachEarlier(c, func(u *unit) { e.Take(u.w, u.gpus) })
	return e.Fits(c.w, c.gpus) && pl.countsWithoutAside(c)
}

// mayCount says whether a waiting unit may be guaranteed in number; where nobody
// holds part of the quota, whether it is (see counts).
func (pl *Planner) mayCount(a *fleet.Account, it fleet.Waiting) bool {
	gpus := gpusFor(it)
	return len(a.InsideHolds()) > 0 || a.Stays()+gpus <= a.BackedGPUs() || pl.earlierThan(a, it.Workload, pl.keyNow(it))+gpus <= a.BackedGPUs()
}

// countsWithoutAside is the plain count, but for work that stands aside.
func (pl *Planner) countsWithoutAside(c *claim) bool {
	gpus := c.gpus
	pl.eachEarlier(c, func(u *unit) {
		if !u.aside {
			gpus += u.gpus
		}
	})
	return gpus <= c.account.BackedGPUs()
}

// setAside marks the units that do not fit beside the holds of others: until they
// fit they borrow, and count for nobody who uses a hold. A hold takes nothing
// from what ran as guaranteed already when it was placed. It says whether there
// are marks now; had says whether there may have been before.
func setAside(a *fleet.Account, units []*unit, had bool) bool {
	if len(a.InsideHolds()) == 0 {
		for i := 0; had && i < len(units); i++ {
			units[i].over, units[i].aside, units[i].within = false, false, false
		}
		return false
	}
	e := a.Earmarks()
	for _, u := range units {
		u.within = e.Own(u.w) >= u.gpus
		u.over = !e.Take(u.w, u.gpus)
		u.aside = u.over && !(u.holds == fleet.HoldsGuaranteed && wasThere(a, u.w))
	}
	return true
}

// wasThere says whether a workload ran before the last of the holds was placed
// that keep it out.
func wasThere(a *fleet.Account, w *fleet.Workload) bool {
	return w.Started != 0 && slices.ContainsFunc(a.InsideHolds(), func(h *fleet.Hold) bool { return !h.For(w) && w.Started <= h.Since })
}

// mustSpareHolds says whether a claim must leave to others what they hold and do not
// use: it may push nobody there, nor borrow it. Who finds room in a hold of his
// own beside all that stands owes nothing to other holders.
func mustSpareHolds(c *claim) bool {
	if len(c.account.InsideHolds()) == 0 {
		return false
	}
	e := c.account.Standing()
	return e.Own(c.w) < c.gpus
}

// leavesHeld says whether a claim, with the victims gone, leaves to others what
// they hold: its quota's work fits beside that, and in what siblings leave unused.
// (What siblings borrow of it is their own affair.)
func (c *claim) leavesHeld(gone []*candidateVictim) bool {
	if !c.sparesHolds {
		return true
	}
	e := c.account.StandingBut(func(w *fleet.Workload) (gpus int) {
		for _, v := range gone {
			if v.w == w {
				gpus += v.all.gpus
			}
		}
		return gpus
	})
	stays := func(x *fleet.Account) int {
		gpus := x.Stays()
		for _, v := range gone {
			if v.w.Account() == x {
				gpus -= v.all.gpus
			}
		}
		return gpus
	}
	return stays(c.account)+c.gpus+e.Others(c.w.User, c.w.Namespace) <= c.account.BackedGPUs()+c.account.Lendable(stays)
}

// usesForeignHold says whether a unit of a claim's quota uses a hold that is not for
// the claim: as little as another quota's guaranteed work is it evicted for it.
func usesForeignHold(c *claim, a *fleet.Account, u *unit) bool {
	return u.within && u.holds == fleet.HoldsGuaranteed && a == c.account &&
		!slices.ContainsFunc(a.InsideHolds(), func(h *fleet.Hold) bool { return h.For(u.w) && h.For(c.w) })
}

// heldFrom is the backing of its own quota that others hold from a workload and
// do not use.
func heldFrom(a *fleet.Account, w *fleet.Workload) int {
	if len(a.InsideHolds()) == 0 {
		return 0
	}
	e := a.Standing()
	return e.Others(w.User, w.Namespace)
}

// barredFrom is all that others hold from a workload, used or not.
func barredFrom(a *fleet.Account, w *fleet.Workload) int {
	if len(a.InsideHolds()) == 0 {
		return 0
	}
	e := a.Earmarks()
	return e.Others(w.User, w.Namespace)
}

// HeldFrom is the GPUs of its quota's backing that others hold from a waiting
// unit and do not use, and whether the unit would be guaranteed in number but for
// holds, used or not.
func (pl *Planner) HeldFrom(it fleet.Waiting) (unused int, barred bool) {
	a := pl.p.Account(it.Workload.Target)
	if a == nil || len(a.InsideHolds()) == 0 {
		return 0, false
	}
	c := pl.claimOf(it, a, fleet.HoldsGuaranteed)
	return heldFrom(a, it.Workload), pl.earlier(c)+c.gpus <= a.BackedGPUs() && !pl.counts(c)
}

// heads are the waiting units of a queue that hold reservations: the first of
// all, and the first of those who share a hold. Who starts within a hold delays
// nobody but its holders.
type heads struct {
	first head
	own   map[*fleet.Hold]*head
}

// consider makes a unit a head where none is yet, and it fits the present backing.
func (hs *heads) consider(pl *Planner, a *fleet.Account, it fleet.Waiting) {
	hs.first.consider(pl, a, it)
	h := holdOf(a, it.Workload)
	if h == nil {
		return
	}
	if hs.own == nil {
		hs.own = map[*fleet.Hold]*head{}
	}
	if hs.own[h] == nil {
		hs.own[h] = &head{}
	}
	hs.own[h].consider(pl, a, it)
}

// barring is the head for which a unit must wait, or nil.
func (hs *heads) barring(pl *Planner, a *fleet.Account, it fleet.Waiting, as fleet.Holds) *head {
	if hs == nil {
		return nil
	}
	h := holdOf(a, it.Workload)
	if (h == nil || !pl.withinHold(pl.claimOf(it, a, as))) && hs.first.bars(pl, it, as) {
		return &hs.first
	}
	if own := hs.own[h]; h != nil && own != nil && own.bars(pl, it, as) {
		return own
	}
	return nil
}

// holdOf is the first hold inside the quota that is for a workload, or nil.
func holdOf(a *fleet.Account, w *fleet.Workload) *fleet.Hold {
	for _, h := range a.InsideHolds() {
		if h.For(w) {
			return h
		}
	}
	return nil
}

// withinHold says whether what earlier work leaves of its holds takes a claim whole.
func (pl *Planner) withinHold(c *claim) bool {
	e := c.account.Earmarks()
	pl.eachEarlier(c, func(u *unit) { e.Take(u.w, u.gpus) })
	return e.Own(c.w) >= c.gpus
}
