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
	backs []stands // which quotas stand on it
}

// stands is a quota's backing on one island.
type stands struct {
	letter, quota string
	gpus          int
}

// backing is who stands on which island of a partition, and how each is spoken for.
type backing map[string]*draw.Strip

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
	for len(nodes) > 0 {
		name := nodes[0].GetIsland()
		end := slices.IndexFunc(nodes, func(n *musterv1.Node) bool { return n.GetIsland() != name })
		if end < 0 {
			end = len(nodes)
		}
		list = append(list, v.mapOf(nodes[:end], found, len(list), backs[name]))
		nodes = nodes[end:]
	}
	return list
}

func (v *visit) mapOf(nodes []*musterv1.Node, found []string, number int, strip *draw.Strip) islandMap {
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
	m.svg = draw.Island("is"+plain(number), "Island "+m.name+": "+m.says, racks, across, strip)
	return m
}

// cellOf is a node as it is drawn, with what its hover says.
func (v *visit) cellOf(n *musterv1.Node, found bool) draw.Cell {
	c := draw.Cell{Name: n.GetName(), State: n.GetState(), GPUs: int(n.GetGpus()), Href: v.to("/node/" + n.GetName()), Found: found}
	c.Says = n.GetName() + "\n" + n.GetState()
	if n.GetSignal() != "" {
		c.Says += " (" + n.GetSignal() + ")"
	}
	left := int(n.GetGpus())
	for _, h := range n.GetHeld() {
		gpus := min(left, int(h.GetGpus())) // held and reserved: it is drawn once
		left -= gpus
		c.Held = append(c.Held, draw.Part{GPUs: gpus, Ink: inkOfHolds(h.GetHolds())})
		c.Says += "\n" + plain(int(h.GetGpus())) + " " + heldAs(h)
	}
	if len(n.GetHeld()) == 0 {
		c.Says += "\nnobody holds it"
	} else if len(n.GetWorkloads()) > 0 {
		c.Says += "\n" + some(n.GetWorkloads(), 4)
	}
	return c
}

// heldAs says how GPUs are held, and in which quota.
func heldAs(h *musterv1.NodeHeld) string {
	if h.GetHolds() == "flex" {
		return "held on flex"
	}
	return "held as " + h.GetHolds() + " in " + h.GetTarget()
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
