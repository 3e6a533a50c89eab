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
	most := pl.mostIn(c, list)
	if !pl.someTakes(c, list, most) {
		return nil, nil, false
	}
	return pl.fairSetIn(c, list, pl.downToShare(c, list), most)
}

// fairSetIn looks first for a set among the candidates that are taken while their namespace is above its share.
func (pl *Planner) fairSetIn(c *claim, list, down []*candidateVictim, most mostGPUs) ([]fleet.Spot, []*candidateVictim, bool) {
	if spots, victims, ok := pl.cheapestSetIn(c, down, most, nil); ok && pl.fair(c, victims) {
		return spots, victims, true
	}
	return pl.fairAtPlace(c, list, most)
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
func (pl *Planner) fairAtPlace(c *claim, list []*candidateVictim, most mostGPUs) (spots []fleet.Spot, victims []*candidateVictim, ok bool) {
	all := pl.byIsland(c, list)
	for i := range pl.p.Islands {
		if !most.mayTake(c, i) {
			continue
		}
		found, set, fair := pl.fairAmong(c, pl.eachOnce(all.touching(i)))
		if fair && (victims == nil || cheaperSet(set, victims)) {
			spots, victims = found, set
		}
	}
	return spots, victims, victims != nil
}

// fairAmong finds a place with some candidates gone, and whether those of them that it needs are a fair set.
func (pl *Planner) fairAmong(c *claim, there []*candidateVictim) (spots []fleet.Spot, set []*candidateVictim, fair bool) {
	spots, ok := pl.fits(c, there)
	if !ok {
		return nil, nil, false
	}
	pl.give(c, spots, 1)
	set = pl.stillNeeded(spots, there)
	pl.give(c, spots, -1)
	if spared := pl.giveBack(c, set); len(spared) < len(set) {
		set = spared
		spots, _ = pl.fits(c, set)
	}
	set = pl.shrink(c, spots, set)
	return spots, set, pl.fair(c, set)
}

// eachOnce leaves out, of the candidates that touch an island, surplus that was put in
// place of other surplus and is a part of what goes with the whole pool: needed would
// count the room it frees twice. (shrink tries such surplus.)
func (pl *Planner) eachOnce(there []*candidateVictim) []*candidateVictim {
	clear(pl.cores)
	for _, v := range there {
		pl.cores.mark(&v.unit)
	}
	return slices.DeleteFunc(there, func(v *candidateVictim) bool {
		return v.instead && v.goesWith(pl.cores)
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
			left[ns] -= v.onFlex.freed
			kept = append(kept, v)
		}
	}
	return kept
}
