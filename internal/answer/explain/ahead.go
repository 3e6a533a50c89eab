package explain

import (
	"slices"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// paused explains work that maintenance stopped: it starts again when its nodes were visited, or
// where it fits on others.
func paused(s *fleet.State, w *fleet.Workload) Blocker {
	for _, st := range s.Kept().Stops {
		p := s.Partition(st.Partition)
		if st.ID != w.ID || p == nil {
			continue
		}
		var names []string
		var next Next
		for _, node := range st.Nodes {
			n := p.Nodes[node]
			if v := n.Visit; v != nil && !v.State.Ended() {
				names = append(names, n.Name)
				next = later(next, v.Ends(), "the visit of "+n.Name+" should be over")
			}
		}
		return block(reason.MaintenanceAhead, p, map[string]int{"needs": w.NeedsBase(), "nodes": len(st.Nodes)}, names,
			"It stopped for %s, and starts again when its %s visited, or on others as soon as it fits on such as need no visit: one stop serves all visits.", st.For(), text.Counted(len(st.Nodes), "node was", "nodes were")).until(next)
	}
	return block(reason.MaintenanceAhead, nil, nil, nil, "It stopped for maintenance, and starts again when its nodes were visited, or where it fits on others.")
}

// later is the later of two moments.
func later(next Next, at fleet.Instant, what string) Next {
	if at > next.At {
		return Next{at, what}
	}
	return next
}

// ahead says that the workload would start now were it not for nodes that maintenance is about to take, or
// has: on a copy that has them, it is placed.
func (q *question) ahead() (Blocker, bool) {
	if !q.maintained() {
		return Blocker{}, false
	}
	c := q.s.ForkOf([]*fleet.Partition{q.p})
	p := c.Partition(q.p.ID)
	names, next := q.giveBack(p)
	realign(c, p, q.now)
	pl := placement.New(c, p, q.now)
	pl.Classify()
	plan, ok := pl.Next()
	if !ok || plan.Workload.ID != q.w.ID || plan.Kind != placement.Place {
		return Blocker{}, false
	}
	return block(reason.MaintenanceAhead, q.p, map[string]int{"needs": q.gpus, "nodes": len(names)}, names,
		"It would start now, but maintenance takes %s of %s, so nothing is promised on them.", text.Count(len(names), "node"), q.p.ID).until(next), true
}

// maintained says whether planned work keeps a node of the partition from backing quota.
func (q *question) maintained() bool {
	return slices.ContainsFunc(q.p.Islands, func(i *fleet.Island) bool { return i.Planned() > 0 })
}

// giveBack makes the nodes healthy that only planned work keeps from it, and says which they are and when
// the last of them should be back.
func (q *question) giveBack(p *fleet.Partition) (names []string, next Next) {
	for i, n := range p.Nodes {
		switch {
		case n.Leaving:
			for _, o := range q.s.Kept().Notices {
				if o.Waits(n.Name) {
					next = later(next, o.Starts.Add(o.Lasts), "maintenance "+o.Name+" should be over")
				}
			}
			p.SetLeaving(i, false, 0, q.now)
		case n.Planned && n.State == fleet.Maintenance && n.Visit.Degraded.Dead > 0:
			continue // it comes back as it was
		case n.Planned && n.State == fleet.Maintenance:
			next = later(next, n.Visit.Ends(), "the visit of "+n.Name+" should be over")
		case n.Planned && n.State == fleet.Probation:
			next = later(next, q.s.ProbationEnds(n), "the soak of "+n.Name+" ends")
		default:
			continue
		}
		if n.State != fleet.Healthy {
			p.Plan(i, fleet.Healthy, 0, "", true, 0, q.now)
		}
		names = append(names, n.Name)
	}
	return names[:min(len(names), most)], next
}

// realign puts the backing into a copy that its nodes allow.
func realign(s *fleet.State, p *fleet.Partition, now fleet.Instant) {
	a := promise.Align(s, p, now)
	p.SetPromise(a.Promisable, a.Promisable-a.Sustainable, now)
	for i, island := range p.Islands {
		island.Share = a.Shares[i]
	}
	for k, acc := range p.Accounts {
		for i := range p.Islands {
			if acc.Backing[i] != a.Backing[k][i] {
				p.SetBacking(acc.Quota, i, a.Backing[k][i])
			}
		}
		p.SetGang(acc.Quota, a.Gangs[k].Missing, a.Gangs[k].Island)
	}
}
