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
// have GPUs for. Without empty what is not Muster's is in the way: an empty node would take all of them.
func (p *parser) tight(v yamlfile.Value) Action {
	f := v.Fields("partition", "asks", "nodes", "takes", "empty", "more", "by", "why")
	c := core.ReportFit{Partition: f.Need("partition").Partition(), Footprint: f.Need("asks").Text()}
	p.known.partition(f.At("partition"), c.Partition)
	names := nodeNames(f.Need("nodes"))
	if !f.Has("takes") {
		f.At("empty").Fail("empty belongs to takes; write both, or neither where the nodes have room again")
		f.At("more").Fail("more belongs to takes; write both, or neither where the nodes have room again")
		c.Loose = names
		return Told{Command: c}
	}
	is := fleet.Takings{Takes: gpus(f.At("takes")), Empty: mostGPUs, Full: f.Has("more"), More: gpus(f.At("more"))}
	if f.Has("empty") {
		is.Empty = gpus(f.At("empty"))
	}
	for _, name := range names {
		c.Tight = append(c.Tight, event.TightNode{Node: name, Takings: is, Why: f.At("why").Text(), By: f.At("by").Texts()})
	}
	return Told{Command: c}
}

// Unfit says that what a workload was to start on nodes did not fit there; without nodes all of it is given back.
type Unfit struct {
	Told
	Workload, Namespace string
	Nodes               []string
	Count               int // so many of its first nodes are full for it now
	More                int // and take so many more
	Why                 string
}

func (p *parser) unfit(v yamlfile.Value) Action {
	f := v.Fields("workload", "nodes", "full", "more", "why")
	a := Unfit{Workload: f.Need("workload").Name(), Why: f.At("why").Text(), Count: f.At("full").IntOr(0, 1, core.MaxNodesPerCommand), More: gpus(f.At("more"))}
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
	list := append(a.full(w), core.ReportUnfit{ID: w.ID, Spots: w.Spots(there), Why: a.Why})
	return Told{Command: core.Batch{Commands: list}}.request(s)
}

// full reports the first nodes of a workload as full for what its pools ask for: what is known of them beside stays.
func (a Unfit) full(w *fleet.Workload) (list []core.Command) {
	names := nodesOf(w)
	for _, name := range names[:min(len(names), a.Count)] {
		node, _ := w.At().Node(name)
		for _, pool := range w.Pools {
			if pool.Footprint == "" || slices.ContainsFunc(list, func(c core.Command) bool {
				r := c.(core.ReportFit)
				return r.Footprint == pool.Footprint && r.Tight[0].Node == name
			}) {
				continue
			}
			is := fleet.Takings{Takes: w.At().Nodes[node].GPUs, Empty: w.At().Nodes[node].GPUs}
			if t := w.At().Footprint(pool.Footprint).At(node); t != nil {
				is = t.Takings
			}
			is.Full, is.More = true, a.More
			list = append(list, core.ReportFit{Partition: w.At().ID, Footprint: pool.Footprint, Tight: []event.TightNode{{Node: name, Takings: is, Why: a.Why}}})
		}
	}
	return list
}
