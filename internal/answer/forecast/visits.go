package forecast

import (
	"slices"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// plannedOf is the planned work that a copy of some partitions plays on: visits that are
// under way, work that stopped for them, announced maintenances, and the zones that keep these away. Rollouts stand
// still there: which node they take next depends on all of the fleet.
func plannedOf(s *fleet.State, chosen func(*fleet.Partition) bool) *fleet.Maintained {
	m := s.Kept()
	c := &fleet.Maintained{Zones: m.Zones}
	for _, o := range m.Notices {
		if o.Ended == 0 && !o.Cancelled {
			c.Notices = append(c.Notices, o)
		}
	}
	for _, ref := range m.Open {
		if p := s.Partition(ref.Partition); p != nil && chosen(p) && p.Halted() == "" {
			c.Open = append(c.Open, ref)
		}
	}
	for _, st := range m.Stops {
		if p := s.Partition(st.Partition); p != nil && chosen(p) && p.Halted() == "" && endsHere(p, st) {
			c.Stops = append(c.Stops, st)
		}
	}
	if len(c.Notices)+len(c.Open)+len(c.Stops) == 0 {
		return nil
	}
	return c
}

// endsHere says whether a stop ends with the visits that are under way: no rollout, which stands still in a copy, has to
// bring more to its nodes.
func endsHere(p *fleet.Partition, st fleet.Stop) bool {
	return st.Notice != "" || !slices.ContainsFunc(st.Nodes, func(node int) bool {
		v := p.Nodes[node].Visit
		return v == nil || v.State.Ended()
	})
}

// planVisits plans the ends of the visits that are under way, and lets announced
// maintenances begin at their moments.
func (p *path) planVisits() {
	m := p.s.Kept()
	if len(m.Notices)+len(m.Open)+len(m.Stops) == 0 {
		return
	}
	p.timely = true
	for _, ref := range m.Open {
		in := p.s.Partition(ref.Partition)
		p.planVisit(in.ID, *in.Nodes[ref.Node].Visit)
	}
	for _, o := range m.Notices {
		p.s.SetNotice(*o) // what is new is looked at
	}
	p.step(core.Tick{}, cause{tick: true})
}

// planVisit plans the end of a visit that is at work, as others lasted or as it is said to last. When one that
// takes longer ends cannot be known.
func (p *path) planVisit(partition string, v fleet.Visit) {
	in := p.s.Partition(partition)
	ends := v.Since.Add(v.Checks)
	switch v.State {
	case fleet.VisitWorking:
		ends = ends.Add(p.length.visit(p.s.Kept(), in.GPU, v))
	case fleet.VisitChecking:
	default:
		return
	}
	if node, ok := in.Node(v.Node); ok && ends >= p.now {
		p.plans.add(plan{at: ends, what: visited, id: uint64(node), in: in})
	}
}

// endVisit lets a visit end well, where it is still under way.
func (p *path) endVisit(x plan) {
	n := x.in.Nodes[x.id]
	if v := n.Visit; v != nil && !v.State.Ended() {
		p.step(core.ReportVisit{Node: n.Name, Key: v.Key, Outcome: core.Passed}, cause{plan: x})
	}
}
