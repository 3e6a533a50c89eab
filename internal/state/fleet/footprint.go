package fleet

import (
	"cmp"
	"slices"
)

// GPUs are counted; processors, memory, host ports and the like are not. Of these the state
// knows what its cluster reports: which nodes take fewer replicas than their GPUs would.

// Footprint is what is known of the nodes of a partition for replicas that ask the same of
// their node beside GPUs. It is never changed once it is there.
type Footprint struct {
	Name  string  `json:"name"`  // what such a replica asks for, as its cluster writes it: see Pool.Footprint
	Tight []Tight `json:"tight"` // in order of node; other nodes take as many as they have GPUs for
}

// Tight says that a node takes fewer replicas of a footprint than its GPUs would allow.
type Tight struct {
	Node int `json:"node"` // index into Partition.Nodes
	Takings
	Why string   `json:"why"`          // as the cluster said it when this began
	By  []string `json:"by,omitempty"` // pods that are not Muster's and have most of what is short, as namespace/name
}

// Takings is how many replicas of a footprint a node takes.
type Takings struct {
	// Takes is how many it takes where no other work of Muster's stands: what is not Muster's leaves no
	// room for more.
	Takes int `json:"takes"`
	// Empty is how many it would take were nothing at all on it: at least Takes.
	Empty int `json:"empty,omitempty"`
	// Full: beside what stands there now it takes only More. Once all of that has left it takes as many as
	// Takes says.
	Full bool `json:"full,omitempty"`
	More int  `json:"more,omitempty"`
}

// Footprint finds what is known of a footprint; nil: all nodes take it.
func (p *Partition) Footprint(name string) *Footprint {
	at, ok := p.findFootprint(name)
	if !ok {
		return nil
	}
	return p.Footprints[at]
}

func (p *Partition) findFootprint(name string) (at int, ok bool) {
	return slices.BinarySearchFunc(p.Footprints, name, func(f *Footprint, name string) int { return cmp.Compare(f.Name, name) })
}

// At is what is known of a node; nil: it takes as many replicas as it has GPUs for.
func (f *Footprint) At(node int) *Tight {
	if f == nil {
		return nil
	}
	at, ok := slices.BinarySearchFunc(f.Tight, node, func(t Tight, node int) int { return cmp.Compare(t.Node, node) })
	if !ok {
		return nil
	}
	return &f.Tight[at]
}

// SetTight says which nodes take fewer replicas of a footprint than before, and which take as many as
// they have GPUs for again. What waits may find room now, or elsewhere.
func (p *Partition) SetTight(name string, tight []Tight, loose []int) {
	byNode := map[int]Tight{}
	if f := p.Footprint(name); f != nil {
		for _, t := range f.Tight {
			byNode[t.Node] = t
		}
	}
	for _, node := range loose {
		delete(byNode, node)
	}
	for _, t := range tight {
		byNode[t.Node] = t
	}
	p.putFootprint(&Footprint{Name: name, Tight: inOrderOfNode(byNode)})
	p.changes.OnNodes++
	p.Freed()
}

func inOrderOfNode(byNode map[int]Tight) []Tight {
	list := make([]Tight, 0, len(byNode))
	for _, t := range byNode {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b Tight) int { return cmp.Compare(a.Node, b.Node) })
	return list
}

// putFootprint keeps the list in order of name; copies of the state share the old one.
func (p *Partition) putFootprint(f *Footprint) {
	at, known := p.findFootprint(f.Name)
	list := slices.Clone(p.Footprints)
	if known {
		list = slices.Delete(list, at, at+1)
	}
	if len(f.Tight) > 0 {
		list = slices.Insert(list, at, f)
	}
	if p.Footprints = list; len(list) == 0 {
		p.Footprints = nil
	}
}
