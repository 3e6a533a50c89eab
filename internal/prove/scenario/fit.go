package scenario

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file is about what nodes have beside GPUs: which are tight for what pools ask for, and which
// replicas could not start on them.

// fitSteps are the keys of such steps.
var fitSteps = []string{"tight", "unfit"}

func (p *parser) fitAction(kind string, v yamlfile.Value) (Action, bool) {
	switch kind {
	case "tight":
		return p.tight(v), true
	case "unfit":
		return p.unfit(v), true
	}
	return nil, false
}

// tight reads how many replicas nodes take of what a pool asks for; without takes: as many again as they
// have GPUs for.
func (p *parser) tight(v yamlfile.Value) Action {
	f := v.Fields("partition", "asks", "nodes", "takes", "more", "why")
	c := core.ReportFit{Partition: f.Need("partition").Partition(), Footprint: f.Need("asks").Text()}
	p.known.partition(f.At("partition"), c.Partition)
	names := nodeNames(f.Need("nodes"))
	if !f.Has("takes") {
		f.At("more").Fail("more belongs to takes; write both, or neither where the nodes have room again")
		c.Loose = names
		return Told{Command: c}
	}
	is := fleet.Takings{Takes: gpus(f.At("takes")), Full: f.Has("more"), More: gpus(f.At("more"))}
	for _, name := range names {
		c.Tight = append(c.Tight, event.TightNode{Node: name, Takings: is, Why: f.At("why").Text()})
	}
	return Told{Command: c}
}

// Unfit says that what a workload was to start on nodes did not fit there; without nodes all of it is given back.
type Unfit struct {
	Told
	Workload, Namespace string
	Nodes               []string
	Why                 string
}

func (p *parser) unfit(v yamlfile.Value) Action {
	f := v.Fields("workload", "nodes", "why")
	a := Unfit{Workload: f.Need("workload").Name(), Why: f.At("why").Text()}
	p.submitted(f.At("workload"), a.Workload)
	a.Namespace = p.namespaces[a.Workload]
	if f.Has("nodes") {
		a.Nodes = nodeNames(f.At("nodes"))
	}
	return a
}

func (a Unfit) request(s *fleet.State) (core.Request, error) {
	w := s.Workload(a.Namespace, a.Workload)
	if w == nil || w.At() == nil {
		return core.Request{}, fmt.Errorf("workload %s stands nowhere", a.Workload)
	}
	there := func(r fleet.Replica) bool {
		return r.Phase == fleet.Running && (a.Nodes == nil || slices.Contains(a.Nodes, w.At().Nodes[r.Node].Name))
	}
	return Told{Command: core.ReportUnfit{ID: w.ID, Spots: w.Spots(there), Why: a.Why}}.request(s)
}
