package core

import (
	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file lets work start in reserved room only once other partitions were asked, and work that stopped for visits. What goes
// elsewhere lets work behind it in its queue have room here, which might be that of what has started: it would be evicted by
// the same decision. Before the start it loses a reservation.

// starts are those of a turn that wait for that.
type starts struct {
	others    bool // partitions that changed are asked after the one at hand
	postponed []*fleet.Partition
	now       bool // no start is postponed any more: a turn comes to its end
}

// postpone says whether a plan is a start that waits until all else is decided. Where the pass has given room, it does not: the
// start may let work come that would take it back, and only one pass takes back.
func (t *turn) postpone(p *fleet.Partition, plan placement.Plan) bool {
	if plan.Kind != placement.Start || t.starts.now || len(t.trail.decisions) > 0 || !t.starts.others && len(t.s.Kept().Stops) == 0 {
		return false
	}
	t.starts.postponed = append(t.starts.postponed, p)
	return true
}

// startNow asks the partitions again in which a start was postponed. It says whether there are any.
func (t *turn) startNow() bool {
	some := len(t.starts.postponed) > 0
	for _, p := range t.starts.postponed {
		p.Touch()
	}
	t.starts.postponed, t.starts.now = nil, t.starts.now || some
	return some
}
