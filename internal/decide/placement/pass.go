package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file lets flex work pass the head of flex (semantics §5): it takes free room that the
// head cannot use yet, and the head may take it back after the minimum run time, shares
// notwithstanding. So the head is not starved, and no room stands idle for it.

// flexBehind is flex for a unit that the head of flex may keep from its room.
func (pl *Planner) flexBehind(it fleet.Waiting, h *flexHead) (Plan, bool) {
	return pl.besideReturning(it, func() (Plan, bool) {
		if h.bars(pl, it) {
			return pl.pass(it, h)
		}
		return pl.flex(it)
	})
}

// pass plans a unit behind the head of flex: on free room alone, and only while the head
// waits for more than those who passed it.
func (pl *Planner) pass(it fleet.Waiting, h *flexHead) (Plan, bool) {
	if it.Pool != fleet.Base || gpusFor(it) > pl.p.Tally().Room || pl.rests(it) || h.closes(pl) {
		return Plan{}, false
	}
	plan, ok := pl.placeOnFreeFlex(pl.claimOf(it, nil, fleet.HoldsFlex))
	plan.Passed = h.it.Workload.ID
	return plan, ok
}

// closes says whether the head could start without those who passed it, however short they
// have run: then no other work passes it, and it starts when their minimum run time is over.
// Shares count, or room would stand idle for a head that may not take the rest.
func (h *flexHead) closes(pl *Planner) bool {
	if !h.asked {
		c := pl.claimOf(h.it, nil, fleet.HoldsFlex)
		passed := pl.passersOf(c, true)
		h.asked, h.closed = true, false
		if len(passed) > 0 && !pl.nowhere(c, passed) {
			list, _ := pl.evictableBy(c)
			h.closed = pl.frees(c, byCost(append(list, passed...)))
		}
	}
	return h.closed
}

// frees says whether a fair set of candidates makes room for a claim; first, at less cost, whether what brings their namespaces
// down to their shares does.
func (pl *Planner) frees(c *claim, list []*candidateVictim) bool {
	down := pl.downToShare(c, list)
	if !pl.someTakes(c, down, pl.mostIn(c, down)) {
		return false
	}
	_, _, ok := pl.fairSet(c, list)
	return ok
}
