package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file asks whether several pools fit beside each other in a backing some of whose nodes are tight for them.

// packTight says whether needs fit together on nodes of a backing where nothing else stands. What a tight node takes hangs on
// which pool stands there first: each order is tried, as find does. All of them together take as many steps as one packing may.
func (pl *Planner) packTight(list []need, backing func(island int) int) packAnswer {
	if replicasOf(list) > packReplicas {
		return notKnown
	}
	steps := packSteps
	for _, list := range orders(list) {
		p := pl.tightPacking(list, backing)
		p.steps = steps
		if answer := p.pack(); answer != noWay {
			return answer
		}
		steps = p.steps
	}
	return noWay
}

func replicasOf(list []need) (replicas int) {
	for _, nd := range list {
		replicas += nd.replicas
	}
	return replicas
}

// tightPacking is what needs ask for as a packing of whole nodes, of which as many may be opened as the backing has in their island.
func (pl *Planner) tightPacking(list []need, backing func(island int) int) *packing {
	p := &packing{needs: list, homes: slices.Repeat([]home{anywhere}, len(list)), own: make([]int, len(pl.p.Islands))}
	for i := range pl.p.Islands {
		if p.own[i] = backing(i); p.own[i] > 0 {
			pl.addBins(p, i)
		}
	}
	return p
}

// addBins adds the whole nodes of an island: of those that are alike, as many as the needs could open.
func (pl *Planner) addBins(p *packing, island int) {
	had, most := map[bin]int{}, min(p.own[island], replicasOf(p.needs))
	racks := slices.ContainsFunc(p.needs, func(nd need) bool { return nd.reach == fleet.ReachRack })
	for _, node := range pl.p.Islands[island].Nodes() {
		n := pl.p.Nodes[node]
		if !n.Whole() {
			continue
		}
		b := bin{room: n.Good(), home: home{island: island}, kind: nodeOpen, takes: p.takesOn(node)}
		if racks {
			b.home.rack = n.Rack
		}
		if had[b]++; had[b] <= most {
			p.bins = append(p.bins, b)
		}
	}
}

// takesOn finds the row of takes for a node, counted from 1; 0: the node is tight for none of the needs. Nodes that take as
// many of each share a row, so that the search knows them as alike.
func (p *packing) takesOn(node int) int {
	row, tight := p.row[:0], false
	for _, nd := range p.needs {
		takes := unlimited
		if t := nd.tight.At(node); t != nil {
			takes, tight = t.Takes, true
		}
		row = append(row, takes)
	}
	if p.row = row; !tight {
		return 0
	}
	at := slices.IndexFunc(p.takes, func(other []int) bool { return slices.Equal(row, other) })
	if at < 0 {
		at, p.takes = len(p.takes), append(p.takes, slices.Clone(row))
	}
	return at + 1
}

// takesMore says whether a bin takes one more replica of the k-th need. Pools that share a tight node count as if they were
// alike (decision record 0026).
func (p *packing) takesMore(k int, b bin) bool {
	return b.takes == 0 || b.has < p.takes[b.takes-1][k]
}
