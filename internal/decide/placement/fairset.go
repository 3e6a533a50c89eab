package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file searches for a fair set of victims on flex.

// fairSet finds the cheapest fair set of victims that lets a flex claim start:
// among few candidates the cheapest of all, else one that is minimal.
func (pl *Planner) fairSet(c *claim, list []*candidateVictim) ([]fleet.Spot, []*candidateVictim, bool) {
	if len(list) <= fewCandidates {
		return pl.cheapestFair(c, pl.anyReplica(c, list))
	}
	if _, ok := pl.fits(c, list); !ok {
		return nil, nil, false
	}
	if spots, victims, ok := pl.cheapestSet(c, pl.downToShare(c, list)); ok && pl.fair(c, victims) {
		return spots, victims, true
	}
	return pl.fairAtPlace(c, list)
}

// cheapestFair looks at every fair set of candidates.
func (pl *Planner) cheapestFair(c *claim, list []*candidateVictim) ([]fleet.Spot, []*candidateVictim, bool) {
	fair := func(set []*candidateVictim) ([]*candidateVictim, bool) { return set, pl.fair(c, set) }
	all := func(spots []fleet.Spot, set []*candidateVictim) bool {
		// No work leaves only to make room in a share.
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
	known := make(map[*candidateVictim]bool, len(list))
	for _, v := range list {
		known[v] = true
	}
	most := pl.mostIn(c, list)
	for i := range pl.p.Islands {
		if !most.mayTake(c, i) {
			continue
		}
		there := pl.eachOnce(known, pl.touching(c, list, i))
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
func (pl *Planner) eachOnce(known map[*candidateVictim]bool, there []*candidateVictim) []*candidateVictim {
	clear(pl.cores)
	for _, v := range there {
		pl.cores.mark(&v.unit)
	}
	return slices.DeleteFunc(there, func(v *candidateVictim) bool {
		return !known[v] && v.goesWith(pl.cores)
	})
}

// downToShare keeps, of other namespaces' units, only those that are taken
// while the namespace is still above its share.
func (pl *Planner) downToShare(c *claim, list []*candidateVictim) []*candidateVictim {
	shares, left := pl.sharesNow(), map[string]int{}
	var kept []*candidateVictim
	for _, v := range list {
		ns := v.w.Namespace
		if ns == c.w.Namespace || passed(c, &v.unit) {
			kept = append(kept, v)
			continue
		}
		if _, seen := left[ns]; !seen {
			left[ns] = pl.p.FlexOf(ns).Staying
		}
		if left[ns] > shares[ns] {
			left[ns] -= v.used
			kept = append(kept, v)
		}
	}
	return kept
}
