package oracle

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Piece is replicas of one pool that have to find room: all in one rack or island
// where the reach says so.
type Piece struct {
	GPUs, Count int // GPUs of each replica
	Reach       fleet.Reach
	Footprint   string // what each asks of its node beside GPUs
}

// Slot is room on one node.
type Slot struct {
	Island, Rack int
	Free         int  // GPUs
	Fresh        bool // nothing that counts stands there: using it touches one node more
	Node         int  // -1: some node of the island
}

// Room is where work may go: nodes, how many of the fresh ones, and how many GPUs.
type Room struct {
	Slots []Slot
	Fresh int
	GPUs  int
	Tight Tightness
}

// Base is what a workload needs to start: its pools of lowest rank, each at min.
func Base(j *Job) []Piece {
	var list []Piece
	for _, p := range j.Pools {
		if p.Rank == j.Base() && p.Min > 0 {
			list = append(list, pieceOf(p, p.Min))
		}
	}
	return list
}

func pieceOf(p fleet.Pool, count int) Piece { return Piece{p.GPUs, count, p.Reach, p.Footprint} }

// Sum is the GPUs of all pieces.
func Sum(list []Piece) int {
	t := 0
	for _, p := range list {
		t += p.GPUs * p.Count
	}
	return t
}

// Fits says whether all pieces were placed in the room. It looks greedily inside
// an island: true is certain, false is not.
func (r Room) Fits(list []Piece) bool {
	if Sum(list) > r.GPUs {
		return false
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Piece) int {
		return cmp.Or(cmp.Compare(width(a.Reach), width(b.Reach)), cmp.Compare(b.GPUs, a.GPUs))
	})
	slots := slices.Clone(r.Slots)
	slices.SortStableFunc(slots, func(a, b Slot) int {
		if a.Fresh != b.Fresh {
			if b.Fresh {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Free, b.Free)
	})
	return r.place(list, slots, r.Fresh)
}

func width(r fleet.Reach) int {
	return slices.Index([]fleet.Reach{fleet.ReachRack, fleet.ReachIsland, fleet.ReachAny}, r)
}

// place tries every island, or rack, for the first piece.
func (r Room) place(list []Piece, slots []Slot, fresh int) bool {
	if len(list) == 0 {
		return true
	}
	tried := map[[2]int]bool{}
	for _, s := range slots {
		at := [2]int{s.Island, s.Rack}
		switch list[0].Reach {
		case fleet.ReachAny:
			at = [2]int{-1, -1}
		case fleet.ReachIsland:
			at[1] = -1
		}
		if tried[at] || list[0].Reach == fleet.ReachRack && s.Rack < 0 {
			continue
		}
		tried[at] = true
		if rest, left, ok := r.fill(list[0], slots, fresh, at); ok && r.place(list[1:], rest, left) {
			return true
		}
	}
	return false
}

// fill puts a piece into the slots of one island or rack (-1: any), first where
// something stands already. Where a node is tight for it none is put.
func (r Room) fill(p Piece, slots []Slot, fresh int, at [2]int) (rest []Slot, left int, ok bool) {
	rest = slices.Clone(slots)
	for i := range rest {
		s := &rest[i]
		if at[0] >= 0 && s.Island != at[0] || at[1] >= 0 && s.Rack != at[1] || p.GPUs > s.Free || s.Fresh && fresh == 0 || r.Tight.bars(p.Footprint, s.Node) {
			continue
		}
		if p.Count == 0 {
			break
		}
		if s.Fresh {
			fresh, s.Fresh = fresh-1, false
		}
		n := min(p.Count, s.Free/p.GPUs)
		p.Count -= n
		s.Free -= n * p.GPUs
	}
	return rest, fresh, p.Count == 0
}

// racked says whether an island has one rack only, so that rack and island are one.
func (p *Part) racked(island int) bool {
	for _, n := range p.Nodes {
		if n.Island == island && n.Rack != 0 {
			return false
		}
	}
	return true
}

// Cluster is the private cluster of some quotas: so many whole nodes in each
// island, less those that units which stay touch there, with what is left on these.
// Where an island has several racks nothing is known of them.
func (p *Part) Cluster(backing []int, stay []Unit) Room {
	r := Room{Tight: p.Tight}
	touched := p.touched(stay)
	per := touched.perIsland(p)
	nodes, used := 0, 0
	for i, n := range backing {
		nodes += n
		for range max(0, n-per[i]) {
			r.Slots = append(r.Slots, Slot{i, p.rackOf(i), p.PerNode, true, -1})
		}
		r.Fresh -= per[i]
	}
	r.Fresh += nodes
	for node, n := range p.Nodes {
		u, on := touched[node]
		used += u
		if on && n.Whole() && n.Usable() > u {
			r.Slots = append(r.Slots, Slot{n.Island, p.rackOf(n.Island), n.Usable() - u, false, node})
		}
	}
	r.Fresh = max(0, r.Fresh)
	r.GPUs = nodes*p.PerNode - used
	return r
}

// rackOf is 0 in islands of one rack, and elsewhere a rack of its own for each
// slot asked for would be needed: none is known, so gangs of a rack find none.
func (p *Part) rackOf(island int) int {
	if p.racked(island) {
		return 0
	}
	return -2
}

// load is GPUs by node.
type load map[int]int

func (p *Part) touched(units []Unit) load {
	l := load{}
	for _, u := range units {
		l[u.Node] += u.GPUs()
	}
	return l
}

// perIsland counts the nodes.
func (l load) perIsland(p *Part) []int {
	per := make([]int, len(p.Islands))
	for node := range l {
		per[p.Nodes[node].Island]++
	}
	return per
}
