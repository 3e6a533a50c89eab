package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file lets flex work pass the head of flex (semantics §5): it takes free room that the
// head cannot use yet, and the head may take it back after the minimum run time, shares
// notwithstanding. So the head is not starved, and no room stands idle for it.

// flexBehind is flex for a unit that the head of flex may keep from its room.
func (pl *Planner) flexBehind(it fleet.Waiting, h *flexHead) (Plan, bool) {
	if h.bars(pl, it) {
		return pl.pass(it, h)
	}
	return pl.flex(it)
}

// pass plans a unit behind the head of flex: on free room alone, and only while the head
// waits for more than those who passed it.
func (pl *Planner) pass(it fleet.Waiting, h *flexHead) (Plan, bool) {
	if it.Pool != fleet.Base || pl.rests(it) || h.closes(pl) {
		return Plan{}, false
	}
	plan, ok := pl.placeOnFreeFlex(pl.claimOf(it, nil, fleet.HoldsFlex))
	plan.Passed = h.it.Workload.ID
	return plan, ok
}

// closes says whether the head would find room without those who passed it, however short
// they have run: then no other work passes it, and it starts when their minimum run time is over.
func (h *flexHead) closes(pl *Planner) bool {
	if !h.asked {
		c := pl.claimOf(h.it, nil, fleet.HoldsFlex)
		passed := pl.passersOf(c, true)
		h.asked, h.closed = true, false
		if len(passed) > 0 {
			list, _ := pl.evictableBy(c)
			_, h.closed = pl.fits(c, append(passed, pl.downToShare(c, byCost(list))...))
		}
	}
	return h.closed
}

// passersOf lists the units of workloads that passed a claim's own; those that have run
// for less than the minimum only where young is true.
func (pl *Planner) passersOf(c *claim, young bool) (list []*candidateVictim) {
	for _, w := range pl.p.PassedBy(c.w.ID) {
		if !young && !pl.ranMinimum(w) {
			continue
		}
		for _, u := range pl.units(w) {
			if passed(c, &u) {
				list = append(list, pl.candidate(u, ClassFlex))
			}
		}
	}
	return list
}

// passed says whether a unit passed the workload that claims room. What its workload got later,
// surplus and further pools, did not: it was placed by the shares, and goes by them.
func passed(c *claim, u *unit) bool {
	return u.w.Passed != 0 && u.w.Passed == c.w.ID && u.pool == fleet.Base && !u.key.Surplus
}

// ranMinimum says whether flex work has run for its minimum time.
func (pl *Planner) ranMinimum(w *fleet.Workload) bool {
	return w.Started != 0 && pl.now.Sub(w.Started) >= pl.s.Policy.FlexRun()
}
