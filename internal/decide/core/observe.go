package core

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// Observe says that a workload which Muster did not start runs in a partition, on
// these nodes and no others: none says that all of it waits. It is submitted where
// it is not known yet: for the quota that it names, or for flex where it may not target
// that. Where Muster acts on the cluster it is refused.
type Observe struct {
	Spec      fleet.Spec
	Partition string
	On        []Seen
}

// Seen is one replica of a pool on a node.
type Seen struct {
	Pool int
	Node string
}

func (Observe) command() {}

func observe(s *fleet.State, r Request, c Observe) ([]event.Event, *Refusal) {
	p := s.Partition(c.Partition)
	if p == nil {
		return nil, NoPartition(s, c.Partition)
	}
	if cluster := s.Cluster(p.Cluster); cluster == nil || cluster.Mode == fleet.Enforce {
		return nil, refuse(WrongState, "cluster %s is in mode enforce: what runs there is decided here, not observed", p.Cluster)
	}
	var events []event.Event
	w := s.Workload(c.Spec.Namespace, c.Spec.Name)
	switch {
	case w == nil || w.State.Ended():
		c.Spec.Target = r.Actor.countedFor(s, c.Spec)
		submitted, refusal := submit(s, Request{Actor: Reporter}, Submit{Spec: c.Spec})
		if refusal != nil {
			return nil, refusal
		}
		w, events = nil, submitted
	case w.Where != "" && w.Where != p.ID:
		return nil, refuse(WrongState, "workload %s/%s runs in %s; it cannot run in %s too", w.Namespace, w.Name, w.Where, p.ID)
	case len(w.Pools) != len(c.Spec.Pools):
		return nil, refuse(Invalid, "workload %s/%s has %s, not %s", w.Namespace, w.Name, text.Count(len(w.Pools), "pool"), text.Group(len(c.Spec.Pools)))
	}
	spots, refusal := seats(p, w, c)
	if refusal != nil {
		return nil, refusal
	}
	id := s.NextID
	if w != nil {
		if id = w.ID; sameSpots(w, spots) {
			return nil, nil
		}
	}
	return append(events, event.ReplicasObserved{ID: id, Partition: p.ID, Spots: spots}), nil
}

// seats are the spots that were seen, if its nodes are there and hold them. What
// the workload holds already does not count twice.
func seats(p *fleet.Partition, w *fleet.Workload, c Observe) ([]fleet.Spot, *Refusal) {
	spots := make([]fleet.Spot, len(c.Spec.Pools))
	taken := map[int]int{}
	for _, seen := range c.On {
		node, known := p.Node(seen.Node)
		if !known {
			return nil, refuse(NoSuchNode, "there is no node %q in %s", clip(seen.Node), p.ID)
		}
		if seen.Pool < 0 || seen.Pool >= len(spots) {
			return nil, refuse(NoSuchPool, "workload %s/%s has no pool %d", c.Spec.Namespace, c.Spec.Name, seen.Pool)
		}
		spots[seen.Pool].Pool = seen.Pool
		spots[seen.Pool].Nodes = append(spots[seen.Pool].Nodes, node)
		taken[node] += c.Spec.Pools[seen.Pool].GPUs
	}
	for _, seen := range c.On {
		node, _ := p.Node(seen.Node)
		if n := p.Nodes[node]; !n.State.Keeps() || taken[node] > n.Good()-n.InUse()+heldBy(w, node) {
			return nil, refuse(WrongState, "node %s is %s and has no room for %s of workload %s/%s", n.Name, n.State, text.Count(taken[node], "GPU"), c.Spec.Namespace, c.Spec.Name)
		}
	}
	for i, pool := range c.Spec.Pools {
		if n := len(spots[i].Nodes); n > pool.Max {
			return nil, refuse(Invalid, "pool %q has %s of at most %d", pool.Name, text.Count(n, "replica"), pool.Max)
		}
	}
	return filled(spots), nil
}

func filled(spots []fleet.Spot) []fleet.Spot {
	var out []fleet.Spot
	for _, spot := range spots {
		if len(spot.Nodes) > 0 {
			out = append(out, spot)
		}
	}
	return out
}

// heldBy is the GPUs that a workload holds on a node.
func heldBy(w *fleet.Workload, node int) int {
	gpus := 0
	if w == nil {
		return 0
	}
	for i, replicas := range w.Replicas {
		for _, r := range replicas {
			if r.Node == node && r.Phase != fleet.Reserved {
				gpus += w.Pools[i].GPUs
			}
		}
	}
	return gpus
}

func sameSpots(w *fleet.Workload, spots []fleet.Spot) bool {
	have := w.Spots(func(fleet.Replica) bool { return true })
	return fmt.Sprint(countSpots(have)) == fmt.Sprint(countSpots(spots))
}

// countSpots counts replicas by pool and node; fmt prints maps in order of key.
func countSpots(spots []fleet.Spot) map[[2]int]int {
	n := map[[2]int]int{}
	for _, spot := range spots {
		for _, node := range spot.Nodes {
			n[[2]int{spot.Pool, node}]++
		}
	}
	return n
}

// applyObserved puts a workload where it was seen. How it holds its GPUs is
// classified afterwards, like any work's.
func applyObserved(s *fleet.State, w *fleet.Workload, e event.ReplicasObserved) {
	holds := fleet.HoldsUnprotected
	if w.Flexes() {
		holds = fleet.HoldsFlex
	}
	if all := w.Spots(func(fleet.Replica) bool { return true }); len(all) > 0 {
		s.Drop(w, all)
	}
	if len(e.Spots) > 0 {
		s.Place(w, s.Partition(e.Partition), e.Spots, fleet.Running, holds)
	}
}
