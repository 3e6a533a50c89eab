package placement

import (
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file judges the borrowers of a set of victims: with the newcomer admitted
// and all other victims gone, one that would then be guaranteed is no borrower
// (semantics §5). Without this, borrowers of one tree would take turns for ever
// (hard case 1).

// cheapestBorrowers finds the cheapest set of victims in which everybody who is
// evicted as a borrower is one.
func (pl *Planner) cheapestBorrowers(c *claim, list []*candidateVictim) ([]fleet.Spot, []*candidateVictim, bool) {
	best := pl.cheapestDropping(c, list)
	if best.dropped && (!best.found || len(best.victims) > 0) {
		if set := pl.cheapestJudged(c, list, best.victims); set != nil {
			spots, ok := pl.fits(c, set)
			return spots, pl.giveBackAt(c, spots, set), ok
		}
	}
	return best.spots, best.victims, best.found
}

// answer is a set of victims, and the place that it makes room in.
type answer struct {
	spots   []fleet.Spot
	victims []*candidateVictim
	found   bool
	dropped bool // a unit was left out that may be a borrower beside others
}

// cheapestDropping takes the cheapest set, and while a victim there is no borrower, the
// cheapest without it.
func (pl *Planner) cheapestDropping(c *claim, list []*candidateVictim) (a answer) {
	last := newLastSearch(len(pl.p.Islands))
	for len(list) > 0 {
		if a.spots, a.victims, a.found = pl.cheapestSetIn(c, list, mostGPUs{}, last); !a.found {
			break
		}
		none := pl.noBorrowersAmong(c, a.victims)
		wrong := slices.IndexFunc(a.victims, none)
		if wrong < 0 {
			return a
		}
		a.dropped = true
		if v := a.victims[wrong]; givesWayAnyway(c, &v.unit) {
			list = demote(c, list, a.victims, none)
			last.reorder()
		} else {
			list = without(list, v)
			last.without(v)
		}
	}
	return answer{dropped: a.dropped}
}

// demote makes those of a set that are no borrowers, but give way anyway,
// candidates as that: all of them at once, for there may be thousands.
func demote(c *claim, list, victims []*candidateVictim, none func(*candidateVictim) bool) []*candidateVictim {
	wrong := map[unitID]bool{}
	for _, v := range victims {
		if givesWayAnyway(c, &v.unit) && none(v) {
			wrong[v.id()] = true
		}
	}
	list = slices.Clone(list)
	for i, v := range list {
		if wrong[v.id()] {
			list[i] = asImportance(v)
		}
	}
	return byCost(list)
}

// cheapestJudged looks, among few candidates, at every set with the classes that
// its victims have beside each other, for one that is cheaper than the best one
// known so far (nil: none is).
func (pl *Planner) cheapestJudged(c *claim, list, best []*candidateVictim) []*candidateVictim {
	list = pl.judgedAlone(c, list)
	if len(list) > fewCandidates {
		return nil
	}
	if best != nil {
		list = noDearer(list, dearestOf(best))
	}
	found := pl.cheapestWhere(c, pl.anyReplica(c, list), best, func(set []*candidateVictim) ([]*candidateVictim, bool) { return pl.withClasses(c, set) }, everyPlace)
	if best != nil && !cheaperSet(found, best) {
		return nil
	}
	return found
}

// judgedAlone judges candidates alone: who is no borrower then is none beside others.
func (pl *Planner) judgedAlone(c *claim, list []*candidateVictim) []*candidateVictim {
	var kept []*candidateVictim
	for _, v := range list {
		alone, _ := pl.withClasses(c, []*candidateVictim{v})
		kept = append(kept, alone...)
	}
	return byCost(kept)
}

// withClasses is a set of victims with the classes that they have beside each other,
// or false if one of them may not be evicted at all.
func (pl *Planner) withClasses(c *claim, set []*candidateVictim) ([]*candidateVictim, bool) {
	judged := set
	for i, v := range set {
		switch {
		case !pl.isNoBorrower(c, v, set):
		case !givesWayAnyway(c, &v.unit):
			return nil, false
		default:
			judged = slices.Concat(judged[:i], []*candidateVictim{asImportance(v)}, judged[i+1:])
		}
	}
	return judged, true
}

// isNoBorrower says whether a victim of class borrowing is no borrower beside the others:
// it would be guaranteed with them gone and the newcomer admitted, or leaves an heir.
// One that is guaranteed now is pushed into borrowing by count only: see class.go.
func (pl *Planner) isNoBorrower(c *claim, v *candidateVictim, victims []*candidateVictim) bool {
	stays := pl.wouldBeGuaranteed
	if v.holds == fleet.HoldsGuaranteed {
		stays = pl.isNotPushed
	}
	none := v.class == ClassBorrowing && (stays(c, v, victims) || pl.hasSuccessor(c, v, victims))
	pl.readsQueue = pl.readsQueue || none
	return none
}

func (pl *Planner) wouldBeGuaranteed(c *claim, v *candidateVictim, victims []*candidateVictim) bool {
	a := v.w.Account()
	cover, gone, e := pl.newCover(a.BackedGPUs(), a.Backing), goneWith(victims), a.Earmarks()
	if a == c.account && c.key.Before(v.key) {
		cover.gpus -= c.gpus
		e.Take(c.w, c.gpus)
	}
	for _, u := range pl.accountUnits(a) {
		if u.comesBefore(v) && !gone(u) {
			if e.Take(u.w, u.counts()) || !u.aside {
				cover.add(u)
			}
		}
	}
	return e.Take(v.w, v.counts()) && cover.add(&v.unit)
}

// noBorrowersAmong is isNone for each of a set of victims.
func (pl *Planner) noBorrowersAmong(c *claim, victims []*candidateVictim) func(*candidateVictim) bool {
	if !judgesAtOnce(c, victims) {
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

// judgesAtOnce says whether there are so many victims that one walk judges them all.
func judgesAtOnce(c *claim, victims []*candidateVictim) bool {
	return c.holds == fleet.HoldsGuaranteed && len(victims) > fewCandidates
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
			if u := units[at]; !gone(u) && (e.Take(u.w, u.counts()) || !u.aside) {
				cover.add(u)
			}
		}
		switch short := e.Short(v.w, v.counts()); {
		case v.holds == fleet.HoldsGuaranteed:
			none[v] = short == 0 || short > c.lendable
		case short == 0:
			none[v] = cover.add(&v.unit)
			cover.undo(&v.unit)
		}
	}
}
