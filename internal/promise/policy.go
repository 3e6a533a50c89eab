package promise

import (
	"sort"

	"github.com/muster-fleet/muster/internal/fleet"
)

// Capacity is what may be promised on a partition now, in nodes.
type Capacity struct {
	Promisable int
	Shares     []int // own share of each island
}

// CapacityOf applies the buffer policies in force to a partition: the least,
// over the last dwell, of min(healthy nodes, what the policy allows), for each
// island alone and for all together, rounded once (semantics §2).
func CapacityOf(s *fleet.State, p *fleet.Partition, now fleet.Instant) Capacity {
	c := Capacity{Shares: make([]int, len(p.Islands))}
	since := now.Add(-s.Policy.Dwell)
	installed, whole, allowed := 0, 0, 0
	downs := map[int][]fleet.Down{}
	for _, d := range p.Downs {
		i := p.Nodes[d.Node].Island
		downs[i] = append(downs[i], d)
	}
	for i, island := range p.Islands {
		n := len(island.Nodes())
		allows := s.BufferFor(p, i).Allows(n)
		least := n - worst(downs[i], since, now)
		c.Shares[i] = min(island.Whole(), least, allows/1000)
		installed, whole, allowed = installed+n, whole+island.Whole(), allowed+allows
	}
	least := installed - worst(p.Downs, since, now)
	c.Promisable = min(whole, least, allowed/1000)
	return c
}

// Stands says whether the present backing is what Align would decide, without
// asking any account: nobody misses anything, and what there is suffices for all
// that is backed. It may say no where it could say yes.
func Stands(s *fleet.State, p *fleet.Partition, now fleet.Instant) (Capacity, bool) {
	if !p.Content() {
		return Capacity{}, false
	}
	c, backed := CapacityOf(s, p, now), 0
	for _, island := range p.Islands {
		if backed += island.Backed(); island.Backed() > island.Whole() {
			return c, false
		}
	}
	return c, backed <= c.Promisable
}

// worst is the largest number of nodes that were down at one moment after
// since, up to now.
func worst(downs []fleet.Down, since, now fleet.Instant) int {
	type edge struct {
		at    fleet.Instant
		delta int
	}
	if len(downs) == 0 {
		return 0
	}
	var edges []edge
	for _, d := range downs {
		if d.To <= since {
			continue
		}
		edges = append(edges, edge{d.From, 1})
		if d.To <= now {
			edges = append(edges, edge{d.To, -1})
		}
	}
	// A node that comes back at the moment another goes is not down with it.
	sort.Slice(edges, func(i, j int) bool {
		if edges[i].at != edges[j].at {
			return edges[i].at < edges[j].at
		}
		return edges[i].delta < edges[j].delta
	})
	most, down := 0, 0
	for i, e := range edges {
		down += e.delta
		if e.at >= since || i+1 == len(edges) || edges[i+1].at > since {
			most = max(most, down)
		}
	}
	return most
}
