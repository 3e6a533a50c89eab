package placement

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// admitFlex admits the first waiting unit that finds room on flex: the
// namespace with the least flex first, then importance inside it, then age.
func (pl *Planner) admitFlex() (Plan, bool) {
	if pl.flexSleeps() {
		return Plan{}, false
	}
	head, rests := flexHead{}, true
	for _, use := range pl.byLeastFlex() {
		firsts := use.Firsts()
		head.consider(pl, firsts)
		for _, it := range firsts {
			if pl.tried(it) {
				continue
			}
			if pl.outrankedTooOften(it) || pl.isWithheld(it.Workload, it.Pool) {
				rests = false
				continue
			}
			plan, ok := pl.flexBehind(*it, &head)
			switch {
			case !ok:
				pl.noteTried(it)
			case !pl.betterInAnother(*it, plan):
				return plan, true
			default:
				rests = false
			}
		}
	}
	if rests {
		pl.noteFlexSleeps()
	}
	return Plan{}, false
}

// flexHead is the first waiting unit of flex that the pool could hold, and some island's
// usable nodes if nothing ran there. It holds a
// reservation against namespaces that have more flex than its own, so that a large
// gang is not starved by small ones.
type flexHead struct {
	it   fleet.Waiting
	gpus int
	has  int // flex of its namespace

	asked, closed bool // see closes
}

func (h *flexHead) consider(pl *Planner, firsts []*fleet.Waiting) {
	for i := 0; i < len(firsts) && h.it.Workload == nil; i++ {
		it := *firsts[i]
		if gpus := gpusFor(it); gpus <= pl.p.Flex() && !pl.rests(it) && pl.couldNow(it) {
			*h = flexHead{it: it, gpus: gpus, has: pl.p.FlexOf(it.Workload.Namespace).Staying}
		}
	}
}

// couldNow says whether some island's usable nodes (for reach any, the partition's) could
// hold the unit if nothing ran there except the rest of its own workload.
func (pl *Planner) couldNow(it fleet.Waiting) bool {
	own := map[int]int{}
	if it.Pool != fleet.Base {
		own, _ = pl.staysOf(it.Workload)
	}
	return !slices.ContainsFunc(needs(nil, it), func(nd need) bool {
		nd.tight = pl.p.Footprint(it.Workload.Pools[nd.pool].Footprint)
		return !pl.someIslandTakes(nd, own)
	})
}

// someIslandTakes says whether an island's usable nodes, or a rack's, take all replicas of
// a need beside what uses them already.
func (pl *Planner) someIslandTakes(nd need, used map[int]int) bool {
	all := 0
	for i, island := range pl.p.Islands {
		if nd.beside >= 0 && i != pl.p.Nodes[nd.beside].Island {
			continue
		}
		slots := make([]int, island.Racks)
		inIsland := 0
		for _, node := range island.Nodes() {
			n := takesAtMost(nd, node, pl.p.Nodes[node].Counted()-used[node])
			slots[pl.p.Nodes[node].Rack] += n
			inIsland += n
		}
		most := inIsland
		if nd.reach == fleet.ReachRack {
			most = slices.Max(slots)
		}
		if all += inIsland; most >= nd.replicas {
			return true
		}
	}
	return nd.reach == fleet.ReachAny && all >= nd.replicas
}

// bars says whether the head's reservation is against a unit: its namespace has more flex,
// and by shares the head could not take its room back after the minimum run time. It may
// still pass: see pass.
func (h *flexHead) bars(pl *Planner, it fleet.Waiting) bool {
	if h.it.Workload == nil || it.Workload == h.it.Workload {
		return false
	}
	has := pl.p.FlexOf(it.Workload.Namespace).Staying
	if has <= h.has {
		return false
	}
	shares := pl.sharesNow()
	within := h.has+h.gpus <= shares[h.it.Workload.Namespace]
	return !within || has+gpusFor(it) <= shares[it.Workload.Namespace]
}

// flexHeadNow is the head of flex as it stands.
func (pl *Planner) flexHeadNow() flexHead {
	head := flexHead{}
	for _, use := range pl.byLeastFlex() {
		head.consider(pl, use.Firsts())
	}
	return head
}

// byLeastFlex lists the namespaces in which a unit waits, the one with the
// least flex first; among equals the one whose head has waited longest.
func (pl *Planner) byLeastFlex() []*fleet.FlexUse {
	list := make([]*fleet.FlexUse, 0, len(pl.p.WaitingForFlex()))
	for _, ns := range pl.p.WaitingForFlex() {
		list = append(list, pl.p.FlexOf(ns))
	}
	slices.SortFunc(list, func(a, b *fleet.FlexUse) int {
		if a.Staying != b.Staying {
			return cmp.Compare(a.Staying, b.Staying)
		}
		x, y := a.Firsts()[0].Workload, b.Firsts()[0].Workload
		return cmp.Or(cmp.Compare(x.Submitted, y.Submitted), cmp.Compare(x.ID, y.ID))
	})
	return list
}

// flex plans a unit on flex: on what is free if it can, else by evicting less
// important work of its namespace, or work of a namespace above its share.
func (pl *Planner) flex(it fleet.Waiting) (Plan, bool) {
	if pl.rests(it) {
		return Plan{}, false
	}
	c := pl.claimOf(it, nil, fleet.HoldsFlex)
	if plan, ok := pl.placeOnFreeFlex(c); ok {
		return plan, true
	}
	spots, victims, ok := pl.flexVictims(c)
	if !ok {
		return Plan{}, false
	}
	return pl.preemptionPlan(c, spots, victims), true
}

// placeOnFreeFlex plans a flex claim on free room, if there is as much at all.
func (pl *Planner) placeOnFreeFlex(c *claim) (Plan, bool) {
	if c.gpus > pl.p.Tally().Room {
		return Plan{}, false
	}
	return pl.placeOnFree(c)
}
