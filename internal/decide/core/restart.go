package core

import (
	"slices"

	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// planner is the planner of a partition. It knows what is planned on the nodes there.
func (t *turn) planner(p *fleet.Partition) *placement.Planner {
	pl := placement.New(t.s, p, t.now)
	if t.s.Maintained != nil {
		s := t.s // and not the turn, which stays off the heap
		pl.Ahead = func() []fleet.Instant { return maintenance.Ahead(s, p) }
	}
	return pl
}

// startElsewhere starts one workload that stopped for the visits of its nodes on other nodes, where
// it fits on such as nothing is planned for: it need not wait, and need not stop again.
func (t *turn) startElsewhere() bool {
	return slices.ContainsFunc(t.s.Kept().Stops, func(st fleet.Stop) bool {
		w := t.s.Workloads[st.ID]
		if w == nil || w.State != fleet.Pending {
			return false
		}
		return slices.ContainsFunc(t.s.Partitions, func(p *fleet.Partition) bool { return w.May(p) && t.startIn(p, w) })
	})
}

// startIn starts a workload that stopped in a partition, if there is room.
func (t *turn) startIn(p *fleet.Partition, w *fleet.Workload) bool {
	if p.Halted() != "" {
		return false
	}
	plan, ok := t.planner(p).Elsewhere(w)
	if !ok {
		return false
	}
	t.emit(event.WorkloadResumed{ID: w.ID})
	t.trail.empty()
	t.carryOut(p, plan)
	t.trail.empty()
	return true
}
