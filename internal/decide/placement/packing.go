package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// packing looks for nodes for several needs at once by trying every way, where
// finding them one after the other has failed: what one takes may be what another
// needs. Up to some size its answer is sure; a search that stops early says that it
// is not known.
type packing struct {
	needs []need
	homes []home // where the rest of each need stands
	bins  []bin  // the best first
	// own and tree are the nodes that may still be opened, by island; nil: any number.
	own, tree []int
	takes     [][]int // replicas of each need that a tight node takes, in rows: see takesOn
	row       []int   // where takesOn writes what a node takes

	given [][]int // bins of each need, one mention per replica
	steps int     // that may still be taken; negative: the search stopped early
}

// bin is a node as a packing sees it.
type bin struct {
	node, room int
	home       home
	kind       nodeKind
	used       bool // by the packing
	takes, has int  // of a tight node: its row, see takesOn, and the replicas that it was given
}

// home is an island, or a rack of it; −1: any.
type home struct{ island, rack int }

var anywhere = home{-1, -1}

func (h home) has(x home) bool {
	return (h.island < 0 || h.island == x.island) && (h.rack < 0 || h.rack == x.rack)
}

// packAnswer is what a packing found out.
type packAnswer int

const (
	noWay packAnswer = iota
	isPacked
	notKnown // the search stopped early
)

// Bounds of a packing: replicas, nodes that differ, and steps.
const (
	packReplicas = 32
	packBins     = 256
	packSteps    = 4000
)

// pack tries every way.
func (p *packing) pack() packAnswer {
	if !p.mayFit(0) {
		return noWay
	}
	replicas := replicasOf(p.needs)
	if p.dropSpares(replicas); replicas > packReplicas || len(p.bins) > packBins {
		return notKnown
	}
	p.given = make([][]int, len(p.needs))
	switch found := p.placeFrom(0); {
	case found:
		return isPacked
	case p.steps < 0:
		return notKnown
	}
	return noWay
}

// mayFit bounds the needs from the k-th on from above: GPUs in all, and slots for each.
func (p *packing) mayFit(k int) bool {
	room, gpus := 0, 0
	for i := range p.bins {
		room += p.bins[i].room
	}
	for _, nd := range p.needs[k:] {
		gpus += nd.replicas * nd.gpus
		slots := 0
		for i := 0; i < len(p.bins) && slots < nd.replicas; i++ {
			slots += p.bins[i].room / nd.gpus
		}
		if slots < nd.replicas {
			return false
		}
	}
	return gpus <= room
}

// dropSpares leaves out, of bins that are alike, those beyond as many as there are replicas.
func (p *packing) dropSpares(replicas int) {
	had := map[bin]int{}
	p.bins = slices.DeleteFunc(p.bins, func(b bin) bool {
		b = p.kindOf(b)
		had[b]++
		return had[b] > replicas
	})
}

// kindOf is what a bin has in common with those that are alike: its island and rack are left out
// where they make no difference.
func (p *packing) kindOf(b bin) bin {
	b.node = 0
	if p.own == nil && !slices.ContainsFunc(p.needs, func(nd need) bool { return nd.reach != fleet.ReachAny }) {
		b.home = anywhere
	}
	return b
}

// placeFrom places the needs from the k-th on, each in one home after the other.
func (p *packing) placeFrom(k int) bool {
	if k == len(p.needs) {
		return true
	}
	if !p.mayFit(k) {
		return false
	}
	return slices.ContainsFunc(p.homesOf(k), func(h home) bool { return p.place(k, h, 0, p.needs[k].replicas) })
}

// homesOf lists where the k-th need may stand as a whole.
func (p *packing) homesOf(k int) []home {
	reach, in := p.needs[k].reach, p.homes[k]
	if reach == fleet.ReachAny {
		return []home{in}
	}
	var list []home
	for i := range p.bins {
		h := p.bins[i].home
		if reach == fleet.ReachIsland {
			h.rack = -1
		}
		if in.has(p.bins[i].home) && !slices.Contains(list, h) {
			list = append(list, h)
		}
	}
	return list
}

// place puts what is left of the k-th need into bins of a home from the i-th on.
func (p *packing) place(k int, in home, i, left int) bool {
	if left == 0 {
		return p.placeFrom(k + 1)
	}
	var tried []bin // bins that are alike come to the same
	for ; i < len(p.bins); i++ {
		b := p.bins[i]
		if b.room < p.needs[k].gpus || !in.has(b.home) || !p.mayOpen(b) || !p.takesMore(k, b) || slices.Contains(tried, p.kindOf(b)) {
			continue
		}
		if p.steps--; p.steps < 0 {
			return false
		}
		tried = append(tried, p.kindOf(b))
		p.take(k, i)
		if p.place(k, in, i, left-1) {
			return true
		}
		p.untake(k, i, b)
	}
	return false
}

// take gives the k-th need a replica on the i-th bin.
func (p *packing) take(k, i int) {
	b := &p.bins[i]
	p.countOpened(*b, -1)
	b.room, b.used = b.room-p.needs[k].gpus, true
	if b.takes > 0 {
		b.has++
	}
	p.given[k] = append(p.given[k], b.node)
}

// untake puts a bin back as it was.
func (p *packing) untake(k, i int, was bin) {
	p.bins[i] = was
	p.countOpened(was, 1)
	p.given[k] = p.given[k][:len(p.given[k])-1]
}

// mayOpen says whether the limits leave a bin to the packing.
func (p *packing) mayOpen(b bin) bool {
	if p.own == nil || b.used || b.kind == nodeCounted {
		return true
	}
	i := b.home.island
	return p.own[i] > 0 && (b.kind != nodeOpen || p.tree == nil || p.tree[i] > 0)
}

// countOpened counts a bin that is used first against the limits (sign −1), or gives it back (1).
func (p *packing) countOpened(b bin, sign int) {
	if p.own == nil || b.used || b.kind == nodeCounted {
		return
	}
	p.own[b.home.island] += sign
	if b.kind == nodeOpen && p.tree != nil {
		p.tree[b.home.island] += sign
	}
}
