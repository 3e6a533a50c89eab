package placement

import (
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/fleet"
)

// candidateVictim is a unit that a claim may evict, with what that would cost.
type candidateVictim struct {
	unit
	class Class
	flex  int  // GPUs that its namespace has on flex
	lost  int  // GPU-seconds since its last checkpoint
	all   unit // all that leaves with it
}

// cheaper orders candidates: who overran its declared maximum, then class, then the least important (on flex the
// namespace with the most flex) first, surplus before min, then the least work
// lost, then the last submitted.
func (a candidateVictim) cheaper(b candidateVictim) bool {
	switch {
	case a.overran != b.overran:
		return a.overran
	case a.class != b.class:
		return a.class < b.class
	case a.flex != b.flex:
		return a.flex > b.flex
	case a.key.Importance() != b.key.Importance():
		return b.key.Importance().Above(a.key.Importance())
	case a.key.Surplus != b.key.Surplus:
		return a.key.Surplus
	case a.lost != b.lost:
		return a.lost < b.lost
	}
	return b.key.Before(a.key)
}

// frees says whether evicting the unit makes room in the count of the claim's tree.
func (a candidateVictim) frees(c *claim) bool {
	return c.account != nil && a.w.Tree() == c.account.Tree() && a.class != ClassUnprotected
}

// freed is how many GPUs fewer the claim's tree must cover once the victim and
// all that leaves with it are gone.
func (a candidateVictim) freed(c *claim) int {
	if a.all.gpus == a.gpus {
		return a.unit.freed(c)
	}
	if c.account == nil || a.w.Tree() != c.account.Tree() {
		return 0
	}
	gpus := 0
	for i, replicas := range a.w.Held {
		for _, r := range replicas {
			covered := c.holds != fleet.HoldsGuaranteed || r.Holds != fleet.HoldsUnprotected
			if r.Phase != fleet.Leaving && covered && (a.pool == fleet.Base || a.pool == i) {
				gpus += a.w.Pools[i].GPUs
			}
		}
	}
	return gpus
}

// freed is how many GPUs fewer the claim's tree must cover without the unit.
func (u unit) freed(c *claim) int {
	sibling := c.account != nil && u.w.Tree() == c.account.Tree()
	if !sibling || c.holds == fleet.HoldsGuaranteed && u.holds == fleet.HoldsUnprotected {
		return 0
	}
	return u.gpus
}

// displace plans a claim that finds no free room: it looks for the cheapest set
// of victims that lets the claim start, island by island where its reach asks for one.
func (pl *Planner) displace(c *claim) (Plan, bool) {
	list := pl.evictable(c)
	if _, ok := pl.fits(c, list); !ok {
		return Plan{}, false // not even with all of them gone
	}
	for list = byCost(list); len(list) > 0; {
		spots, victims, ok := pl.cheapestSet(c, list)
		if !ok {
			return Plan{}, false
		}
		wrong := pl.noBorrower(c, victims)
		if wrong < 0 {
			return pl.eviction(c, spots, victims), true
		}
		list = without(list, victims[wrong])
	}
	return Plan{}, false
}

// eviction is the plan of a claim whose victims are chosen.
func (pl *Planner) eviction(c *claim, spots []fleet.Spot, victims []candidateVictim) Plan {
	pl.give(c, spots, 1)
	plan := pl.finish(c, spots, asVictims(victims))
	pl.give(c, spots, -1)
	return plan
}

// asVictims joins chosen units by workload: who loses the lowest-rank pools loses all.
func asVictims(list []candidateVictim) []Victim {
	var out []Victim
	at := map[uint64]int{}
	for _, v := range list {
		whole := v.pool == fleet.Base
		i, seen := at[v.w.ID]
		if !seen {
			i = len(out)
			at[v.w.ID] = i
			out = append(out, Victim{Workload: v.w, Class: v.class})
		}
		o := &out[i]
		o.Class = max(o.Class, v.class)
		if whole {
			o.Whole = true
			o.Spots = v.w.Spots(func(r fleet.Replica) bool { return r.Phase != fleet.Leaving })
		} else if !o.Whole && !v.follows(list) {
			o.Spots = join(o.Spots, v.all.spots)
		}
	}
	return out
}

// join adds spots to others, one spot per pool.
func join(spots, more []fleet.Spot) []fleet.Spot {
	for _, m := range more {
		i := slices.IndexFunc(spots, func(s fleet.Spot) bool { return s.Pool == m.Pool })
		if i < 0 {
			spots = append(spots, fleet.Spot{Pool: m.Pool, Nodes: slices.Clone(m.Nodes)})
			continue
		}
		spots[i].Nodes = append(spots[i].Nodes, m.Nodes...)
	}
	return spots
}

