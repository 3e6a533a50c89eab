package core

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func changeNode(s *fleet.State, e event.NodeChanged, at fleet.Instant) {
	p := s.Partition(e.Partition)
	node, _ := p.Node(e.Node)
	p.Plan(node, e.To, e.Dead, e.Signal, e.Planned, e.Until, at)
	p.KeepNode(node, e.From, e.Owner, e.Signal, at)
	s.TouchLife(p.Cluster)
	p.Need(node, e.Needs)
}
