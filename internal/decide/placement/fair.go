package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file says whom flex work may evict, and which sets of victims are fair: a
// namespace evicts another's flex only while its use with the newcomer stays
// within its share and the other's is above its own (semantics §5).

// evictableOnFlex lists whom a flex claim may evict, cheapest first; none if
// there would not be enough room even with all of them gone that may go together.
func (pl *Planner) evictableOnFlex(c *claim) []*candidateVictim {
	var list []*candidateVictim
	if pl.p.FlexOf(c.w.Namespace).CouldGiveWay(c.key.Importance()) {
		list = pl.evictableAmong(nil, c, c.w.Namespace, false)
	}
	room, own := pl.p.Tally().Room, 0
	for _, v := range list {
		own += v.gpus
	}
	room += own
	shares := pl.sharesNow()
	if pl.p.FlexOf(c.w.Namespace).Staying-own+c.gpus <= shares[c.w.Namespace] {
		for _, ns := range pl.p.Namespaces() {
			excess := pl.p.FlexOf(ns).Staying - shares[ns]
			if ns == c.w.Namespace || excess <= 0 {
				continue
			}
			had := len(list)
			list = pl.evictableAmong(list, c, ns, true)
			room += mostGivable(list[had:], excess)
		}
	}
	if room < c.gpus {
		return nil
	}
	return byCost(list)
}

// evictableAmong adds the units of a namespace that a flex claim may evict.
func (pl *Planner) evictableAmong(list []*candidateVictim, c *claim, namespace string, other bool) []*candidateVictim {
	for _, u := range pl.flexUnitsOf(namespace) {
		if u.w != c.w && pl.mayEvictOnFlex(c, u, other) {
			if v := pl.candidate(*u, ClassFlex); !other || pl.aboveShareWithout(v) {
				list = append(list, v)
			}
		}
	}
	return list
}

// aboveShareWithout says whether a namespace is above its share even without what
// would leave along with a victim. Else that alone is what it has too much: two
// workloads would take each other's place because of what joined them.
func (pl *Planner) aboveShareWithout(v *candidateVictim) bool {
	ns := v.w.Namespace
	return pl.p.FlexOf(ns).Staying-(v.all.gpus-v.gpus) > pl.sharesNow()[ns]
}

func (pl *Planner) mayEvictOnFlex(c *claim, u *unit, other bool) bool {
	if u.w.Namespace == c.w.Namespace {
		less := c.key.Importance().Above(u.key.Importance())
		return less || ((u.overran && !c.w.Overran(pl.now) || u.key.Surplus) && !u.key.Importance().Above(c.key.Importance()))
	}
	return other && u.w.Started != 0 && pl.now.Sub(u.w.Started) >= pl.s.Policy.FlexMinimum
}

// mostGivable is the most GPUs that units of one namespace may give while it is above
// its share by so many before each of them: the largest goes last.
func mostGivable(list []*candidateVictim, excess int) int {
	all, largest := 0, 0
	for _, v := range list {
		all, largest = all+v.gpus, max(largest, v.all.gpus)
	}
	return min(all, excess-1+largest)
}

// fairSet finds the cheapest fair set of victims that lets a flex claim start:
// among few candidates the cheapest of all, else one that is minimal.
func (pl *Planner) fairSet(c *claim, list []*candidateVictim) ([]fleet.Spot, []*candidateVictim, bool) {
	few := list
	if len(list) <= fewCandidates {
		if more := pl.anyReplica(c, list); len(more) <= fewCandidates {
			few = more
		}
	}
	if _, ok := pl.fits(c, few); !ok {
		return nil, nil, false
	}
	if len(list) <= fewCandidates {
		return pl.cheapestFair(c, few)
	}
	if spots, victims, ok := pl.cheapestSet(c, pl.downToShare(c, list)); ok && pl.fair(c, victims) {
		return spots, victims, true
	}
	return pl.fairAtPlace(c, list)
}

