package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file searches for the cheapest set of victims that lets a claim start.

// cheapestSet finds victims for a claim. A claim that stands in one island is
// tried in each with only the candidates there; the cheapest answer wins.
func (pl *Planner) cheapestSet(c *claim, list []*candidateVictim) ([]fleet.Spot, []*candidateVictim, bool) {
	return pl.cheapestSetIn(c, list, mostGPUs{}, nil)
}

// cheapestSetIn is cheapestSet where it is known which islands could have room with a fair set of candidates gone, and
// perhaps what a search among these candidates and more has found (nil: there was none, or it is not kept).
func (pl *Planner) cheapestSetIn(c *claim, list []*candidateVictim, most mostGPUs, last *lastSearch) ([]fleet.Spot, []*candidateVictim, bool) {
	if len(c.needs) > 1 || c.needs[0].reach == fleet.ReachAny || len(pl.p.Islands) == 1 || c.island >= 0 {
		return pl.minimalSet(c, list, last.in(0))
	}
	defer func() { c.island = -1 }()
	var spots []fleet.Spot
	var victims []*candidateVictim
	found, all := false, last.byIsland(pl, c, list)
	for i := range pl.p.Islands {
		c.island = -1
		known := last.in(i)
		if known.isFull() || !c.mayUseVacated(i) || !most.mayStand(c, i) {
			continue
		}
		c.island = i
		s, v, ok := pl.minimalSet(c, all.touching(i), known)
		if ok && (!found || cheaperSet(v, victims)) {
			spots, victims, found = s, v, true
		}
	}
	return spots, victims, found
}

// minimalSet takes candidates from the cheapest on until the claim fits, and
// then gives back, the dearest first, those it fits without.
func (pl *Planner) minimalSet(c *claim, list []*candidateVictim, known *lastInIsland) ([]fleet.Spot, []*candidateVictim, bool) {
	if _, ok := pl.fits(c, list); !ok { // so it is in most islands
		known.fill()
		return nil, nil, false
	}
	enough := known.search(len(list), func(n int) bool {
		_, ok := pl.fits(c, list[:n])
		return ok
	})
	chosen := append([]*candidateVictim(nil), list[:enough]...)
	if len(chosen) > fewCandidates {
		chosen = pl.neededThere(c, chosen)
	}
	chosen = pl.giveBack(c, chosen)
	if len(chosen) > 0 && len(list) <= fewCandidates {
		chosen = pl.cheapestOfAll(c, list, chosen)
	}
	spots, ok := pl.fits(c, chosen)
	if ok {
		chosen = pl.shrink(c, spots, pl.giveBackAt(c, spots, chosen))
	}
	return spots, chosen, ok
}

// neededThere keeps, of many victims, only those that the place needs that is
// found with all of them gone: the dearest are spared first.
func (pl *Planner) neededThere(c *claim, chosen []*candidateVictim) []*candidateVictim {
	spots, ok := pl.fits(c, chosen)
	if !ok {
		return chosen
	}
	kept := append([]*candidateVictim(nil), pl.giveBackAt(c, spots, chosen)...)
	if _, ok := pl.fits(c, kept); !ok {
		return chosen
	}
	return kept
}

// cheapestOfAll looks at every set of candidates that is cheaper than the best
// one known so far.
func (pl *Planner) cheapestOfAll(c *claim, list, best []*candidateVictim) []*candidateVictim {
	list = pl.anyReplica(c, noDearer(list, dearestOf(best)))
	asIs := func(set []*candidateVictim) ([]*candidateVictim, bool) { return set, true }
	return pl.cheapestWhere(c, list, best, asIs, everyPlace)
}

// everyPlace takes each set that fits.
func everyPlace([]fleet.Spot, []*candidateVictim) bool { return true }

// cheapestWhere looks at every set that may be taken at all, as something, and is cheaper
// than the best one known so far (nil: none is); what fits must also do. None fits where all
// together do not. Who is in every set that fits (all without it do not) is found out first,
// and a set inside one that did not fit is not tried.
func (pl *Planner) cheapestWhere(c *claim, list, best []*candidateVictim, may func(set []*candidateVictim) ([]*candidateVictim, bool), does func(spots []fleet.Spot, set []*candidateVictim) bool) []*candidateVictim {
	if _, ok := pl.fits(c, list); !ok {
		return best
	}
	all := 1<<len(list) - 1
	needed := 0
	for i := range list {
		if _, ok := pl.fits(c, subset(list, all&^(1<<i))); !ok {
			needed |= 1 << i
		}
	}
	var failed []int
	for mask := all; mask > 0; mask-- {
		if mask&needed != needed || within(mask, failed) {
			continue
		}
		set := subset(list, mask)
		if tooMany(set) || best != nil && !cheaperSet(set, best) {
			continue
		}
		set, ok := may(set)
		if !ok || best != nil && !cheaperSet(set, best) {
			continue
		}
		if spots, ok := pl.fits(c, set); !ok {
			failed = append(failed, mask)
		} else if does(spots, set) {
			best = set
		}
	}
	return best
}

// noDearer keeps the candidates that no set cheaper than one with this worst victim may be without.
func noDearer(list []*candidateVictim, worst *candidateVictim) []*candidateVictim {
	return slices.DeleteFunc(slices.Clone(list), func(v *candidateVictim) bool { return dearer(v, worst) })
}

func subset(list []*candidateVictim, mask int) []*candidateVictim {
	set := make([]*candidateVictim, 0, len(list))
	for i, v := range list {
		if mask&(1<<i) != 0 {
			set = append(set, v)
		}
	}
	return set
}

// within says whether a set lies inside one of others.
func within(mask int, others []int) bool {
	return slices.ContainsFunc(others, func(o int) bool { return mask&^o == 0 })
}
