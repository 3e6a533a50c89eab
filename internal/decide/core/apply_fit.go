package core

import (
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func applyFit(p *fleet.Partition, e event.FitObserved) {
	tight, loose := make([]fleet.Tight, len(e.Tight)), make([]int, len(e.Loose))
	for i, t := range e.Tight {
		node, _ := p.Node(t.Node)
		tight[i] = fleet.Tight{Node: node, Takings: t.Takings, Why: t.Why, By: t.By}
	}
	for i, name := range e.Loose {
		loose[i], _ = p.Node(name)
	}
	p.SetTight(e.Footprint, tight, loose)
}