// fair says whether a claim may evict a set of victims on flex.
func (pl *Planner) fair(c *claim, victims []*candidateVictim) bool {
	shares, others, own := pl.sharesNow(), false, 0
	taken, largest := map[string]int{}, map[string]int{}
	for _, v := range victims {
		ns := v.w.Namespace
		if v.follows(victims) {
			continue
		}
		if ns == c.w.Namespace {
			own += v.all.gpus
			continue
		}
		others = true
		taken[ns] += v.all.gpus
		largest[ns] = max(largest[ns], v.all.gpus)
	}
	grows := own > 0 && c.gpus > own && pl.othersWant(c.w.Namespace)
	if (others || grows) && pl.p.FlexOf(c.w.Namespace).Staying-own+c.gpus > shares[c.w.Namespace] {
		return false // above its share it grows on free room only
	}
	for ns, gpus := range taken {
		if gpus-largest[ns] >= pl.p.FlexOf(ns).Staying-shares[ns] {
			return false
		}
	}
	return true
}

// othersWant says whether another namespace asks for more flex than it has.
func (pl *Planner) othersWant(namespace string) bool {
	for _, ns := range pl.p.Namespaces() {
		if use := pl.p.FlexOf(ns); ns != namespace && use.Demand() > use.Staying {
			return true
		}
	}
	return false
}

// cheapestFair looks at every fair set of candidates.
func (pl *Planner) cheapestFair(c *claim, list []*candidateVictim) ([]fleet.Spot, []*candidateVictim, bool) {
	fair := func(set []*candidateVictim) ([]*candidateVictim, bool) { return set, pl.fair(c, set) }
	all := func(spots []fleet.Spot, set []*candidateVictim) bool {
		// Nobody goes only to make room in a share.
		return len(pl.giveBackAt(c, spots, set)) == len(set) && len(pl.giveBack(c, set)) == len(set) &&
			!pl.shrinkingDoes(c, set) && pl.fair(c, pl.shrink(c, spots, set))
	}
	best := pl.cheapestWhere(c, list, nil, fair, all)
	if best == nil {
		return nil, nil, false
	}
	spots, ok := pl.fits(c, best)
	return spots, pl.shrink(c, spots, best), ok
}

// fairAtPlace finds a place with all candidates gone, island by island, and then
// keeps only those victims that the place needs.
func (pl *Planner) fairAtPlace(c *claim, list []*candidateVictim) ([]fleet.Spot, []*candidateVictim, bool) {
	var spots []fleet.Spot
	var victims []*candidateVictim
	for i := range pl.p.Islands {
		there := pl.eachOnce(list, pl.touching(c, list, i))
		found, ok := pl.fits(c, there)
		if !ok {
			continue
		}
		pl.give(c, found, 1)
		set := pl.stillNeeded(found, there)
		pl.give(c, found, -1)
		if spared := pl.giveBack(c, set); len(spared) < len(set) {
			set = spared
			found, _ = pl.fits(c, set)
		}
		set = pl.shrink(c, found, set)
		if pl.fair(c, set) && (victims == nil || cheaperSet(set, victims)) {
			spots, victims = found, set
		}
	}
	return spots, victims, victims != nil
}

// eachOnce leaves out, of the candidates that touch an island, surplus that was put in
// place of other surplus and is a part of what goes with the whole pool: needed would
// count the room it frees twice. (shrink tries such surplus.)
func (pl *Planner) eachOnce(list, there []*candidateVictim) []*candidateVictim {
	known := make(map[*candidateVictim]bool, len(list))
	for _, v := range list {
		known[v] = true
	}
	clear(pl.cores)
	for _, v := range there {
		pl.cores.mark(&v.unit)
	}
	return slices.DeleteFunc(there, func(v *candidateVictim) bool {
		return !known[v] && (pl.cores[part{v.w.ID, fleet.Base}] || pl.cores[part{v.w.ID, v.pool}])
	})
}

// downToShare keeps, of other namespaces' units, only those that are taken
// while the namespace is still above its share.
func (pl *Planner) downToShare(c *claim, list []*candidateVictim) []*candidateVictim {
	shares, left := pl.sharesNow(), map[string]int{}
	var kept []*candidateVictim
	for _, v := range list {
		ns := v.w.Namespace
		if ns == c.w.Namespace {
			kept = append(kept, v)
			continue
		}
		if _, seen := left[ns]; !seen {
			left[ns] = pl.p.FlexOf(ns).Staying
		}
		if left[ns] > shares[ns] {
			left[ns] -= v.gpus
			kept = append(kept, v)
		}
	}
	return kept
}
