package haircut

import (
	"github.com/muster-fleet/muster/internal/decide/promise"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Ask is what a plan is asked for.
type Ask struct {
	Scope  string // a partition, a cluster, or "" for the fleet
	Basis  fleet.Basis
	Buffer *fleet.Buffer // another policy than the one in force; nil: that one
}

// Make makes a plan: what each partition of the scope needs, and the waves in
// which it is cut. It is a pure function of the state, what is asked and the
// moment. Name, author and what trying it shows are left open.
func Make(s *fleet.State, ask Ask, now fleet.Instant) fleet.Haircut {
	h := fleet.Haircut{Scope: ask.Scope, Basis: ask.Basis, Buffer: ask.Buffer, Version: s.Seq, Made: now}
	var over []fleet.CutPart
	for _, p := range s.Partitions {
		if !within(p, ask.Scope) {
			continue
		}
		if part := Part(s, p, ask, now); len(part.Cuts) > 0 {
			over = append(over, part)
		} else {
			h.Fit = append(h.Fit, part)
		}
	}
	h.Waves = wavesOf(s, over)
	return h
}

func within(p *fleet.Partition, scope string) bool {
	return scope == "" || scope == p.Cluster || scope == p.ID
}

// headroom is healthy − assigned over a cluster, per thousand of installed, to the
// nearest: how much room its health leaves. Waves go where most is left first.
func headroom(s *fleet.State, cluster string) int {
	healthy, assigned, installed := 0, 0, 0
	for _, p := range s.Partitions {
		if p.Cluster == cluster {
			healthy, assigned, installed = healthy+p.Tally().Healthy, assigned+p.Assigned(), installed+p.Tally().Installed
		}
	}
	return nearest(1000*(healthy-assigned), max(1, installed))
}

// nearest is n/d as the nearest whole number, halves away from zero. d is positive.
func nearest(n, d int) int {
	if n < 0 {
		return -nearest(-n, d)
	}
	return (2*n + d) / (2 * d)
}

// Part is what a plan finds and cuts in one partition.
func Part(s *fleet.State, p *fleet.Partition, ask Ask, now fleet.Instant) fleet.CutPart {
	rows, n := rowsOf(p, now), measure(Under(s, ask.Buffer), p, now)
	above, fractions := p.Assigned() > n.sustainable*p.GPUsPerNode, 0
	if above || ask.Basis == fleet.BasisQuota {
		fractions = cutFractions(rows)
	}
	switch {
	case ask.Basis == fleet.BasisQuota:
		takeShares(rows, n.allowed, n.installed*1000)
	case above:
		take(rows, max(0, n.assigned-n.sustainable))
	}
	part := fleet.CutPart{
		Partition: p.ID, Installed: p.Tally().Installed, Healthy: p.Tally().Healthy,
		Assigned: p.Assigned(), Sustainable: n.sustainable * p.GPUsPerNode,
		Incidents: s.OpenIncidents(p), Cuts: cutsOf(s, p, rows, now),
	}
	asked(&part, rows, ask.Basis, n)
	part.Excess = max(0, part.Assigned-part.Sustainable)
	part.Unallocated = max(0, part.Sustainable-part.Assigned)
	part.Records = max(0, min(part.Installed-part.Sustainable, part.Installed-part.Assigned))
	part.Left = part.Excess
	for _, c := range part.Cuts {
		part.Left = max(0, part.Left-c.GPUs())
	}
	if part.Excess > 0 {
		part.Causes = causesOf(p, part.Excess, fractions, n)
	}
	return part
}

// nodes is a partition in nodes.
type nodes struct {
	installed, assigned, sustainable int // assigned: of every grant its whole nodes
	allowed                          int // by the policy were every node healthy, in thousandths
}

func measure(s *fleet.State, p *fleet.Partition, now fleet.Instant) nodes {
	n := nodes{
		installed: len(p.Nodes), assigned: p.AssignedNodes(),
		sustainable: Sustainable(s, p, now) / p.GPUsPerNode,
	}
	for i, island := range p.Islands {
		if b := s.BufferFor(p, i); !b.Learns() {
			n.allowed += b.Allows(len(island.Nodes()))
			continue
		}
		return n.learning(p)
	}
	return n
}

// learning is for policies that allow less the more nodes are down: were none
// down, they would allow as many more.
func (n nodes) learning(p *fleet.Partition) nodes {
	whole := 0
	for _, island := range p.Islands {
		whole += island.Whole()
	}
	n.allowed = 1000 * min(n.installed, n.sustainable+n.installed-whole)
	return n
}

// Sustainable is what people may assign in a partition, in GPUs.
func Sustainable(s *fleet.State, p *fleet.Partition, now fleet.Instant) int {
	return promise.CapacityOf(s, p, now).Sustainable * p.GPUsPerNode
}

// Under is the state as it would be read under another buffer policy for all of
// the fleet; nil: as it is. It shares everything else with the state.
func Under(s *fleet.State, b *fleet.Buffer) *fleet.State {
	if b == nil {
		return s
	}
	other := *s
	other.Policy.Buffer, other.Buffers = *b, nil
	return &other
}

// cutsOf are the cuts in GPUs, of those rows that lose something, in order of quota.
func cutsOf(s *fleet.State, p *fleet.Partition, rows []*row, now fleet.Instant) []fleet.Cut {
	var cuts []fleet.Cut
	for _, r := range rows {
		if r.taken()+r.fraction() == 0 {
			continue
		}
		a, g := r.account, p.GPUsPerNode
		c := fleet.Cut{
			Quota: a.Quota, Owner: s.OwnerOf(a.Quota), Was: a.Grant, Now: a.Grant - r.taken()*g - r.fraction(),
			Usage: a.Usage(), Idle: a.Idle(now), Highest: a.HighestUse(now),
			Fraction: r.fraction(), Unscheduled: r.cut[unscheduled] * g, IdleCut: r.cut[idle] * g, Rest: r.cut[rest] * g,
			Gang: a.Gang, Overcommit: a.Overcommit,
		}
		c.GangNow = min(c.Gang, c.Now)
		if a.Temporary.GPUs > 0 {
			ends := a.Temporary
			c.Temporary = &ends
		}
		cuts = append(cuts, c)
	}
	return cuts
}

// Sums are what a plan cuts, in GPUs.
type Sums struct {
	Total       int `json:"total"`
	Fraction    int `json:"fraction,omitempty"` // that fill no whole node
	Unscheduled int `json:"unscheduled"`
	Idle        int `json:"idle"`
	Rest        int `json:"rest"`
}

// SumsOf adds up the cuts of partitions.
func SumsOf(parts []fleet.CutPart) Sums {
	var t Sums
	for _, p := range parts {
		for _, c := range p.Cuts {
			t.Total += c.GPUs()
			t.Fraction += c.Fraction
			t.Unscheduled += c.Unscheduled
			t.Idle += c.IdleCut
			t.Rest += c.Rest
		}
	}
	return t
}
