package web

import (
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
)

// mostNodes is how many nodes a page draws one by one; beyond it, islands are bars.
const mostNodes = 1200

// islandMap is one island, drawn node by node.
type islandMap struct {
	name  string
	says  string
	svg   draw.SVG
	path  string
	nodes int
	backs []stands // which quotas stand on it
}

// stands is a quota's backing on one island.
type stands struct {
	letter, quota string
	gpus          int
}

// backing is who stands on which island of a partition, and how each is spoken for.
type backing = map[string]*draw.Strip

// islands draws islands of a partition; of none named, all. Nodes that the reader
// looks for are framed.
func (v *visit) islands(partition string, names, found []string, backs backing) ([]islandMap, error) {
	var list []islandMap
	drawn := 0
	if len(names) == 0 {
		names = []string{""}
	}
	for _, name := range names {
		scope := partition
		if name != "" {
			scope += "/" + name
		}
		n, err := v.Capacity.Nodes(v.ctx, &musterv1.NodesRequest{AsOf: v.asOf, Scope: scope})
		if err != nil {
			return nil, err
		}
		if drawn += len(n.GetNodes()); drawn > mostNodes {
			break
		}
		list = append(list, v.mapsOf(n.GetNodes(), found, backs)...)
	}
	return list, nil
}

// mapsOf draws nodes, island by island.
func (v *visit) mapsOf(nodes []*musterv1.Node, found []string, backs backing) []islandMap {
	var list []islandMap
	for _, one := range picture.IslandsOf(nodes, found, backs, v.to) {
		list = append(list, islandMap{name: one.Name, says: one.Says, svg: one.SVG, nodes: one.Nodes, path: v.to("/partition/"+nodes[0].GetPartition(), "island", one.Name)})
	}
	return list
}

// states are the node states that have a shape.
var states = []string{"suspect", "degraded", "quarantined", "repairing", "validating", "probation", "maintenance", "retired"}
