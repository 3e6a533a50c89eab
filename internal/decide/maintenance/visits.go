package maintenance

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// visits lets work begin where the node is empty, and ends the visits of nodes that
// people have taken into their own hands.
func (l *look) visits() (Action, bool) {
	var p *fleet.Partition
	for _, ref := range l.m.Open {
		if p == nil || p.ID != ref.Partition {
			p = l.s.Partition(ref.Partition)
		}
		n := p.Nodes[ref.Node]
		if over := n.Visit; n.State == fleet.Maintenance && over.State != fleet.VisitDraining {
			continue // it goes on
		}
		v := *n.Visit
		switch {
		case !v.Out && !v.Quiet() && n.State != fleet.Maintenance:
			v.State, v.Why = fleet.VisitSkipped, "the node was taken out of its visit: it is "+string(n.State)
		case v.State == fleet.VisitDraining && n.InUse() == 0:
			v.State = fleet.VisitWorking
		default:
			continue
		}
		v.Since = l.now
		return Action{Kind: MoveVisit, Partition: p, Node: ref.Node, Visit: v}, true
	}
	return Action{}, false
}

// begin is the visit of a node that begins now.
func (l *look) begin(p *fleet.Partition, node int, b *Bundle) Action {
	n := p.Nodes[node]
	v := fleet.Visit{
		Key: l.s.Number(), Node: n.Name, State: fleet.VisitWorking, Since: l.now, Began: l.now,
		VisitWork: fleet.VisitWork{
			Updates: b.Updates, Brings: b.Brings, Impact: b.Impact, Lasts: b.Lasts, Checks: l.policy().Validation,
			Out: n.State.InRepair(), Borne: borne(n, b),
		},
	}
	if n.State == fleet.Probation {
		v.Probation = l.s.ProbationEnds(n)
	}
	if n.State == fleet.Degraded {
		v.Degraded = fleet.Degradation{Dead: n.Dead, Owner: n.StateOwner}
	}
	if !v.Quiet() && len(n.Residents()) > 0 {
		v.State = fleet.VisitDraining
	}
	return Action{Kind: BeginVisit, Partition: p, Node: node, Visit: v}
}
