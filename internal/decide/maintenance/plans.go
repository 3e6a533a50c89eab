package maintenance

import "github.com/muster-fleet/muster/internal/state/fleet"

// Plan is planned work on one node: a visit that is under way, one that a rollout still has to make, or one that was
// announced.
type Plan struct {
	Partition *fleet.Partition
	Node      *fleet.Node
	Rollout   *fleet.Rollout // nil: it belongs to Notice
	Notice    *fleet.Notice
	State     fleet.VisitState // planned, announced, or where the visit stands
	Impact    fleet.Impact
	Updates   []string
	Begins    fleet.Instant // 0: not known
	Ends      fleet.Instant // 0: not known
	Deadline  fleet.Instant // of the updates that a rollout brings; 0: none
}

// PlansOf lists planned work on some nodes, by rollout and announced maintenance, and then by node.
func PlansOf(s *fleet.State, now fleet.Instant, only func(*fleet.Partition, *fleet.Node) bool) (plans []Plan) {
	l := newLook(s, now)
	plans = l.underWay(only)
	for _, o := range l.m.Notices {
		if o.Ended == 0 {
			plans = append(plans, l.noticePlans(o, only)...)
		}
	}
	for _, r := range l.m.Rollouts {
		if r.Open() && r.Joined == "" {
			plans = append(plans, l.rolloutPlans(r, only)...)
		}
	}
	return plans
}

// underWay are the visits that have begun.
func (l *look) underWay(only func(*fleet.Partition, *fleet.Node) bool) (plans []Plan) {
	for _, ref := range l.m.Open {
		p := l.s.Partition(ref.Partition)
		if p == nil || !only(p, p.Nodes[ref.Node]) {
			continue
		}
		v := p.Nodes[ref.Node].Visit
		plans = append(plans, Plan{
			Partition: p, Node: p.Nodes[ref.Node], Rollout: l.m.Rollout(v.Rollout), Notice: l.m.Notice(v.Notice), State: v.State,
			Impact: v.Impact, Updates: v.Updates, Begins: v.Began, Ends: v.Ends(),
		})
	}
	return plans
}

func (l *look) noticePlans(o *fleet.Notice, only func(*fleet.Partition, *fleet.Node) bool) (plans []Plan) {
	for _, name := range o.Nodes {
		p, i := l.s.FindNode(name)
		if p == nil || !o.Waits(name) || visited(p.Nodes[i], "", o.Name) || !only(p, p.Nodes[i]) {
			continue
		}
		plans = append(plans, Plan{
			Partition: p, Node: p.Nodes[i], Notice: o, State: fleet.VisitAnnounced, Impact: o.Impact, Begins: o.Starts, Ends: o.Starts.Add(o.Lasts),
		})
	}
	return plans
}

// visited says whether the open visit of a node belongs to a rollout or an announced maintenance.
func visited(n *fleet.Node, rollout, notice string) bool {
	return n.Visit != nil && !n.Visit.State.Ended() && n.Visit.Rollout == rollout && n.Visit.Notice == notice
}

func (l *look) rolloutPlans(r *fleet.Rollout, only func(*fleet.Partition, *fleet.Node) bool) (plans []Plan) {
	for _, x := range l.counted(r).pending {
		if !only(x.p, x.n) {
			continue
		}
		one := Plan{Partition: x.p, Node: x.n, Rollout: r, State: fleet.VisitPlanned, Impact: x.b.Impact, Updates: x.b.Updates, Deadline: x.b.Deadline}
		if momentKnown(l.m, r, x.b, x.n) {
			one.State = fleet.VisitAnnounced
			if at := l.begins(r, x); at != fleet.Never {
				one.Begins, one.Ends = at, at.Add(x.b.Lasts+l.policy().Validation)
			}
		}
		plans = append(plans, one)
	}
	return plans
}
