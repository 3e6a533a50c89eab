package promise

import (
	"sort"

	"github.com/muster-fleet/muster/internal/fleet"
)

// Capacity is what may be promised on a partition now, in nodes.
type Capacity struct {
	Promisable  int
	Sustainable int   // the same over 28 days; never more than Promisable
	Shares      []int // own share of each island
}

// CapacityOf applies the buffer policies in force to a partition: the least,
// over the last dwell, of min(healthy nodes, what the policy allows), for each
// island alone and for all together, rounded once (semantics §2).
//
// A fixed policy allows (1 − buffer) × installed. One that learns allows what is
// left of the installed nodes after those that are down and those that may
// follow within the horizon; together they are at least the floor and at most the
// ceiling. The islands that one such policy governs are one pool: they stand in
// for one another.
func CapacityOf(s *fleet.State, p *fleet.Partition, now fleet.Instant) Capacity {
	c := Capacity{Shares: make([]int, len(p.Islands))}
	since := now.Add(-s.Policy.Dwell)
	installed, whole := 0, 0
	var short, long int // allowed, in thousandths of a node
	downs, buffers := make([][]fleet.Down, len(p.Islands)), make([]fleet.Buffer, len(p.Islands))
	for _, d := range p.Downs {
		i := p.Nodes[d.Node].Island
		downs[i] = append(downs[i], d)
	}
	learns := false
	for i, island := range p.Islands {
		n := len(island.Nodes())
		b := s.BufferFor(p, i)
		buffers[i], learns = b, learns || b.Learns()
		c.Shares[i] = min(island.Whole(), n-worst(downs[i], since, now))
		if !b.Learns() {
			c.Shares[i] = min(c.Shares[i], b.Allows(n)/1000)
			short, long = short+b.Allows(n), long+b.Allows(n)
		}
		installed, whole = installed+n, whole+island.Whole()
	}
	if learns {
		f := forecast(s, p, now)
		for i, b := range buffers {
			if b.Learns() {
				n, down := down(p, downs, since, now, i)
				c.Shares[i] = min(c.Shares[i], claimOf(b, fleet.PromisableHours).Promised(n, down, f.islands[i].short))
			}
		}
		for k, g := range groupsOf(buffers) {
			n, down := down(p, downs, since, now, g...)
			short += 1000 * claimOf(buffers[g[0]], fleet.PromisableHours).Promised(n, down, f.groups[k].short)
			long += 1000 * claimOf(buffers[g[0]], fleet.SustainableHours).Promised(n, down, max(f.groups[k].short, f.groups[k].long))
		}
	}
	least := min(whole, installed-worst(p.Downs, since, now))
	c.Promisable = min(least, short/1000)
	c.Sustainable = min(c.Promisable, long/1000)
	return c
}

// down is how many nodes some islands have, and how many of them were down
// together at the worst moment of the last dwell, now included.
func down(p *fleet.Partition, downs [][]fleet.Down, since, now fleet.Instant, islands ...int) (nodes, down int) {
	var all []fleet.Down
	whole := 0
	for _, i := range islands {
		nodes, whole = nodes+len(p.Islands[i].Nodes()), whole+p.Islands[i].Whole()
		all = append(all, downs[i]...)
	}
	return nodes, max(nodes-whole, worst(all, since, now))
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
