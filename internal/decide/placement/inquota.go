package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file plans a waiting unit in quota, as guaranteed or as borrowing.

// guarantee plans a unit inside its quota's backing: on what is free if it can,
// else by evicting the cheapest set that lets it start.
func (pl *Planner) guarantee(a *fleet.Account, it fleet.Waiting) (Plan, bool) {
	c, ok := pl.guaranteeClaim(a, it)
	if !ok {
		return Plan{}, false
	}
	return pl.guaranteeFor(c)
}

// guaranteeFor is guarantee for a claim that the counts allow.
func (pl *Planner) guaranteeFor(c *claim) (Plan, bool) {
	a := c.account
	pl.limitByTree(c)
	c.sparesHolds = mustSpareHolds(c)
	if pl.standsWith(a)+c.gpus <= a.BackedGPUs() && c.leavesHeld(nil) {
		pl.limitByQuota(c)
		if plan, ok := pl.placeInBacking(c); ok {
			return plan, true
		}
		if pl.hasLater(c) && pl.fitsWithoutFlex(c, nil) {
			if plan, ok := pl.preemptFlex(c); ok {
				return plan, true
			}
		}
	}
	pl.limitByEarlier(c)
	return pl.preempt(c)
}

// guaranteeClaim is the claim of a unit inside its quota's backing, where the counts allow it.
func (pl *Planner) guaranteeClaim(a *fleet.Account, it fleet.Waiting) (*claim, bool) {
	if joinsUncovered(it) || gpusFor(it) > a.BackedGPUs() || !pl.mayCount(a, it) {
		return nil, false
	}
	c := pl.claimOf(it, a, fleet.HoldsGuaranteed)
	return c, pl.counts(c)
}

// hasLater says whether work of a claim's quota comes after it in the quota's order. The claim could turn that into
// borrowing, and leaves it as it is where flex work can make room inside the quota's own backing instead.
func (pl *Planner) hasLater(c *claim) bool {
	units := pl.accountUnits(c.account)
	return len(units) > 0 && c.key.Before(units[len(units)-1].key)
}

// joinsUncovered says whether a pool would join a workload that is not guaranteed,
// with which it would leave: then it is not guaranteed either.
func joinsUncovered(it fleet.Waiting) bool {
	if it.Pool == fleet.Base {
		return false
	}
	is := func(h fleet.HeldAs) bool { return h == fleet.HoldsBorrowing || h == fleet.HoldsUnprotected }
	return is(it.Workload.HeldAs()) || it.Key.Surplus && is(it.Workload.PoolHeldAs(it.Pool))
}

// borrow plans a unit inside its tree's backing.
func (pl *Planner) borrow(a *fleet.Account, it fleet.Waiting) (Plan, bool) {
	if pl.rests(it) {
		return Plan{}, false
	}
	backed, gpus := pl.backedGPUs(a.Root()), gpusFor(it)
	if gpus > backed || backed == a.BackedGPUs() || pl.lacksCount(a, &it, gpus, backed) {
		return Plan{}, false
	}
	c := pl.claimOf(it, a, fleet.HoldsBorrowing)
	pl.limitByTree(c)
	pl.noOwnLimit(c)
	c.sparesHolds = mustSpareHolds(c)
	if a.Root().Stays()+c.gpus <= backed && c.leavesHeld(nil) {
		if plan, ok := pl.placeOnFree(c); ok {
			return plan, true
		}
	}
	if pl.spares(it) {
		pl.lacking = lacksRoom // flex work may stand in its way, which it does not evict
		return Plan{}, false
	}
	return pl.preempt(c)
}
