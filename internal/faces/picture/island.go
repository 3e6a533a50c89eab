package picture

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
)

// Island is one island, drawn node by node.
type Island struct {
	Name, Says string
	Nodes      int
	SVG        draw.SVG
}

// IslandsOf draws nodes, which come in order of island; those that a reader looks for are
// framed. backs says which quotas the nodes of each island back; nil: that is not drawn.
func IslandsOf(nodes []*musterv1.Node, found []string, backs map[string]*draw.Strip, leads Leads) []Island {
	if leads == nil {
		leads = nowhere
	}
	var list []Island
	for len(nodes) > 0 {
		name := nodes[0].GetIsland()
		end := slices.IndexFunc(nodes, func(n *musterv1.Node) bool { return n.GetIsland() != name })
		if end < 0 {
			end = len(nodes)
		}
		list = append(list, islandOf(nodes[:end], found, len(list), backs[name], leads))
		nodes = nodes[end:]
	}
	return list
}

func islandOf(nodes []*musterv1.Node, found []string, number int, strip *draw.Strip, leads Leads) Island {
	var racks []draw.Rack
	sorted := slices.Clone(nodes)
	slices.SortStableFunc(sorted, func(a, b *musterv1.Node) int { return cmp.Compare(a.GetRack(), b.GetRack()) })
	healthy := 0
	for _, n := range sorted {
		name := "rack " + strconv.Itoa(int(n.GetRack())) // the number that files and the API know
		if len(racks) == 0 || racks[len(racks)-1].Name != name {
			racks = append(racks, draw.Rack{Name: name})
		}
		last := &racks[len(racks)-1]
		last.Cells = append(last.Cells, cellOf(n, slices.Contains(found, n.GetName()), leads))
		if n.GetState() == "healthy" {
			healthy++
		}
	}
	across := 8
	if len(nodes) > 64 {
		across = 16
	}
	i := Island{Name: nodes[0].GetIsland(), Nodes: len(nodes), Says: draw.Count(len(nodes), "node") + ", " + draw.Number(healthy) + " healthy"}
	i.SVG = draw.Island("is"+strconv.Itoa(number), "Island "+i.Name+": "+i.Says, racks, across, strip)
	return i
}

// cellOf is a node as it is drawn, with what its hover says.
func cellOf(n *musterv1.Node, found bool, leads Leads) draw.Cell {
	c := draw.Cell{Name: n.GetName(), State: n.GetState(), GPUs: int(n.GetGpus()), Href: leads("/node/" + n.GetName()), Found: found}
	c.Says = n.GetName() + "\n" + n.GetState()
	if n.GetSignal() != "" {
		c.Says += " (" + n.GetSignal() + ")"
	}
	left := int(n.GetGpus())
	for _, h := range n.GetHeld() {
		gpus := min(left, int(h.GetGpus())) // held and reserved: it is drawn once
		left -= gpus
		c.Held = append(c.Held, draw.Part{GPUs: gpus, Ink: HoldsInk(h.GetHolds())})
		c.Says += "\n" + strconv.Itoa(int(h.GetGpus())) + " " + heldAs(h)
	}
	switch on := words.WorkOn(n); {
	case len(n.GetHeld()) == 0 && n.GetState() == "healthy":
		c.Says += "\nfree"
	case len(n.GetHeld()) > 0 && len(on) > 0:
		c.Says += "\n" + some(on, 4)
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
	return strings.Join(list[:most], ", ") + " and " + strconv.Itoa(len(list)-most) + " more"
}

// StripsOf says how the nodes of each island of a partition are spoken for, by the quotas
// that have grants there, in order of path; per is the GPUs of a node.
func StripsOf(p *musterv1.PartitionCapacity, quotas []*musterv1.Quota, per int, leads Leads) map[string]*draw.Strip {
	if leads == nil {
		leads = nowhere
	}
	list := map[string]*draw.Strip{}
	for _, i := range p.GetIslands() {
		list[i.GetIsland()] = &draw.Strip{Nodes: int(i.GetNodes()), Whole: int(i.GetWhole()), OwnPart: int(i.GetOwnShare())}
	}
	letter := 0
	for _, q := range quotas {
		for _, g := range q.GetGrants() {
			if g.GetPartition() != p.GetPartition() {
				continue
			}
			for island, gpus := range g.GetIslands() { // each in a strip of its own: the order does not matter
				if strip := list[island]; strip != nil && gpus > 0 {
					strip.Shares = append(strip.Shares, draw.Share{Quota: q.GetPath(), Letter: draw.Letter(letter), Nodes: int(gpus) / per, Href: leads("/team/" + q.GetPath())})
				}
			}
			letter++
		}
	}
	return list
}

// PerNode is how many GPUs a node of a partition has.
func PerNode(p *musterv1.PartitionCapacity) int {
	nodes := 0
	for _, i := range p.GetIslands() {
		nodes += int(i.GetNodes())
	}
	return max(1, int(p.GetFigures().GetInstalled())/max(1, nodes))
}
