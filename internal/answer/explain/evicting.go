package explain

import (
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// clearing is the blocker of room that work of a tree still holds while it leaves.
func (q *question) clearing(tree string) (Blocker, bool) {
	var leavers []*fleet.Workload
	gpus := 0
	for _, w := range q.p.Leaving() {
		if w.Tree() == tree {
			leavers = append(leavers, w)
			gpus += leavingGPUs(w)
		}
	}
	if len(leavers) == 0 {
		return Blocker{}, false
	}
	return q.reader.evicting(q.p, leavers, gpus, "%s must leave within the grace period; the room is not free before."), true
}

// starting is the blocker of a workload whose room is reserved: the victims that still hold
// it. It is empty where no work leaves, or nothing is reserved.
func (r Reader) starting(w *fleet.Workload) []Blocker {
	p := w.At()
	if p == nil {
		return nil
	}
	var leavers []*fleet.Workload
	gpus := 0
	for _, other := range p.Leaving() {
		if other.For == w.ID || shareNodes(w, other) || w.Account() != nil && other.Tree() == w.Tree() {
			leavers = append(leavers, other)
			gpus += leavingGPUs(other)
		}
	}
	if len(leavers) == 0 || !reserves(w) {
		return nil
	}
	return []Blocker{r.evicting(p, leavers, gpus, "Its room is reserved; %s must leave it within the grace period.")}
}

// evicting is the blocker of room that is free once these workloads have left. The format
// has one verb, for their names.
func (r Reader) evicting(p *fleet.Partition, leavers []*fleet.Workload, gpus int, format string) Blocker {
	work := r.named(p, leavers)
	var last fleet.Instant
	for _, w := range leavers {
		last = max(last, w.GraceEnds)
	}
	next := Next{}
	if last != 0 {
		next = Next{last, "the last grace period ends"}
	}
	return block(reason.Evicting, p, map[string]int{"gpus": gpus}, nil, format, work).by(work).until(next).overdue(r, lateOf(leavers...))
}

// reserves says whether a workload has reserved room.
func reserves(w *fleet.Workload) bool {
	for i := range w.Pools {
		if w.InPhase(i, fleet.Reserved) > 0 {
			return true
		}
	}
	return false
}

// leavingGPUs counts the GPUs of a workload's replicas that are in their grace period.
func leavingGPUs(w *fleet.Workload) int {
	gpus := 0
	for i, pool := range w.Pools {
		gpus += pool.GPUs * w.InPhase(i, fleet.Leaving)
	}
	return gpus
}

// shareNodes says whether other leaves a node that w has reserved.
func shareNodes(w, other *fleet.Workload) bool {
	leaving := nodesInPhase(other, fleet.Leaving)
	for node := range nodesInPhase(w, fleet.Reserved) {
		if leaving[node] {
			return true
		}
	}
	return false
}

// nodesInPhase is the set of nodes where a workload has replicas in a phase.
func nodesInPhase(w *fleet.Workload, phase fleet.Phase) map[int]bool {
	nodes := map[int]bool{}
	for _, spot := range w.Spots(func(r fleet.Replica) bool { return r.Phase == phase }) {
		for _, n := range spot.Nodes {
			nodes[n] = true
		}
	}
	return nodes
}
