package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// CouldReturn asks whether a unit could start inside its quota's backing without choosing whom it evicts, and says whether that is
// so by a set of victims that was not chosen, and whether its whole plan says otherwise.
func (pl *Planner) CouldReturn(it fleet.Waiting) (unchosen, wrong bool) {
	a := it.Account()
	could := pl.couldReturn(a, it)
	plan, does := pl.guarantee(a, it)
	return could && len(plan.Victims) > 0, could != does
}

// LacksCount asks whether a unit that would borrow is refused by count, and says whether what may leave for it would do.
func (pl *Planner) LacksCount(it fleet.Waiting) (refused, wrong bool) {
	a := it.Account()
	backed := pl.backedGPUs(a.Root())
	if refused = pl.lacksCount(a, &it, gpusFor(it), backed); !refused {
		return false, false
	}
	c := pl.claimOf(it, a, fleet.HoldsBorrowing)
	pl.limitByTree(c)
	pl.noOwnLimit(c)
	_, may := pl.evictableInQuota(c)
	return true, may || a.Root().Stays()+c.gpus <= backed
}
