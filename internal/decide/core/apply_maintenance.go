package core

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// applyMaintenance changes what the state knows of planned work; false: the event is about something else.
func applyMaintenance(s *fleet.State, e event.Event, at fleet.Instant) bool {
	switch e := e.(type) {
	case event.UpdateSet:
		s.SetUpdate(e.Update)
	case event.RolloutSet:
		s.SetRollout(e.Rollout)
	case event.ZoneSet:
		s.SetZone(e.Zone)
	case event.NoticeSet:
		s.SetNotice(e.Notice)
	case event.ConfigurationJudged:
		s.SetProof(e.Proof)
	case event.VisitMoved:
		p, node := nodeOf(s, e.Partition, e.Node)
		s.SetVisit(p, node, e.Visit)
	case event.NodeLeaving:
		p, node := nodeOf(s, e.Partition, e.Node)
		p.SetLeaving(node, e.Leaving, e.Goes, at)
	case event.NodeObserved:
		p, node := nodeOf(s, e.Partition, e.Node)
		s.SetRuns(p, node, e.Runs)
	case event.WorkloadAgreed:
		s.SetAgreement(fleet.Agreement{ID: e.ID, At: e.At, By: e.By})
	case event.WorkloadPaused:
		s.AddStop(fleet.Stop{ID: e.ID, Partition: e.Partition, Nodes: e.Nodes, At: at, Rollout: e.Rollout, Notice: e.Notice})
	case event.WorkloadResumed:
		s.EndStop(e.ID)
	default:
		return false
	}
	return true
}

// nodeOf is a node that an event names. Events name only nodes that there are.
func nodeOf(s *fleet.State, partition, name string) (p *fleet.Partition, node int) {
	p = s.Partition(partition)
	node, _ = p.Node(name)
	return p, node
}
