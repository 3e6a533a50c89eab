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