// cheapestSet finds victims for a claim. A claim that stands in one island is
// tried in each with only the candidates there; the cheapest answer wins.
func (pl *Planner) cheapestSet(c *claim, list []candidateVictim) ([]fleet.Spot, []candidateVictim, bool) {
	if len(c.needs) > 1 || c.needs[0].reach == fleet.ReachAny || len(pl.p.Islands) == 1 {
		return pl.minimalSet(c, list)
	}
	var spots []fleet.Spot
	var victims []candidateVictim
	found := false
	for i := range pl.p.Islands {
		s, v, ok := pl.minimalSet(c, pl.touching(c, list, i))
		if ok && (!found || cheaperSet(v, victims)) {
			spots, victims, found = s, v, true
		}
	}
	return spots, victims, found
}

// touching keeps the candidates that stand in an island, and those of the
// claim's own tree, whose GPUs count for it wherever they stand.
func (pl *Planner) touching(c *claim, list []candidateVictim, island int) []candidateVictim {
	var out []candidateVictim
	for _, v := range list {
		in := v.frees(c)
		v.eachNode(func(node, _ int) { in = in || pl.p.Nodes[node].Island == island })
		if in {
			out = append(out, v)
		}
	}
	return out
}

// minimalSet takes candidates from the cheapest on until the claim fits, and
// then gives back, the dearest first, whoever it fits without.
func (pl *Planner) minimalSet(c *claim, list []candidateVictim) ([]fleet.Spot, []candidateVictim, bool) {
	enough := sort.Search(len(list)+1, func(n int) bool {
		_, ok := pl.fits(c, list[:min(n, len(list))])
		return ok
	})
	if enough > len(list) {
		return nil, nil, false
	}
	chosen := append([]candidateVictim(nil), list[:enough]...)
	for spared := true; spared; { // whom the claim needs may change with who is spared
		spared = false
		for i := len(chosen) - 1; i >= 0; i-- {
			rest := append(append([]candidateVictim(nil), chosen[:i]...), chosen[i+1:]...)
			if _, ok := pl.fits(c, rest); ok {
				chosen, spared = rest, true
			}
		}
	}
	if len(chosen) > 1 && len(list) <= fewCandidates {
		chosen = pl.cheapestOfAll(c, list, chosen)
	}
	spots, ok := pl.fits(c, chosen)
	if ok {
		chosen = pl.thin(c, spots, chosen)
	}
	return spots, chosen, ok
}

// thin spares flex work that need not leave for the place that was found. (The
// search may miss a place that it would have found with fewer gone.)
func (pl *Planner) thin(c *claim, spots []fleet.Spot, chosen []candidateVictim) []candidateVictim {
	for i := len(chosen) - 1; i >= 0; i-- {
		if chosen[i].class != ClassFlex {
			continue
		}
		rest := append(append([]candidateVictim(nil), chosen[:i]...), chosen[i+1:]...)
		if pl.hasRoom(c, spots, rest) {
			chosen = rest
		}
	}
	return chosen
}

// hasRoom says whether the nodes of found spots have room for them with these victims gone.
func (pl *Planner) hasRoom(c *claim, spots []fleet.Spot, victims []candidateVictim) bool {
	leaving := slices.Clone(pl.leavers(victims))
	for _, v := range leaving {
		pl.evict(v.all)
	}
	pl.give(c, spots, 1)
	enough := pl.short(spots) == nil
	pl.give(c, spots, -1)
	for _, v := range leaving {
		pl.restore(v.all)
	}
	return enough
}

// give counts found spots into (sign 1) or out of (−1) what the claim has been given.
func (pl *Planner) give(c *claim, spots []fleet.Spot, sign int) {
	for _, spot := range spots {
		for _, node := range spot.Nodes {
			pl.extra[node] += sign * c.w.Pools[spot.Pool].GPUs
		}
	}
}

// fewCandidates is up to how many candidates every set is looked at. Beyond
// that the set is minimal, but another of the same class may cost less.
const fewCandidates = 12

// cheapestOfAll looks at every set of candidates that is cheaper than the best
// one known so far. Who is in every set that does (all without him do not) is
// found out first, and a set inside one that did not do is not tried.
func (pl *Planner) cheapestOfAll(c *claim, list, best []candidateVictim) []candidateVictim {
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
		if !cheaperSet(set, best) {
			continue
		}
		if _, ok := pl.fits(c, set); ok {
			best = set
		} else {
			failed = append(failed, mask)
		}
	}
	return best
}

