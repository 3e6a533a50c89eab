package placement

import (
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// growInQuota gives an elastic pool more replicas on free and flex GPUs within the
// backing of the quota or tree.
func (pl *Planner) growInQuota() (Plan, bool) { return pl.grow(false) }

// growOnFlex gives an elastic pool on flex more replicas on free GPUs.
func (pl *Planner) growOnFlex() (Plan, bool) { return pl.grow(true) }

// grow gives an elastic pool of one side, flex or in quota, more replicas.
func (pl *Planner) grow(flex bool) (Plan, bool) {
	pl.growth = growthMemo{}
	var list []*fleet.Workload
	for _, w := range pl.p.Growing() {
		if w.Flexes() == flex && !pl.grown(w) {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return Plan{}, false
	}
	sort.SliceStable(list, func(i, j int) bool { return pl.growsBefore(list[i], list[j]) })
	for _, w := range list {
		rests := true
		pl.readsPlaces, pl.lacking = false, lacksCounts
		for i := range w.Pools {
			if pl.isWithheld(w, i) {
				rests = false
				continue
			}
			if most := w.MayGrow(i); most > 0 {
				if plan, ok := pl.growPool(w, i, most); ok {
					return plan, true
				}
			}
		}
		if rests {
			pl.noteGrown(w)
		}
	}
	return Plan{}, false
}

// growthMemo is what all pools that might grow ask about one state.
type growthMemo struct {
	flex  *flexHead             // the head of flex; nil: not asked yet
	heads map[*fleet.Tree]*head // of each tree's borrowers; nil: none is asked for yet
}

func (m *growthMemo) note(tree *fleet.Tree, h *head) {
	if m.heads == nil {
		m.heads = map[*fleet.Tree]*head{}
	}
	m.heads[tree] = h
}

// growsBefore orders growth of one side: by importance and age, and on flex the
// namespace with the least first.
func (pl *Planner) growsBefore(a, b *fleet.Workload) bool {
	if x, y := pl.p.FlexOf(a.Namespace).Staying, pl.p.FlexOf(b.Namespace).Staying; a.Flexes() && x != y {
		return x < y
	}
	return fleet.KeyOf(a, a.BaseRank(), true).Before(fleet.KeyOf(b, b.BaseRank(), true))
}

func (pl *Planner) growPool(w *fleet.Workload, pool, most int) (Plan, bool) {
	it := fleet.Waiting{Workload: w, Pool: pool, Key: fleet.KeyOf(w, w.Pools[pool].Rank, true)}
	if w.Flexes() {
		return pl.besideReturning(it, func() (Plan, bool) { return pl.growFlexPool(it, most) })
	}
	for _, holds := range []fleet.HeldAs{fleet.HoldsGuaranteed, fleet.HoldsBorrowing} {
		if holds == fleet.HoldsGuaranteed && joinsUncovered(it) {
			continue
		}
		returning := pl.returningTo(w.Account().Root())
		if len(returning) > 0 {
			pl.lacking = lacksRoom // whether they could return hangs on all that stands on nodes
		}
		room := pl.growthRoom(it, holds, pl.returningGPUs(returning))
		n := min(most, room/w.Pools[pool].GPUs)
		if n <= 0 || holds == fleet.HoldsBorrowing && pl.siblingWaits(it) {
			continue
		}
		if plan, ok := pl.growBeside(returning, it, holds, n); ok {
			return plan, true
		}
	}
	return Plan{}, false
}

// growBeside grows by as many replicas, up to a bound, as leave the units their room that are on their way back.
func (pl *Planner) growBeside(returning []fleet.Waiting, it fleet.Waiting, holds fleet.HeldAs, most int) (Plan, bool) {
	for most > 0 {
		plan, ok := pl.growBy(pl.claimOf(it, it.Workload.Account(), holds), most)
		if !ok || pl.leavesRoomFor(returning, it, plan) {
			return plan, ok
		}
		most = fleet.Count(plan.Spots) - 1
		pl.readsPlaces = true
	}
	return Plan{}, false
}

// growthRoom is the GPUs by which a pool may grow in one way of holding them, by count; so many are kept for units that are
// on their way back to their queues and come before growth.
func (pl *Planner) growthRoom(it fleet.Waiting, holds fleet.HeldAs, back int) int {
	a := it.Workload.Account()
	held, tree := heldFrom(a, it.Workload), pl.backedGPUs(a.Root())-a.Root().Stays()
	room := a.BackedGPUs() - a.Stays() - held
	switch {
	case holds != fleet.HoldsBorrowing:
	case held > 0:
		room = min(tree, room+a.Lendable((*fleet.Account).Stays))
	default:
		room = tree
	}
	if back > 0 {
		room = min(room, tree) - back
	}
	if holds == fleet.HoldsBorrowing {
		room = pl.sparing(it, room)
	}
	return room
}

// leavesRoomFor says whether growth leaves the nodes that units of its quota need which are
// on their way back to its queue.
func (pl *Planner) leavesRoomFor(returning []fleet.Waiting, it fleet.Waiting, plan Plan) bool {
	for _, r := range returning {
		h := head{}
		if to := r.Workload.ReturnsTo(); to == it.Workload.Account() && r.Workload != it.Workload {
			h.considerReturning(pl, to, r)
		}
		if h.returns && !h.keepsRoom(pl, it, plan.Spots) {
			return false
		}
	}
	return true
}

// siblingWaits says whether the head of the tree's borrowers belongs to another
// quota, and could not take back what a pool grows by.
func (pl *Planner) siblingWaits(it fleet.Waiting) bool {
	tree := it.Workload.Account().Root()
	h := pl.growth.heads[tree]
	if h == nil {
		now := pl.borrowingHead(tree, nil)
		h = &now
		pl.growth.note(tree, h)
	}
	return h.reserves && h.account != it.Workload.Account() && !h.it.Key.Importance().Above(it.Key.Importance())
}

func (pl *Planner) growFlexPool(it fleet.Waiting, most int) (Plan, bool) {
	w, gpus := it.Workload, it.Workload.Pools[it.Pool].GPUs
	fair := min(most, (pl.sharesNow()[w.Namespace]-pl.p.FlexOf(w.Namespace).Staying)/gpus)
	c := pl.claimOf(it, nil, fleet.HoldsFlex)
	if plan, ok := pl.mostOnFree(c, fair); ok {
		return plan, true
	}
	if pl.growth.flex == nil {
		now := pl.flexHeadNow()
		pl.growth.flex = &now
	}
	if !pl.growth.flex.bars(pl, it) {
		if plan, ok := pl.mostOnFree(c, most); ok {
			return plan, true
		}
	}
	return pl.growIntoSurplus(c, fair)
}

// growIntoSurplus lets a pool whose namespace is below its share grow at the
// cost of surplus of namespaces above theirs, after the minimum run time.
func (pl *Planner) growIntoSurplus(c *claim, most int) (Plan, bool) {
	if most <= 0 {
		return Plan{}, false
	}
	pl.resizeClaim(c, 1)
	var list []*candidateVictim
	for _, v := range pl.evictableOnFlex(c) {
		if v.key.Surplus && v.w.Namespace != c.w.Namespace {
			list = append(list, v)
		}
	}
	n := max(1, pl.largest(c, most, pl.downToShare(c, list)))
	pl.resizeClaim(c, n)
	spots, victims, ok := pl.fairSet(c, list)
	if !ok {
		return Plan{}, false
	}
	return pl.preemptionPlan(c, spots, victims), true
}

// growBy grows by as many replicas as free room takes, else by as many as flex
// work can make room for.
func (pl *Planner) growBy(c *claim, most int) (Plan, bool) {
	pl.limitGrowth(c)
	if plan, ok := pl.mostOnFree(c, most); ok {
		return plan, true
	}
	pl.lacking = max(pl.lacking, lacksNodes)
	if pl.resizeClaim(c, 1); !pl.mayFit(c, nil) || !pl.fitsWithoutFlex(c, nil) {
		return Plan{}, false
	}
	pl.lacking = lacksRoom
	list := byCost(pl.evictableFlex(c))
	n := pl.largest(c, most, list)
	if n == 0 {
		return Plan{}, false
	}
	pl.resizeClaim(c, n)
	spots, victims, ok := pl.cheapestSet(c, list)
	if !ok {
		return Plan{}, false
	}
	return pl.preemptionPlan(c, spots, victims), true
}

func (pl *Planner) limitGrowth(c *claim) {
	pl.limitByTree(c)
	if c.holds == fleet.HoldsGuaranteed {
		pl.limitByQuota(c)
		return
	}
	pl.noOwnLimit(c)
}

func (pl *Planner) mostOnFree(c *claim, most int) (Plan, bool) {
	if most > 0 && !pl.anySlot(c.needs[0]) {
		return Plan{}, false
	}
	n := pl.largest(c, most, nil)
	if n == 0 {
		return Plan{}, false
	}
	pl.resizeClaim(c, n)
	return pl.placeOnFree(c)
}

// anySlot says whether some island's room takes a replica, were it open to the claim.
func (pl *Planner) anySlot(nd need) bool {
	if nd.beside >= 0 {
		return pl.p.Islands[pl.p.Nodes[nd.beside].Island].Slots(nd.gpus) > 0
	}
	return slices.ContainsFunc(pl.p.Islands, func(i *fleet.Island) bool { return i.Slots(nd.gpus) > 0 })
}

// largest is the most replicas, up to a bound, that fit with the victims gone.
func (pl *Planner) largest(c *claim, most int, victims []*candidateVictim) int {
	fits := func(n int) bool {
		pl.resizeClaim(c, n)
		_, ok := pl.fits(c, victims)
		return ok
	}
	if most <= 0 || !fits(1) {
		return 0
	}
	if fits(most) {
		return most
	}
	return 1 + sort.Search(most-1, func(n int) bool { return !fits(n + 2) })
}

func (pl *Planner) resizeClaim(c *claim, replicas int) {
	c.needs[0].replicas = replicas
	c.gpus = gpusOf(c.needs)
}
