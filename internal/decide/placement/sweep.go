package placement

import (
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Thousands may stand in the way of a guaranteed claim. This file judges all of them
// at once: one walk along the units of each account.

// noBorrowersAmong is isNone for each of a set of victims.
func (pl *Planner) noBorrowersAmong(c *claim, victims []*candidateVictim) func(*candidateVictim) bool {
	if c.holds != fleet.HoldsGuaranteed || len(victims) <= fewCandidates {
		return func(v *candidateVictim) bool { return pl.isNoBorrower(c, v, victims) }
	}
	pl.readsQueue = true
	none, gone := map[*candidateVictim]bool{}, goneWith(victims)
	for a, list := range borrowersByAccount(victims) {
		late := sort.Search(len(list), func(i int) bool { return a == c.account && c.key.Before(list[i].key) })
		pl.judge(c, a, list[:late], gone, false, none)
		pl.judge(c, a, list[late:], gone, true, none)
	}
	return func(v *candidateVictim) bool { return none[v] }
}

// borrowersByAccount groups the victims of class borrowing, in the order of their units.
func borrowersByAccount(victims []*candidateVictim) map[*fleet.Account][]*candidateVictim {
	lists := map[*fleet.Account][]*candidateVictim{}
	for _, v := range victims {
		if v.class == ClassBorrowing {
			lists[v.w.Account()] = append(lists[v.w.Account()], v)
		}
	}
	for _, list := range lists {
		slices.SortFunc(list, func(x, y *candidateVictim) int { return threeWay(x.before(y.unit), y.before(x.unit)) })
	}
	return lists
}

// judge is wouldBeGuaranteed, or isNotPushed, for victims of one account, in the order
// of their units, who all come behind the claim or all before it.
func (pl *Planner) judge(c *claim, a *fleet.Account, victims []*candidateVictim, gone func(*unit) bool, behind bool, none map[*candidateVictim]bool) {
	if len(victims) == 0 {
		return
	}
	cover, e := pl.newCover(a.BackedGPUs(), a.Backing), a.Earmarks()
	if behind {
		cover.gpus -= c.gpus
		e.Take(c.w, c.gpus)
	}
	units, at := pl.accountUnits(a), 0
	for _, v := range victims {
		for ; at < len(units) && units[at].comesBefore(v); at++ {
			if u := units[at]; !gone(u) && (e.Take(u.w, u.gpus) || !u.aside) {
				cover.add(u)
			}
		}
		switch short := e.Short(v.w, v.gpus); {
		case v.holds == fleet.HoldsGuaranteed:
			none[v] = short == 0 || short > c.lendable
		case short == 0:
			none[v] = cover.add(&v.unit)
			cover.undo(&v.unit)
		}
	}
}
