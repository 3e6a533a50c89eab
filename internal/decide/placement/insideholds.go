package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file says what holds inside a quota mean for work that waits, runs and grows
// there (semantics §4, decision record 0007). Where a quota has none, every
// count here is the plain one: GPUs against the backing.

// counts says whether a claim would be guaranteed in number: with the quota's
// earlier work, within what of the backing no hold keeps from it. Earlier work
// that stands aside is not in the way of a unit that starts within a hold.
func (pl *Planner) counts(c *claim) bool {
	a := c.account
	if len(a.InsideHolds()) == 0 {
		// Earlier work is part of all that stays: where all fits, there is nothing to ask.
		return pl.standsWith(a)+c.gpus <= a.BackedGPUs() || pl.earlier(c)+c.gpus <= a.BackedGPUs()
	}
	e := a.Earmarks()
	pl.eachEarlier(c, func(u *unit) { e.Take(u.w, u.counts()) })
	return e.Fits(c.w, c.gpus) && pl.countsWithoutAside(c)
}

// mayCount says whether a waiting unit may be guaranteed in number; where no hold
// lies inside the quota, whether it is (see counts).
func (pl *Planner) mayCount(a *fleet.Account, it fleet.Waiting) bool {
	gpus := gpusFor(it)
	return len(a.InsideHolds()) > 0 || pl.standsWith(a)+gpus <= a.BackedGPUs() || pl.earlierThan(a, it.Workload, pl.keyNow(it))+gpus <= a.BackedGPUs()
}

// countsWithoutAside is the plain count without work that stands aside.
func (pl *Planner) countsWithoutAside(c *claim) bool {
	gpus := c.gpus
	pl.eachEarlier(c, func(u *unit) {
		if !u.aside {
			gpus += u.counts()
		}
	})
	return gpus <= c.account.BackedGPUs()
}

// mustSpareHolds says whether a claim must leave to others what they hold and do not
// use: it may push no work there, nor borrow it. A unit that finds room in a hold of its
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
	return stays(c.account)+c.gpus+e.NotOwn(c.w) <= c.account.BackedGPUs()+c.account.Lendable(stays)
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
	return e.NotOwn(w)
}

// barredFrom is all that others hold from a workload, used or not.
func barredFrom(a *fleet.Account, w *fleet.Workload) int {
	if len(a.InsideHolds()) == 0 {
		return 0
	}
	e := a.Earmarks()
	return e.NotOwn(w)
}
