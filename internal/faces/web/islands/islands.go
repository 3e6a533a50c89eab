package islands

import (
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// MostNodes is how many nodes a page draws one by one; of larger partitions, islands are drawn as bars.
const MostNodes = 1200

// Map is one island, drawn node by node.
type Map struct {
	Name  string
	Says  string // what its picture says, for who cannot see it
	SVG   draw.SVG
	Path  string
	Nodes int
	Backs []Backed // the quotas that it backs
}

// Backed is the backing that one quota has on an island.
type Backed struct {
	Letter, Quota string
	GPUs          int
}

// Backing is how the nodes of each island back quotas.
type Backing = map[string]*draw.Strip

// Of draws the named islands of a partition; none named: all. Nodes in found are framed.
func Of(v *frame.Visit, partition string, names, found []string, backing Backing) ([]Map, error) {
	var list []Map
	drawn := 0
	if len(names) == 0 {
		names = []string{""}
	}
	for _, name := range names {
		scope := partition
		if name != "" {
			scope += "/" + name
		}
		n, err := v.Capacity.Nodes(v.Ctx, &musterv1.NodesRequest{AsOf: v.AsOf, Scope: scope})
		if err != nil {
			return nil, err
		}
		if drawn += len(n.GetNodes()); drawn > MostNodes {
			break
		}
		list = append(list, mapsOf(v, n.GetNodes(), found, backing)...)
	}
	return list, nil
}

// mapsOf draws nodes, island by island.
func mapsOf(v *frame.Visit, nodes []*musterv1.Node, found []string, backing Backing) []Map {
	var list []Map
	for _, one := range picture.IslandsOf(nodes, found, backing, v.To) {
		list = append(list, Map{Name: one.Name, Says: one.Says, SVG: one.SVG, Nodes: one.Nodes, Path: v.To("/partition/"+nodes[0].GetPartition(), "island", one.Name)})
	}
	return list
}
