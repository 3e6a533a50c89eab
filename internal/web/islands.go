package web

import (
	"cmp"
	"slices"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/draw"
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
	backs []string // which quotas stand on it
}

// islands draws islands of a partition; of none named, all. Nodes that the reader
// looks for are framed.
func (v *visit) islands(partition string, names, found []string) ([]islandMap, error) {
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
		list = append(list, v.mapsOf(n.GetNodes(), found)...)
	}
	return list, nil
}

// mapsOf draws nodes, island by island.
func (v *visit) mapsOf(nodes []*musterv1.Node, found []string) []islandMap {
	var list []islandMap
	for len(nodes) > 0 {
		name := nodes[0].GetIsland()
		end := slices.IndexFunc(nodes, func(n *musterv1.Node) bool { return n.GetIsland() != name })
		if end < 0 {
			end = len(nodes)
		}
		list = append(list, v.mapOf(nodes[:end], found, len(list)))
		nodes = nodes[end:]
	}
	return list
}

func (v *visit) mapOf(nodes []*musterv1.Node, found []string, number int) islandMap {
	var racks []draw.Rack
	sorted := slices.Clone(nodes)
	slices.SortStableFunc(sorted, func(a, b *musterv1.Node) int { return cmp.Compare(a.GetRack(), b.GetRack()) })
	healthy := 0
	for _, n := range sorted {
		name := "rack " + plain(int(n.GetRack())+1)
		if len(racks) == 0 || racks[len(racks)-1].Name != name {
			racks = append(racks, draw.Rack{Name: name})
		}
		last := &racks[len(racks)-1]
		last.Cells = append(last.Cells, v.cellOf(n, slices.Contains(found, n.GetName())))
		if n.GetState() == "healthy" {
			healthy++
		}
	}
	across := 8
	if len(nodes) > 64 {
		across = 16
	}
	m := islandMap{name: nodes[0].GetIsland(), nodes: len(nodes), path: v.to("/partition/"+nodes[0].GetPartition(), "island", nodes[0].GetIsland())}
	m.says = draw.Count(len(nodes), "node") + ", " + draw.Number(healthy) + " healthy"
	m.svg = draw.Island("is"+plain(number), "Island "+m.name+": "+m.says, racks, across)
	return m
}

// cellOf is a node as it is drawn, with what its hover says.
func (v *visit) cellOf(n *musterv1.Node, found bool) draw.Cell {
	held := int(n.GetGpus() - n.GetDead() - n.GetFree())
	c := draw.Cell{Name: n.GetName(), State: n.GetState(), GPUs: int(n.GetGpus()), Href: v.to("/node/" + n.GetName()), Found: found}
	holder := "nobody holds it"
	switch {
	case len(n.GetWorkloads()) == 0:
	case n.GetQuota() != "":
		c.Held, holder = []draw.Part{{GPUs: held, Ink: draw.Quota}}, plain(held)+" held in "+n.GetQuota()+": "+some(n.GetWorkloads(), 4)
	default:
		c.Held, holder = []draw.Part{{GPUs: held, Ink: draw.Flex}}, plain(held)+" held on flex: "+some(n.GetWorkloads(), 4)
	}
	c.Says = n.GetName() + "\n" + n.GetState()
	if n.GetSignal() != "" {
		c.Says += " (" + n.GetSignal() + ")"
	}
	c.Says += "\n" + holder
	return c
}

// some names the first few of many.
func some(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + " and " + plain(len(list)-most) + " more"
}

// states are the node states that have a shape.
var states = []string{"suspect", "degraded", "quarantined", "repairing", "validating", "probation", "maintenance", "retired"}