func subset(list []candidateVictim, mask int) []candidateVictim {
	set := make([]candidateVictim, 0, len(list))
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
func (pl *Planner) fits(c *claim, victims []candidateVictim) ([]fleet.Spot, bool) {
	freed := 0
	leaving := pl.leavers(victims)
	for _, v := range leaving {
		pl.evict(v.all)
		freed += v.freed(c)
	}
	spots, ok := pl.findWith(c, freed)
	for _, v := range leaving {
		pl.restore(v.all)
	}
	return spots, ok
}

// leavers are the victims without those that leave with another victim anyway.
func (pl *Planner) leavers(victims []candidateVictim) []candidateVictim {
	clear(pl.cores)
	for _, v := range victims {
		if !v.key.Surplus {
			pl.cores[part{v.w.ID, v.pool}] = true
		}
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
func (a candidateVictim) follows(list []candidateVictim) bool {
	for _, o := range list {
		core := !o.key.Surplus && (o.pool == fleet.Base || o.pool == a.pool)
		if core && o.w == a.w && (a.key.Surplus || o.pool != a.pool) {
			return true
		}
	}
	return false
}

// findWith is find with the tree's count and limits as the victims leave them.
func (pl *Planner) findWith(c *claim, freed int) ([]fleet.Spot, bool) {
	if c.account != nil && !c.beyond {
		pl.limitByTree(c)
		if c.covered.gpus-freed+c.gpus > pl.treeBacked(c.account.Tree()) {
			return nil, false
		}
		pl.addCleared(c)
	}
	spots, ok := pl.find(c)
	if ok {
		pl.release(c, spots)
	}
	return spots, ok
}

// addCleared lets the claim open the nodes that its tree's victims leave.
func (pl *Planner) addCleared(c *claim) {
	for node, gone := range pl.gone {
		if gone == 0 {
			continue
		}
		n := pl.p.Nodes[node]
		if was := n.Owner(); was != nil && was.Tree() == c.account.Tree() && c.covered.has(node) && pl.owner(node) == nil {
			c.tree[n.Island]++
		}
	}
}

// cheaperSet compares sets of victims: class, importance, GPU-seconds lost, count.
func cheaperSet(a, b []candidateVictim) bool {
	wa, wb := worstOf(a), worstOf(b)
	if wa.class != wb.class {
		return wa.class < wb.class
	}
	if wa.key.Importance() != wb.key.Importance() {
		return wb.key.Importance().Above(wa.key.Importance())
	}
	la, lb := 0, 0
	for _, v := range a {
		la += v.lost
	}
	for _, v := range b {
		lb += v.lost
	}
	if la != lb {
		return la < lb
	}
	if x, y := len(asVictims(a)), len(asVictims(b)); x != y {
		return x < y
	}
	return len(a) < len(b)
}

func worstOf(list []candidateVictim) candidateVictim {
	w := candidateVictim{class: -1}
	for _, v := range list {
		if v.class > w.class || v.class == w.class && v.key.Importance().Above(w.key.Importance()) {
			w = v
		}
	}
	return w
}

func without(list []candidateVictim, v candidateVictim) []candidateVictim {
	out := make([]candidateVictim, 0, len(list))
	for _, x := range list {
		if x.key != v.key || x.pool != v.pool || x.index != v.index {
			out = append(out, x)
		}
	}
	return out
}

// evictable lists whom an in-quota claim may evict, in no order; none if the
// claim would not fit its tree's count even with all of them gone.
func (pl *Planner) evictable(c *claim) []candidateVictim {
	var list []candidateVictim
	freed := 0
	for _, a := range pl.p.Accounts {
		sibling := a.Tree() == c.account.Tree()
		if a != c.account && (a.Loose() == 0 || !sibling && c.holds != fleet.HoldsGuaranteed) {
			continue // all of it is guaranteed, or none of its business
		}
		for _, v := range pl.evictableOf(c, a) {
			list = append(list, v)
			freed += v.unit.freed(c)
		}
	}
	if !c.beyond && pl.coverageFor(c).gpus-freed+c.gpus > pl.treeBacked(c.account.Tree()) {
		return nil
	}
	return append(list, pl.evictableFlex(c)...)
}

// evictableFlex lists the flex work in the islands that a claim may use.
func (pl *Planner) evictableFlex(c *claim) []candidateVictim {
	var list []candidateVictim
	for _, u := range pl.flexUnits() {
		if pl.inReach(c, u) {
			list = append(list, pl.candidate(u, ClassFlex))
		}
	}
	return list
}

func (pl *Planner) inReach(c *claim, u unit) bool {
	for _, spot := range u.spots {
		for _, n := range spot.Nodes {
			if c.mayUse(pl.p.Nodes[n].Island) {
				return true
			}
		}
	}
	return false
}

func byCost(list []candidateVictim) []candidateVictim {
	slices.SortStableFunc(list, func(a, b candidateVictim) int { return order(a.cheaper(b), b.cheaper(a)) })
	return list
}

func (pl *Planner) candidate(u unit, class Class) candidateVictim {
	v := candidateVictim{unit: u, class: class, lost: int(u.w.Unsaved(pl.now).Seconds()) * u.gpus, all: allWith(u)}
	if class == ClassFlex {
		v.flex = pl.p.FlexOf(u.w.Namespace).Staying
	}
	return v
}

// allWith is a unit with all that leaves with it: everything with the
// lowest-rank pools, a pool's surplus with its min.
func allWith(u unit) unit {
	if u.key.Surplus || len(u.w.Pools) == 1 && !u.w.Pools[0].Elastic {
		return u
	}
	spots := u.w.Spots(func(r fleet.Replica) bool { return r.Phase != fleet.Leaving })
	gpus := 0
	var kept []fleet.Spot
	for _, s := range spots {
		if u.pool == fleet.Base || s.Pool == u.pool {
			kept = append(kept, s)
			gpus += len(s.Nodes) * u.w.Pools[s.Pool].GPUs
		}
	}
	if gpus == u.gpus {
		return u
	}
	u.spots, u.gpus = kept, gpus
	return u
}

// evictableOf lists the units of one account that an in-quota claim may evict.
func (pl *Planner) evictableOf(c *claim, a *fleet.Account) []candidateVictim {
	var list []candidateVictim
	for _, u := range pl.accountUnits(a) {
		class, ok := classFor(c, a, u)
		if ok && u.w != c.w {
			list = append(list, pl.candidate(u, class))
		}
	}
	return list
}

// classFor says whether a claim may evict a unit of an account, and as what. A
// younger unit of equal importance that is guaranteed may stay: what passed a
// waiting head is not taken back when the head could start sooner than thought.
func classFor(c *claim, a *fleet.Account, u unit) (Class, bool) {
	guaranteed := c.holds == fleet.HoldsGuaranteed
	sibling := a.Tree() == c.account.Tree()
	own := a == c.account
	less := c.key.Importance().Above(u.key.Importance())
	switch {
	case own && u.key.Before(c.key):
		return 0, false
	case own && (u.key.Surplus || guaranteed && u.overran && c.key.Since != fleet.Never) && !u.key.Importance().Above(c.key.Importance()):
		return ClassImportance, true
	case guaranteed && u.holds == fleet.HoldsUnprotected:
		return ClassUnprotected, true
	case guaranteed && sibling && u.holds == fleet.HoldsBorrowing:
		return ClassBorrowing, true
	case guaranteed && own && less:
		return ClassImportance, true
	case !guaranteed && sibling && less && u.holds == fleet.HoldsBorrowing:
		return ClassBorrowing, true
	}
	return 0, false
}

// noBorrower finds a victim of class borrowing that would be guaranteed once the
// newcomer is admitted and all other victims are gone, so is none; or −1. Without
// this, borrowers of one tree would take turns for ever (hard case 1).
func (pl *Planner) noBorrower(c *claim, victims []candidateVictim) int {
	for i, v := range victims {
		if v.class == ClassBorrowing && pl.wouldBeGuaranteed(c, v, victims) {
			return i
		}
	}
	return -1
}

func (pl *Planner) wouldBeGuaranteed(c *claim, v candidateVictim, victims []candidateVictim) bool {
	a := v.w.Account()
	usage, touched := v.gpus, map[int]bool{}
	if a == c.account && c.key.Before(v.key) {
		usage += c.gpus
	}
	gone, whole := map[unitID]bool{}, map[uint64]bool{}
	for _, o := range victims {
		gone[o.id()] = true
		whole[o.w.ID] = whole[o.w.ID] || o.pool == fleet.Base
	}
	v.eachNode(func(node, _ int) { touched[node] = true })
	for _, u := range pl.accountUnits(a) {
		if u.before(v.unit) && !gone[u.id()] && !(whole[u.w.ID] && u.w != v.w) {
			usage += u.gpus
			u.eachNode(func(node, _ int) { touched[node] = true })
		}
	}
	return usage <= a.Backed() && pl.within(a, touched)
}

// within says whether nodes lie inside an account's backing, island by island.
func (pl *Planner) within(a *fleet.Account, touched map[int]bool) bool {
	left := append([]int(nil), a.Backing...)
	for node := range touched {
		if left[pl.p.Nodes[node].Island]--; left[pl.p.Nodes[node].Island] < 0 {
			return false
		}
	}
	return true
}
