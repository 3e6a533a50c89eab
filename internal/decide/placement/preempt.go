package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file makes plans of claims: on free room, or at the cost of victims.

// preempt plans a claim that finds no free room: it looks for the cheapest set
// of victims that lets the claim start, island by island where its reach asks for one.
func (pl *Planner) preempt(c *claim) (Plan, bool) {
	own, ok := pl.evictableInQuota(c)
	if !ok {
		return Plan{}, false
	}
	if pl.lacking = max(pl.lacking, lacksNodes); !pl.mayFit(c, own) {
		return Plan{}, false
	}
	list := make([]*candidateVictim, 0, len(own)+16)
	for _, v := range own {
		list = append(list, pl.candidateOf(c, *v.unit, v.class))
	}
	if !pl.fitsWithoutFlex(c, list) {
		return Plan{}, false
	}
	if pl.lacking = lacksRoom; !pl.fitsWithoutSucceeded(c, list) {
		return Plan{}, false
	}
	list = append(list, pl.evictableFlex(c)...)
	spots, ok := pl.fits(c, list)
	if !ok {
		return Plan{}, false // not even with all of them gone
	}
	if len(list) == 0 {
		return pl.preemptionPlan(c, spots, nil), true // only what does not count for the claim was in its way
	}
	if c.whether && len(c.needs) == 1 && !someBorrow(own) {
		return Plan{}, true
	}
	spots, victims, ok := pl.cheapestBorrowers(c, byCost(list))
	if !ok {
		return Plan{}, false
	}
	return pl.preemptionPlan(c, spots, victims), true
}

// someBorrow says whether some of the units would leave as borrowers, which are judged beside each other. A claim that evicts none
// has a set of victims wherever it fits with all of them gone.
func someBorrow(own []evictable) bool {
	return slices.ContainsFunc(own, func(v evictable) bool { return v.class == ClassBorrowing })
}

// candidateOf is candidate for a claim, of whose own workload the unit may be a part.
func (pl *Planner) candidateOf(c *claim, u unit, class Class) *candidateVictim {
	v := pl.candidate(u, class)
	v.ownPart = u.w == c.w
	return v
}

// preemptFlex plans a claim at the cost of flex work alone, whatever the counts; a mend
// also takes less important pools of its own workload.
func (pl *Planner) preemptFlex(c *claim) (Plan, bool) {
	list := pl.evictableFlex(c)
	if c.mending {
		for _, u := range pl.accountUnits(c.account) {
			if c.mends(u) {
				list = append(list, pl.candidateOf(c, *u, ClassImportance))
			}
		}
	}
	list = byCost(list)
	if c.whether && len(c.needs) == 1 {
		if _, ok := pl.fits(c, list); ok {
			return Plan{}, true
		}
	}
	spots, victims, ok := pl.cheapestSet(c, list)
	if !ok {
		return Plan{}, false
	}
	return pl.preemptionPlan(c, spots, victims), true
}

// preemptionPlan is the plan of a claim whose victims are chosen.
func (pl *Planner) preemptionPlan(c *claim, spots []fleet.Spot, victims []*candidateVictim) Plan {
	pl.give(c, spots, 1)
	plan := pl.finish(c, spots, asVictims(victims))
	pl.give(c, spots, -1)
	return plan
}
