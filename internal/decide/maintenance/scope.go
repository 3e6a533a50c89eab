package maintenance

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A rollout covers the nodes that it names, or else all nodes of its scope (a fleet, a cluster,
// a partition or an island).

// covered lists the nodes of a partition that a rollout covers, by their positions, in order.
func covered(r *fleet.Rollout, p *fleet.Partition) []int {
	if len(r.Nodes) > 0 {
		return named(r.Nodes, p)
	}
	return inScope(r.Scope, p)
}

// named lists those of some nodes that are in a partition, each once and in order.
func named(names []string, p *fleet.Partition) (list []int) {
	for _, name := range names {
		if i, ok := p.Node(name); ok {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// inScope lists the nodes of a partition whose island is in a scope.
func inScope(scope string, p *fleet.Partition) (list []int) {
	in := make([]bool, len(p.Islands))
	for i := range p.Islands {
		in[i] = fleet.InScope(scope, p, i)
	}
	for i, n := range p.Nodes {
		if in[n.Island] {
			list = append(list, i)
		}
	}
	return list
}

// mayCover says whether a rollout may cover nodes of a partition. It is quicker than covered, and
// also true of islands in scope that have no nodes.
func mayCover(r *fleet.Rollout, p *fleet.Partition) bool {
	if len(r.Nodes) > 0 {
		return slices.ContainsFunc(r.Nodes, func(name string) bool { _, ok := p.Node(name); return ok })
	}
	for i := range p.Islands {
		if fleet.InScope(r.Scope, p, i) {
			return true
		}
	}
	return false
}
