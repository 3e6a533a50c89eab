package placement

import (
	"cmp"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Flex work on its way back to its queue waits from the moment when that was decided, as work in quota does: units that come
// after it leave it the free room on which it would start at once. Else younger work of its own namespace took its place.

// keptRoom is free room on which work would start, were it back in the queue of flex now.
type keptRoom struct {
	it    fleet.Waiting
	c     *claim
	spots []fleet.Spot
}

// keptOnFlex lists the work on its way to the queue of flex that would start at once on free room, in order of age, each beside those
// before it.
func (pl *Planner) keptOnFlex() []keptRoom {
	if at := pl.p.Shifted() + pl.flexStamp(); pl.flexBackAt != at || pl.flexBackTurn != pl.turns {
		pl.flexBackAt, pl.flexBackTurn, pl.flexBack = at, pl.turns, pl.flexBack[:0]
		for _, w := range pl.p.Leaving() {
			if w.ReturnsToFlex() {
				pl.keepOnFlex(w)
			}
		}
		pl.giveKept(pl.flexBack, -1)
	}
	return pl.flexBack
}

// keepOnFlex keeps room for one of them, if there is some.
func (pl *Planner) keepOnFlex(w *fleet.Workload) {
	it := fleet.Waiting{Workload: w, Pool: fleet.Base, Key: fleet.KeyOf(w, w.BaseRank(), false)}
	if pl.rests(it) {
		return
	}
	c := pl.claimOf(it, nil, fleet.HoldsFlex)
	if plan, ok := pl.placeOnFreeFlex(c); ok {
		pl.give(c, plan.Spots, 1)
		pl.flexBack = append(pl.flexBack, keptRoom{it, c, plan.Spots})
	}
}

func (pl *Planner) giveKept(kept []keptRoom, sign int) {
	for _, k := range kept {
		pl.give(k.c, k.spots, sign)
	}
}

// besideReturning plans a unit of flex so that those on their way back that come before it find their room. Where its plan takes that,
// it may start on other free room; no work leaves because room is kept.
func (pl *Planner) besideReturning(it fleet.Waiting, plan func() (Plan, bool)) (Plan, bool) {
	out, ok := plan()
	if !ok {
		return out, false
	}
	before := pl.keptBefore(it)
	if len(before) == 0 || pl.leavesKept(before, it, out) {
		return out, true
	}
	pl.giveKept(before, 1)
	out, ok = plan()
	pl.giveKept(before, -1)
	return out, ok && len(out.Victims) == 0
}

// keptBefore is what is kept for those that come before a unit.
func (pl *Planner) keptBefore(it fleet.Waiting) (list []keptRoom) {
	for _, k := range pl.keptOnFlex() {
		if pl.comesFirst(k.it, it) {
			list = append(list, k)
		}
	}
	return list
}

// leavesKept says whether those for which room is kept still find room, if not the same, beside a plan.
func (pl *Planner) leavesKept(kept []keptRoom, it fleet.Waiting, plan Plan) bool {
	given := []keptRoom{{it, pl.claimOf(it, nil, fleet.HoldsFlex), plan.Spots}}
	pl.giveKept(given, 1)
	found := true
	for _, k := range kept {
		other, ok := pl.placeOnFree(k.c)
		if found = found && ok; !ok {
			break
		}
		given = append(given, keptRoom{k.it, k.c, other.Spots})
		pl.giveKept(given[len(given)-1:], 1)
	}
	pl.giveKept(given, -1)
	return found
}

// comesFirst says whether work on its way back comes before a unit on flex: by the order of their namespace, or because its namespace
// has less; of two that have as much, that whose workload was submitted first. It does not come before what could evict it by shares.
func (pl *Planner) comesFirst(back, it fleet.Waiting) bool {
	w, o := back.Workload, it.Workload
	switch {
	case w.Namespace == o.Namespace:
		return w != o && back.Key.Before(it.Key)
	case !pl.withinShare(back) && pl.withinShare(it) && !pl.withinEqualPart(back):
		return false
	}
	return cmp.Or(
		cmp.Compare(pl.p.FlexOf(w.Namespace).Staying, pl.p.FlexOf(o.Namespace).Staying),
		cmp.Compare(w.Submitted, o.Submitted), cmp.Compare(w.ID, o.ID)) < 0
}

// withinShare says whether a unit's namespace stays within its share of flex with it.
func (pl *Planner) withinShare(it fleet.Waiting) bool {
	ns := it.Workload.Namespace
	return pl.p.FlexOf(ns).Staying+gpusFor(it) <= pl.sharesNow()[ns]
}

// withinEqualPart says whether a unit's namespace stays within an equal part of flex for all that ask for some, and itself. No share is
// less; work that is retargeted does not ask yet.
func (pl *Planner) withinEqualPart(it fleet.Waiting) bool {
	asking := 1
	for ns, use := range pl.p.FlexUses() {
		if ns != it.Workload.Namespace && use.Demand() > 0 {
			asking++
		}
	}
	flex := pl.p.Flex()
	if !it.Workload.Flexes() {
		flex += it.Workload.GPUs() // what it leaves in its quota is flex, too
	}
	return pl.p.FlexOf(it.Workload.Namespace).Staying+gpusFor(it) <= flex/asking
}

// FlexReturning is work on its way back for which free room is kept that would let a unit start, if there is some.
func (pl *Planner) FlexReturning(it fleet.Waiting) (fleet.Waiting, bool) {
	if pl.rests(it) {
		return fleet.Waiting{}, false
	}
	free := func() (Plan, bool) { return pl.placeOnFreeFlex(pl.claimOf(it, nil, fleet.HoldsFlex)) }
	before := pl.keptBefore(it)
	if _, ok := free(); !ok || len(before) == 0 {
		return fleet.Waiting{}, false
	}
	_, starts := pl.besideReturning(it, free)
	return before[0].it, !starts
}
