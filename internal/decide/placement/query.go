package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file answers questions about a waiting unit for explain, with the same
// rules that decide.

// Barrier is the waiting unit ahead that keeps another from passing, if there is one.
func (pl *Planner) Barrier(it fleet.Waiting) (fleet.Waiting, bool) {
	a := pl.p.Account(it.Workload.Target)
	if a == nil {
		return fleet.Waiting{}, false
	}
	back := pl.returning(a)
	hs := pl.headsBefore(a, &back, func(ahead *fleet.Waiting) bool { return ahead.Before(&it) })
	for _, r := range earlierThan(&back, it.Key) {
		hs.first.considerReturning(pl, a, r)
	}
	if h := hs.barring(pl, a, it, HoldGuaranteed); h != nil {
		return h.it, true
	}
	return hs.first.it, false
}

// headsBefore are the heads of a quota's queue among the units that pass a test, up to the first that does not. Units on their way
// back to the queue are taken out of back as they come before those.
func (pl *Planner) headsBefore(a *fleet.Account, back *[]fleet.Waiting, before func(*fleet.Waiting) bool) (hs heads) {
	for _, ahead := range a.Firsts() {
		if !before(ahead) {
			break
		}
		for _, r := range earlierThan(back, ahead.Key) {
			hs.first.considerReturning(pl, a, r)
		}
		hs.consider(pl, a, *ahead)
	}
	return hs
}

// FitsBacking says whether a unit would fit the present backing of its quota if nothing ran there.
func (pl *Planner) FitsBacking(it fleet.Waiting) bool {
	a := pl.p.Account(it.Workload.Target)
	return a != nil && pl.fitsEmpty(a, it, false)
}

// BackingHolds is FitsBacking where GPUs alone count.
func (pl *Planner) BackingHolds(it fleet.Waiting) bool {
	a := pl.p.Account(it.Workload.Target)
	return a != nil && pl.gpusFitEmpty(a, it, false)
}

// Needs is the number of GPUs that a waiting unit must get together, and the
// number of whole nodes that its largest gang needs in one island (0: it may be spread).
func Needs(p *fleet.Partition, it fleet.Waiting) (gpus, gang int) {
	for _, nd := range needs(nil, it) {
		gpus += nd.replicas * nd.gpus
		per := p.GPUsPerNode / nd.gpus
		if nd.reach != fleet.ReachAny && per > 0 {
			gang = max(gang, (nd.replicas+per-1)/per)
		}
	}
	return gpus, gang
}

// CouldEver says whether some island (for reach any, the partition) could hold
// the unit if every node were healthy and nothing ran.
func (pl *Planner) CouldEver(it fleet.Waiting) bool {
	total := len(pl.p.Nodes)
	for _, nd := range needs(nil, it) {
		per := pl.p.GPUsPerNode / nd.gpus
		if per == 0 || nd.replicas > total*per {
			return false
		}
		if nd.reach != fleet.ReachAny && nd.replicas > pl.largestReach(nd.reach)*per {
			return false
		}
	}
	return true
}

// largestReach is the number of nodes in the largest island, or rack.
func (pl *Planner) largestReach(reach fleet.Reach) int {
	if l := &pl.largestOf; l.of != len(pl.p.Nodes) {
		*l = reachSizes{of: len(pl.p.Nodes)}
		for _, island := range pl.p.Islands {
			l.island = max(l.island, len(island.Nodes()))
			racks := map[int]int{}
			for _, n := range island.Nodes() {
				racks[pl.p.Nodes[n].Rack]++
				l.rack = max(l.rack, racks[pl.p.Nodes[n].Rack])
			}
		}
	}
	if reach == fleet.ReachRack {
		return pl.largestOf.rack
	}
	return pl.largestOf.island
}

// HeldFrom is the GPUs of its quota's backing that others hold from a waiting
// unit and do not use, and whether the unit would be guaranteed in number without
// holds, used or not.
func (pl *Planner) HeldFrom(it fleet.Waiting) (unused int, barred bool) {
	a := pl.p.Account(it.Workload.Target)
	if a == nil || len(a.InsideHolds()) == 0 {
		return 0, false
	}
	c := pl.claimOf(it, a, fleet.HoldsGuaranteed)
	return heldFrom(a, it.Workload), pl.earlier(c)+c.gpus <= a.BackedGPUs() && !pl.counts(c)
}

// FlexBeforeIt is the head of flex where a unit, which may pass it, would find free room. If it is not started even so, then
// because its namespace would hold so much that work of it could be evicted for the head at once.
func (pl *Planner) FlexBeforeIt(it fleet.Waiting) (fleet.Waiting, bool) {
	h := pl.flexHeadNow()
	if h.it.Workload == nil || h.it.Workload == it.Workload || pl.rests(it) {
		return fleet.Waiting{}, false
	}
	_, free := pl.placeOnFreeFlex(pl.claimOf(it, nil, fleet.HoldsFlex))
	return h.it, free
}

// FlexBarrier is the head of flex that keeps a unit from passing, if it does.
func (pl *Planner) FlexBarrier(it fleet.Waiting) (fleet.Waiting, bool) {
	head := pl.flexHeadNow()
	return head.it, head.bars(pl, it)
}

// Unsure says whether the search for a unit's nodes stops early, so that whether it
// could start now is not known.
func (pl *Planner) Unsure(it fleet.Waiting) bool {
	if !severalIn(needs(nil, it)) {
		return false
	}
	pl.cutShort = false
	return !pl.startsNow(it) && pl.cutShort
}

// StartsNow says whether a unit could start now, as if no other waited.
func (pl *Planner) StartsNow(it fleet.Waiting) bool { return pl.startsNow(it) }

// startsNow says whether a unit could start now, in any way of holding its GPUs.
func (pl *Planner) startsNow(it fleet.Waiting) (ok bool) {
	a := pl.p.Account(it.Workload.Target)
	if a == nil {
		_, ok = pl.flex(it)
		return ok
	}
	if _, ok = pl.guarantee(a, it); !ok {
		_, ok = pl.borrow(a, it)
	}
	return ok
}

// TreeBarrier is the head of the tree's borrowers that keeps a unit from
// borrowing, if there is one; explain asks for it as for Barrier.
func (pl *Planner) TreeBarrier(it fleet.Waiting) (fleet.Waiting, bool) {
	h := pl.borrowingHead(pl.p.TreeOf(it.Workload.Tree()), &it.Key)
	return h.it, h.bars(pl, it, HoldBorrowing)
}
