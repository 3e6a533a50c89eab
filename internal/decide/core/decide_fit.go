package core

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

type (
	// ReportFit says which nodes of a partition take fewer replicas of a footprint than their GPUs would
	// allow, and which take as many again. What the state knows already changes nothing.
	ReportFit struct {
		Partition, Footprint string
		Tight                []event.TightNode
		Loose                []string
	}
	// ReportUnfit says that replicas of a workload cannot start where they are to, because one of their nodes
	// does not take them. It is heard only where the state knows of such a node, so that they never come back
	// to where they came from.
	ReportUnfit struct {
		ID    uint64
		Spots []fleet.Spot
		Why   string
	}
)

func (ReportFit) command()   {}
func (ReportUnfit) command() {}

func observeFit(s *fleet.State, c ReportFit) ([]event.Event, *Refusal) {
	p := s.Partition(c.Partition)
	if p == nil {
		return nil, NoPartition(s, c.Partition)
	}
	if refusal := checkFit(c); refusal != nil {
		return nil, refusal
	}
	f, e := p.Footprint(c.Footprint), event.FitObserved{Partition: p.ID, Footprint: c.Footprint}
	for _, t := range c.Tight {
		node, ok := p.Node(t.Node)
		if !ok {
			return nil, noNode(s, t.Node)
		}
		t.Empty = max(t.Empty, t.Takes)
		if was := f.At(node); was == nil || was.Takings != t.Takings || !slices.Equal(was.By, t.By) {
			e.Tight = append(e.Tight, t)
		}
	}
	for _, name := range c.Loose {
		node, ok := p.Node(name)
		if !ok {
			return nil, noNode(s, name)
		}
		if f.At(node) != nil {
			e.Loose = append(e.Loose, name)
		}
	}
	if len(e.Tight)+len(e.Loose) == 0 {
		return nil, nil
	}
	return one(e)
}

// mostHolders is how many pods a report names for a node.
const mostHolders = 5

func checkFit(c ReportFit) *Refusal {
	texts := []string{c.Footprint}
	for _, t := range c.Tight {
		if len(t.By) > mostHolders {
			return refuse(Invalid, "node %q names %d pods that have what is short; name %d at most", t.Node, len(t.By), mostHolders)
		}
		if t.Takes < 0 || t.More < 0 || t.More > 0 && !t.Full {
			return refuse(Invalid, "node %q takes %s, or %s more: neither is less than 0, and the second is said of full nodes alone", t.Node, text.Count(t.Takes, "replica"), text.Group(t.More))
		}
		texts = append(append(texts, t.Why), t.By...)
	}
	if c.Footprint == "" {
		return refuse(Invalid, "a footprint has a name, as in cpu 64, memory 512Gi")
	}
	return checkTexts("a footprint, or why a node is tight", texts...)
}

func unfit(s *fleet.State, c ReportUnfit) ([]event.Event, *Refusal) {
	if refusal := checkTexts("why replicas do not fit", c.Why); refusal != nil {
		return nil, refusal
	}
	w := s.Workloads[c.ID]
	if w == nil || w.At() == nil || !someTight(w, c.Spots) {
		return nil, nil
	}
	spots := standingThere(w, c.Spots)
	if len(spots) == 0 {
		return nil, nil
	}
	return one(event.ReplicasUnfit{ID: w.ID, Spots: spots, Why: c.Why})
}

// someTight says whether a node of some spots is known to take fewer replicas of their pool.
func someTight(w *fleet.Workload, spots []fleet.Spot) bool {
	return slices.ContainsFunc(spots, func(spot fleet.Spot) bool {
		if spot.Pool < 0 || spot.Pool >= len(w.Pools) {
			return false
		}
		f := w.At().Footprint(w.Pools[spot.Pool].Footprint)
		return slices.ContainsFunc(spot.Nodes, func(node int) bool { return f.At(node) != nil })
	})
}

// standingThere keeps of some spots what runs there still, as the state says.
func standingThere(w *fleet.Workload, spots []fleet.Spot) (kept []fleet.Spot) {
	for _, spot := range spots {
		if spot.Pool < 0 || spot.Pool >= len(w.Pools) {
			continue
		}
		left := map[int]int{}
		for _, r := range w.Replicas[spot.Pool] {
			if r.Phase == fleet.Running {
				left[r.Node]++
			}
		}
		is := fleet.Spot{Pool: spot.Pool}
		for _, node := range spot.Nodes {
			if left[node]--; left[node] >= 0 {
				is.Nodes = append(is.Nodes, node)
			}
		}
		if len(is.Nodes) > 0 {
			kept = append(kept, is)
		}
	}
	return kept
}
