package placement

import (
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file searches for the cheapest set of victims that lets a claim start.

// cheapestSet finds victims for a claim. A claim that stands in one island is
// tried in each with only the candidates there; the cheapest answer wins.
func (pl *Planner) cheapestSet(c *claim, list []*candidateVictim) ([]fleet.Spot, []*candidateVictim, bool) {
	if len(c.needs) > 1 || c.needs[0].reach == fleet.ReachAny || len(pl.p.Islands) == 1 || c.island >= 0 {
		return pl.minimalSet(c, list)
	}
	defer func() { c.island = -1 }()
	var spots []fleet.Spot
	var victims []*candidateVictim
	found := false
	for i := range pl.p.Islands {
		if c.island = -1; !c.mayUseVacated(i) {
			continue
		}
		c.island = i
		s, v, ok := pl.minimalSet(c, pl.touching(c, list, i))
		if ok && (!found || cheaperSet(v, victims)) {
			spots, victims, found = s, v, true
		}
	}
	return spots, victims, found
}

// touching keeps the candidates that stand in an island, and those of the
// claim's own tree, whose GPUs count for it wherever they stand; and of flex pools
// that surplus which stands there.
func (pl *Planner) touching(c *claim, list []*candidateVictim, island int) []*candidateVictim {
	var out []*candidateVictim
	var others surplusStock
	for _, v := range list {
		in := v.frees(c)
		v.eachNode(func(node, _ int) { in = in || pl.p.Nodes[node].Island == island })
		if !in && v.key.Surplus && v.w.Flexes() {
			if others == nil {
				others = stockOf(list)
			}
			v = others.next(pl, v, island)
			in = v != nil
		}
		if in {
			out = append(out, v)
		}
	}
	return out
}

// minimalSet takes candidates from the cheapest on until the claim fits, and
// then gives back, the dearest first, whoever it fits without.
func (pl *Planner) minimalSet(c *claim, list []*candidateVictim) ([]fleet.Spot, []*candidateVictim, bool) {
	enough := sort.Search(len(list)+1, func(n int) bool {
		_, ok := pl.fits(c, list[:min(n, len(list))])
		return ok
	})
	if enough > len(list) {
		return nil, nil, false
	}
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

// holdsIn says whether a claim fits on the very nodes that were found for it with
// victims gone who are taken out of the picture already: on the nodes, within its
// limits and its tree's count.
func (pl *Planner) holdsIn(c *claim, spots []fleet.Spot, gone []*candidateVictim, freed int) bool {
	counts := c.counts()
	if counts && (!pl.countsWithout(c, freed) || !c.leavesHeld(gone)) || !pl.allOpen(c, spots) {
		return false
	}
	if counts {
		pl.addCleared(c, gone, 1)
	}
	for _, spot := range spots {
		pl.takeAll(c, spot.Nodes, c.w.Pools[spot.Pool].GPUs)
	}
	holds := pl.overfull(spots) == nil && pl.withinLimits(c)
	pl.release(c, spots)
	if counts {
		pl.addCleared(c, gone, -1)
	}
	return holds
}

// allOpen says whether every node of some spots is one that the claim may use.
func (pl *Planner) allOpen(c *claim, spots []fleet.Spot) bool {
	for _, spot := range spots {
		for _, node := range spot.Nodes {
			if pl.kindOf(c, node) == nodeClosed {
				return false
			}
		}
	}
	return true
}

// withinLimits says whether the claim has opened no more nodes than it may.
func (pl *Planner) withinLimits(c *claim) bool {
	if !c.counts() {
		return true
	}
	for i, opens := range c.opens {
		if opens > 0 && (c.own[i] < 0 || c.tree[i] < 0) {
			return false
		}
	}
	return true
}

// give counts found spots into (sign 1) or out of (−1) what the claim has been given.
func (pl *Planner) give(c *claim, spots []fleet.Spot, sign int) {
	for _, spot := range spots {
		for _, node := range spot.Nodes {
			pl.extra[node] += sign * c.w.Pools[spot.Pool].GPUs
			pl.moved[pl.p.Nodes[node].Island] += sign
		}
	}
}

// fewCandidates is up to how many candidates every set is looked at. Beyond
// that the set is minimal, but another of the same class may cost less.
const fewCandidates = 12

// cheapestOfAll looks at every set of candidates that is cheaper than the best
// one known so far.
func (pl *Planner) cheapestOfAll(c *claim, list, best []*candidateVictim) []*candidateVictim {
	list = noDearer(list, dearestOf(best))
	if more := pl.anyReplica(c, list); len(more) <= fewCandidates {
		list = more
	}
	if _, ok := pl.fits(c, list); !ok {
		return best
	}
	asIs := func(set []*candidateVictim) ([]*candidateVictim, bool) { return set, true }
	return pl.cheapestWhere(c, list, best, asIs, everyPlace)
}

// everyPlace takes each set that fits.
func everyPlace([]fleet.Spot, []*candidateVictim) bool { return true }

// cheapestWhere looks at every set that may be taken at all, as something, and is cheaper
// than the best one known so far (nil: none is); what fits must also do. Who is in every
// set that fits (all without him do not) is found out first, and a set inside one
// that did not fit is not tried.
func (pl *Planner) cheapestWhere(c *claim, list, best []*candidateVictim, may func(set []*candidateVictim) ([]*candidateVictim, bool), does func(spots []fleet.Spot, set []*candidateVictim) bool) []*candidateVictim {
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
	var kept []*candidateVictim
	for _, v := range list {
		if !dearer(v, worst) {
			kept = append(kept, v)
		}
	}
	return kept
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
	for _, o := range others {
		if mask&^o == 0 {
			return true
		}
	}
	return false
}

// fits looks for nodes with a set of victims gone, and leaves no trace.
func (pl *Planner) fits(c *claim, victims []*candidateVictim) ([]fleet.Spot, bool) {
	freed := 0
	leaving := pl.leavers(victims)
	for _, v := range leaving {
		freed += v.freed(c)
	}
	if !pl.countsWithout(c, freed) {
		return nil, false
	}
	for _, v := range leaving {
		pl.evict(v.all)
	}
	spots, ok := pl.findWith(c, leaving)
	for _, v := range leaving {
		pl.restore(v.all)
	}
	return spots, ok
}

// leavers are the victims without those that leave with another victim anyway.
func (pl *Planner) leavers(victims []*candidateVictim) []*candidateVictim {
	clear(pl.cores)
	for _, v := range victims {
		pl.cores.mark(&v.unit)
	}
	list := pl.leaving[:0]
	for _, v := range victims {
		withBase := v.pool != fleet.Base && pl.cores[part{v.w.ID, fleet.Base}]
		withPool := v.key.Surplus && pl.cores[part{v.w.ID, v.pool}]
		if !withBase && !withPool {
			list = append(list, v)
		}
	}
	pl.leaving = list
	return list
}

// part is a pool of a workload, or its lowest-rank pools.
type part struct {
	id   uint64
	pool int
}

// follows says whether a unit leaves with another of the list anyway.
func (a *candidateVictim) follows(list []*candidateVictim) bool {
	for _, o := range list {
		core := !o.key.Surplus && (o.pool == fleet.Base || o.pool == a.pool)
		if core && o.w == a.w && (a.key.Surplus || o.pool != a.pool) {
			return true
		}
	}
	return false
}

// countsWithout says whether a claim fits its tree's count with so many GPUs freed of it.
func (pl *Planner) countsWithout(c *claim, freed int) bool {
	return !c.counts() || c.covered.gpus-freed+c.gpus <= pl.backedGPUs(c.account.Root())
}

// findWith is find with the tree's limits as the victims leave them, who are out
// of the picture already.
func (pl *Planner) findWith(c *claim, leaving []*candidateVictim) ([]fleet.Spot, bool) {
	counts := c.counts()
	if counts {
		if !c.leavesHeld(leaving) {
			return nil, false
		}
		pl.setAwaitsLeavers(c)
		pl.addCleared(c, leaving, 1)
	}
	spots, ok := pl.find(c)
	if ok {
		pl.release(c, spots)
	}
	if counts {
		pl.addCleared(c, leaving, -1)
	}
	return spots, ok
}

// cheaperSet compares sets of victims: by the dearest of each, GPU-seconds lost,
// workloads, GPUs taken, and then by who submitted last.
func cheaperSet(a, b []*candidateVictim) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) < len(b)
	}
	wa, wb := dearestOf(a), dearestOf(b)
	if dearer(wa, wb) != dearer(wb, wa) {
		return dearer(wb, wa)
	}
	x, y := billOf(a), billOf(b)
	switch {
	case x.lost != y.lost:
		return x.lost < y.lost
	case x.workloads != y.workloads:
		return x.workloads < y.workloads
	case x.gpus != y.gpus:
		return x.gpus < y.gpus
	}
	return y.oldest.Before(x.oldest)
}

// bill is what a set of victims costs.
type bill struct {
	lost, workloads, gpus int
	oldest                fleet.Key
}

func billOf(list []*candidateVictim) bill {
	b := bill{oldest: list[0].key}
	for i, v := range list {
		if v.key.Before(b.oldest) {
			b.oldest = v.key
		}
		if !v.follows(list) {
			b.lost, b.gpus = b.lost+v.lost, b.gpus+v.all.gpus
		}
		if !slices.ContainsFunc(list[:i], func(o *candidateVictim) bool { return o.w == v.w }) {
			b.workloads++
		}
	}
	return b
}

// dearestOf is the victim of a set that is kept rather than all others.
func dearestOf(list []*candidateVictim) *candidateVictim {
	w := list[0]
	for _, v := range list {
		if dearer(v, w) {
			w = v
		}
	}
	return w
}

func without(list []*candidateVictim, v *candidateVictim) []*candidateVictim {
	out := make([]*candidateVictim, 0, len(list))
	for _, x := range list {
		if x.key != v.key || x.pool != v.pool || x.index != v.index {
			out = append(out, x)
		}
	}
	return out
}
