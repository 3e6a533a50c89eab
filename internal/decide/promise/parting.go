package promise

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Parting says whether a node may be taken out by our own doing, so that no promise
// breaks (maintenance §2.1).
type Parting struct {
	Holds bool
	Quota string // whose backing would fall; "": that of all together
	Short int    // nodes that are missing
	// Aligned: the answer was found by aligning a copy. Then it hangs on all work of the partition, and else on that of the
	// node's island alone.
	Aligned bool
}

// Part asks what would be if one more node of an island were gone, beside those that are
// already leaving or out. Rule (a): aligning again gives every grant the backing
// that it has, gangs whole in their islands. Rule (b): the whole healthy nodes left, less the
// reserve for failures meanwhile, are at least the backed ones.
//
// Where what stands would still be allowed to stand, aligning again keeps it, for
// changes move as little as possible (semantics §3.4). Then nothing is copied, and
// the question costs what the islands cost.
func Part(s *fleet.State, p *fleet.Partition, node int, now fleet.Instant) Parting {
	n := p.Nodes[node]
	if !n.Whole() {
		return Parting{Holds: true} // nothing stands on it
	}
	gone := make([]int, len(p.Islands))
	gone[n.Island] = 1
	c := capacityWithout(s, p, now, gone)
	if short := shortOfReserve(s, p, n.Island, now); short > 0 {
		return Parting{Short: short}
	}
	if stillStands(p, c, n.Island) {
		return Parting{Holds: true}
	}
	return tryPart(s, p, node, now, nil)
}

// PartIfStopped is Part for a node from which a workload stops first: then nothing holds backing where it stood, and a gang
// may be backed whole in another island.
func PartIfStopped(s *fleet.State, p *fleet.Partition, node int, w *fleet.Workload, now fleet.Instant) Parting {
	if part := Part(s, p, node, now); part.Holds || !part.Aligned {
		return part
	}
	return tryPart(s, p, node, now, w)
}

// stillStands says whether all that backs quotas now could stay where it is.
func stillStands(p *fleet.Partition, c Capacity, island int) bool {
	is, backed := p.Islands[island], 0
	for _, i := range p.Islands {
		backed += i.BackedNodes()
	}
	return is.BackedNodes() <= is.Whole()-1 && backed <= c.Promisable && gangsIn(p, island) <= c.Shares[island] && p.AssignedNodes() <= backed
}

// gangsIn is the nodes of an island that back declared gangs, and those on which running in-quota work stands.
func gangsIn(p *fleet.Partition, island int) int {
	t := 0
	for _, a := range p.Accounts {
		if a.Backing[island] == 0 {
			continue
		}
		gang := 0
		if a.Gang > 0 && a.GangMissing == 0 && a.GangIsland == island {
			gang = a.Gang / p.GPUsPerNode
		}
		t += min(a.Backing[island], max(gang, a.Touched(island)))
	}
	return t
}

// shortOfReserve is how many nodes rule (b) lacks: of the whole partition, and of the island where gangs stand.
func shortOfReserve(s *fleet.State, p *fleet.Partition, island int, now fleet.Instant) int {
	all, here := Spare(s, p, island, now)
	return max(0, 1-all, 1-here)
}

// unbounded is the spare nodes of a place where nothing is promised.
const unbounded = 1 << 30

// Spare is how many further nodes of a partition, and of one island of it, rule (b) lets out: the whole healthy
// nodes less the failure reserve and the backed ones.
func Spare(s *fleet.State, p *fleet.Partition, island int, now fleet.Instant) (all, here int) {
	return SpareOf(s, p, now), SpareIn(s, p, island, now)
}

// SpareOf is how many further nodes of a partition rule (b) lets out, wherever they are.
func SpareOf(s *fleet.State, p *fleet.Partition, now fleet.Instant) int {
	whole, backed, reserve := 0, 0, 0
	fixed := false
	for i, is := range p.Islands {
		whole, backed = whole+is.Whole(), backed+is.BackedNodes()
		if !s.BufferFor(p, i).Learns() {
			fixed = true
			continue
		}
		reserve += reserveOf(s, p, i, now)
	}
	if fixed {
		reserve = max(reserve, 1)
	}
	if backed == 0 {
		return unbounded
	}
	return whole - backed - reserve
}

// SpareIn is how many further nodes of an island rule (b) lets out for the sake of the island alone.
func SpareIn(s *fleet.State, p *fleet.Partition, island int, now fleet.Instant) int {
	if !s.BufferFor(p, island).Learns() {
		return unbounded
	}
	gangs := gangsIn(p, island)
	if gangs == 0 {
		return unbounded
	}
	return p.Islands[island].Whole() - gangs - reserveOf(s, p, island, now)
}

// reserveOf is how many further nodes of an island its own policy expects to go down at most, with its
// confidence, within the horizon of a day: a visit is shorter.
func reserveOf(s *fleet.State, p *fleet.Partition, island int, now fleet.Instant) int {
	b, n := s.BufferFor(p, island), len(p.Islands[island].Nodes())
	b.Floor = 0
	return n - claimOf(b, fleet.PromisableHours).Promised(n, 0, forecast(s, p, now).islands[island].short)
}

// tryPart aligns a copy in which the node is leaving, and a workload has stopped if one is given. What a grant has may move to
// other islands; it may not become less, and no gang may lose its island whole.
func tryPart(s *fleet.State, p *fleet.Partition, node int, now fleet.Instant, stops *fleet.Workload) Parting {
	c := s.ForkOf([]*fleet.Partition{p})
	q := c.Partition(p.ID)
	if stops != nil {
		c.LeaveAll(c.Workloads[stops.ID])
	}
	q.SetLeaving(node, true, now, now)
	a := Align(c, q, now)
	for k, acc := range q.Accounts {
		was, is := sum(acc.Backing), sum(a.Backing[k])
		if is < was {
			return Parting{Quota: acc.Quota, Short: was - is, Aligned: true}
		}
		if a.Gangs[k].Missing > acc.GangMissing || losesCover(acc, a.Backing[k]) {
			return Parting{Quota: acc.Quota, Short: 1, Aligned: true}
		}
	}
	return Parting{Holds: true, Aligned: true}
}

// losesCover says whether backing would leave work that stands under it now.
func losesCover(a *fleet.Account, next []int) bool {
	for i, backed := range a.Backing {
		if next[i] < min(backed, a.Touched(i)) {
			return true
		}
	}
	return false
}

func sum(list []int) int {
	t := 0
	for _, x := range list {
		t += x
	}
	return t
}
