package explain

import (
	"slices"

	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// declaredEnd is the next moment at which some of the work must have ended, by
// what its submitters declared; or has left, if it is on its way out.
func (q *question) declaredEnd(work []*fleet.Workload) Next {
	var next Next
	for _, w := range work {
		if w.Leaves() && w.GraceEnds > q.now && (next.At == 0 || w.GraceEnds < next.At) {
			next = Next{w.GraceEnds, "the grace period of " + name(w) + " ends"}
		}
		if w.MaxRuntime == 0 || w.Started == 0 || w == q.w || w.Leaves() {
			continue
		}
		if at := w.Started.Add(w.MaxRuntime); at > q.now && (next.At == 0 || at < next.At) {
			next = Next{at, name(w) + " reaches the longest run time it declared"}
		}
	}
	return next
}

// nodesReturn is the next moment at which nodes may count again: a probation
// or a dwell that ends.
func (q *question) nodesReturn() Next {
	var next Next
	consider := func(at fleet.Instant, what string) {
		if at > q.now && (next.At == 0 || at < next.At) {
			next = Next{at, what}
		}
	}
	for _, n := range q.p.Nodes {
		if n.State == fleet.Probation {
			consider(n.Since.Add(q.s.Policy.Probation), "the probation of "+n.Name+" ends")
		}
	}
	for _, d := range q.p.Downs {
		if d.To != fleet.Never {
			consider(d.To.Add(q.s.Policy.Dwell), q.p.Nodes[d.Node].Name+" has been back for the dwell, and counts again")
		}
	}
	return next
}

// downNodes names nodes that are not healthy, those longest down first.
func (q *question) downNodes() []string {
	var down []*fleet.Node
	for _, n := range q.p.Nodes {
		if n.State != fleet.Healthy && n.State != fleet.Retired {
			down = append(down, n)
		}
	}
	slices.SortStableFunc(down, func(a, b *fleet.Node) int { return int(min(1, max(-1, a.Since-b.Since))) })
	var names []string
	for _, n := range down[:min(len(down), most)] {
		names = append(names, n.Name)
	}
	return names
}

// clearing says that work of a tree (or flex) is on its way out, and its room not free yet.
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
	return evicting(q.p, leavers, gpus, "%s must leave within the grace period; the room is not free before."), true
}

// starting names the victims that still hold room that the workload has reserved.
func starting(w *fleet.Workload) []Blocker {
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
	return []Blocker{evicting(p, leavers, gpus, "Its room is reserved; %s must leave it within the grace period.")}
}

func evicting(p *fleet.Partition, leavers []*fleet.Workload, gpus int, format string) Blocker {
	names := namesOf(leavers)
	var last fleet.Instant
	for _, w := range leavers {
		last = max(last, w.GraceEnds)
	}
	next := Next{}
	if last != 0 {
		next = Next{last, "the last grace period ends"}
	}
	return block(reason.Evicting, p, map[string]int{"gpus": gpus}, names[:min(len(names), most)], format, joined(names)).until(next).overdue(lateOf(leavers...))
}

func reserves(w *fleet.Workload) bool {
	for i := range w.Pools {
		if w.InPhase(i, fleet.Reserved) > 0 {
			return true
		}
	}
	return false
}

func leavingGPUs(w *fleet.Workload) int {
	gpus := 0
	for i, pool := range w.Pools {
		gpus += pool.GPUs * w.InPhase(i, fleet.Leaving)
	}
	return gpus
}

// shareNodes says whether other leaves a node that w has reserved.
func shareNodes(w, other *fleet.Workload) bool {
	leaving := map[int]bool{}
	for _, spot := range other.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving }) {
		for _, n := range spot.Nodes {
			leaving[n] = true
		}
	}
	for _, spot := range w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Reserved }) {
		for _, n := range spot.Nodes {
			if leaving[n] {
				return true
			}
		}
	}
	return false
}
