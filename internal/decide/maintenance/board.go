package maintenance

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Board is what a zone costs (maintenance §4).
type Board struct {
	Blocked   []string // rollouts that it keeps from nodes now
	Untested  int      // combinations that these nodes will have, and that no canary has proven
	Behind    int      // nodes under it that lack an update which it stops
	Oldest    fleet.Instant
	Conflicts []string // updates with a deadline inside, and announced maintenances that meet it
}

// BoardOf says what a zone costs at a moment.
func BoardOf(s *fleet.State, z *fleet.Zone, now fleet.Instant) Board {
	l := newLook(s, now)
	var b Board
	b.blocked(l, z)
	var late []*fleet.NodeUpdate
	for _, p := range s.Partitions {
		for _, n := range p.Nodes {
			if n.State != fleet.Retired && Covers(z, p, n) {
				b.behind(l.m, z, p, n, &late)
			}
		}
	}
	for _, u := range late {
		if u.Deadline != 0 && within(z, u.Deadline) {
			b.Conflicts = append(b.Conflicts, u.Name)
		}
	}
	for _, o := range l.m.Notices {
		if o.Ended == 0 && z.Stops(o.Impact) && l.meets(z, o) {
			b.Conflicts = append(b.Conflicts, o.Name)
		}
	}
	return b
}

// within says whether a moment falls inside the zone.
func within(z *fleet.Zone, at fleet.Instant) bool {
	_, ok := z.Over(fleet.Span{From: at, To: at + 1})
	return ok
}

// meets says whether an announced maintenance takes a node of the zone while it is in force.
func (l *look) meets(z *fleet.Zone, o *fleet.Notice) bool {
	if _, ok := z.Over(fleet.Span{From: o.Starts, To: o.Starts.Add(o.Lasts)}); !ok {
		return false
	}
	return slices.ContainsFunc(o.Nodes, func(name string) bool {
		p, i := l.s.FindNode(name)
		return p != nil && Covers(z, p, p.Nodes[i])
	})
}

// blocked lists the rollouts that the zone keeps from nodes, and counts the combinations that
// pile up there untested.
func (b *Board) blocked(l *look, z *fleet.Zone) {
	seen := map[string]bool{}
	for _, r := range l.m.Rollouts {
		if r.State != fleet.RolloutRunning || r.Joined != "" {
			continue
		}
		for _, x := range l.counted(r).pending {
			length := x.b.Lasts + l.policy().Validation
			if _, ok := z.Over(fleet.Span{From: l.now, To: l.now.Add(length)}); !ok || !z.Stops(x.b.Impact) || !Covers(z, x.p, x.n) {
				continue
			}
			if !slices.Contains(b.Blocked, r.Name) {
				b.Blocked = append(b.Blocked, r.Name)
			}
			if key := x.p.GPU + " " + x.hash; !seen[key] && l.m.Verdict(x.p.GPU, x.hash) != fleet.Proven {
				seen[key] = true
				b.Untested++
			}
		}
	}
}

// behind counts a node that lacks an update which the zone stops.
func (b *Board) behind(m *fleet.Maintained, z *fleet.Zone, p *fleet.Partition, n *fleet.Node, late *[]*fleet.NodeUpdate) {
	lacks := false
	for _, u := range m.Updates {
		if u.Record.Withdrawn != 0 || !u.Fits(p.GPU) || !z.Stops(u.Counted()) || n.Runs.Version(u.Component.Name) == u.Component.Version {
			continue
		}
		lacks = true
		if !slices.Contains(*late, u) {
			*late = append(*late, u)
		}
		if b.Oldest == 0 || u.Record.Added < b.Oldest {
			b.Oldest = u.Record.Added
		}
	}
	if lacks {
		b.Behind++
	}
}

// momentKnown says whether people can know when in-quota work on a node stops for a rollout: its owner agreed,
// the bundle has a deadline, or elastic pools give the node back after their lead.
func momentKnown(m *fleet.Maintained, r *fleet.Rollout, b *Bundle, n *fleet.Node) bool {
	if !visiting(r) || !disturbs(n, b) {
		return false
	}
	return slices.ContainsFunc(n.Residents(), func(s fleet.Resident) bool {
		_, agreed := agreedOf(m, s.Workload)
		return !s.Workload.Flexes() && !slices.Contains(r.Asked, s.Workload.ID) && (agreed || b.Deadline != 0 || Surplus(s.Workload, s.Pool, n))
	})
}

// VisitOf says where a node's maintenance stands, for people: that of its open visit, else of
// what is ahead, else how the last one ended; "": there is none.
func VisitOf(s *fleet.State, p *fleet.Partition, n *fleet.Node) fleet.VisitState {
	m := s.Kept()
	switch {
	case n.Visit != nil && !n.Visit.State.Ended():
		return n.Visit.State
	case slices.ContainsFunc(m.Notices, func(o *fleet.Notice) bool { return o.Waits(n.Name) }), n.Leaving:
		return fleet.VisitAnnounced
	}
	for _, r := range m.Rollouts {
		if !r.Open() || r.Joined != "" || !r.Covers(p, n) || r.FailedOn(n.Name) {
			continue
		}
		if b := BundleFor(m, r.Updates, p.GPU); len(b.Brings) > 0 && !n.Runs.Has(b.Brings) {
			if momentKnown(m, r, &b, n) {
				return fleet.VisitAnnounced
			}
			return fleet.VisitPlanned
		}
	}
	if n.Visit != nil {
		return n.Visit.State
	}
	return ""
}
