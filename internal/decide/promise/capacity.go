package promise

import (
	"github.com/muster-fleet/muster/internal/decide/promise/buffer"
	"github.com/muster-fleet/muster/internal/state/fleet"
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
// for one another. What is announced to be gone for longer than the horizon lowers what
// is sustainable at once.
func CapacityOf(s *fleet.State, p *fleet.Partition, now fleet.Instant) Capacity {
	c := capacityWithout(s, p, now, nil)
	if gone := goneLong(s, p); gone != nil {
		c.Sustainable = min(c.Sustainable, capacityWithout(s, p, now, gone).Sustainable)
	}
	return c
}

// capacityWithout is CapacityOf with some more nodes of each island gone; nil: none.
func capacityWithout(s *fleet.State, p *fleet.Partition, now fleet.Instant, gone []int) Capacity {
	c := Capacity{Shares: make([]int, len(p.Islands))}
	since := now.Add(-s.Policy.Dwell)
	whole, left := 0, 0 // nodes that are whole, and that planned work leaves
	var short, long int // allowed, in thousandths of a node
	buffers, learns := make([]fleet.Buffer, len(p.Islands)), false
	if gone == nil {
		gone = make([]int, len(p.Islands))
	}
	for i, island := range p.Islands {
		n := len(island.Nodes())
		b := s.BufferFor(p, i)
		buffers[i], learns = b, learns || b.Learns()
		unplanned := n - island.Planned() - gone[i]
		c.Shares[i] = max(0, min(island.Whole()-gone[i], unplanned-p.MostDown(i, since, now)))
		if !b.Learns() {
			c.Shares[i] = min(c.Shares[i], b.Allows(n)/1000)
			short, long = short+b.Allows(n), long+b.Allows(n)
		}
		whole, left = whole+island.Whole()-gone[i], left+unplanned
	}
	if learns {
		f := forecast(s, p, now)
		for i, b := range buffers {
			if b.Learns() {
				n, down := down(p, since, now, gone, i)
				c.Shares[i] = min(c.Shares[i], claimOf(b, fleet.PromisableHours).Promised(n, down, f.islands[i].short))
			}
		}
		for k, g := range groupsOf(buffers) {
			n, down := down(p, since, now, gone, g...)
			short += 1000 * claimOf(buffers[g[0]], fleet.PromisableHours).Promised(n, down, f.groups[k].short)
			long += 1000 * claimOf(buffers[g[0]], fleet.SustainableHours).Promised(n, down, f.groups[k].short.Worse(f.groups[k].long))
		}
	}
	c.Promisable = max(0, min(whole, left-p.MostDown(-1, since, now), short/1000))
	c.Sustainable = min(c.Promisable, long/1000)
	return c
}

// claimOf is what a policy that learns claims of its promises over so many hours.
func claimOf(b fleet.Buffer, horizon int) buffer.Claim {
	return buffer.Claim{Confidence: b.Confidence.Float(), Floor: b.Floor.Float(), Ceiling: b.Ceiling.Float(), Horizon: horizon}
}

// SustainableShares is what each island alone can sustain, in nodes: the largest
// gang that may be declared there (semantics §2, §4). It is at most the island's
// own share; under a fixed policy it is the same.
func SustainableShares(s *fleet.State, p *fleet.Partition, now fleet.Instant) []int {
	gone := goneLong(s, p)
	shares := capacityWithout(s, p, now, gone).Shares
	since := now.Add(-s.Policy.Dwell)
	if gone == nil {
		gone = make([]int, len(p.Islands))
	}
	for i := range shares {
		if b := s.BufferFor(p, i); b.Learns() {
			n, down := down(p, since, now, gone, i)
			ahead := forecast(s, p, now).islands[i]
			shares[i] = min(shares[i], claimOf(b, fleet.SustainableHours).Promised(n, down, ahead.short.Worse(ahead.long)))
		}
	}
	return shares
}

// down is how many nodes some islands have, and how many of them were down at the worst
// moment of the last dwell, now included. Nodes that are to be gone count as down. Where
// these are not all islands of the partition, it is each island's own worst moment.
func down(p *fleet.Partition, since, now fleet.Instant, gone []int, islands ...int) (nodes, down int) {
	whole, planned, most := 0, 0, 0
	for _, i := range islands {
		nodes, whole = nodes+len(p.Islands[i].Nodes()), whole+p.Islands[i].Whole()-gone[i]
		planned += p.Islands[i].Planned() + gone[i]
		most += p.MostDown(i, since, now)
	}
	if len(islands) == len(p.Islands) {
		most = p.MostDown(-1, since, now)
	}
	return nodes, min(nodes, max(nodes-whole, planned+most))
}

// Stands says whether the present backing is what Align would decide, without
// asking any account: none misses anything, and what there is suffices for all
// that is backed. It may say no where it could say yes.
func Stands(s *fleet.State, p *fleet.Partition, now fleet.Instant) (Capacity, bool) {
	if !p.Content() {
		return Capacity{}, false
	}
	c, backed := CapacityOf(s, p, now), 0
	for _, island := range p.Islands {
		if backed += island.BackedNodes(); island.BackedNodes() > island.Whole() {
			return c, false
		}
	}
	return c, backed <= c.Promisable
}
