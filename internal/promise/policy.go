package promise

import (
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
	for i, island := range p.Islands {
		n := len(island.Nodes())
		allows := s.BufferFor(p, i).Allows(n)
		least := n - p.MostDown(i, since, now)
		c.Shares[i] = min(island.Whole(), least, allows/1000)
		installed, whole, allowed = installed+n, whole+island.Whole(), allowed+allows
	}
	least := installed - p.MostDown(-1, since, now)
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
