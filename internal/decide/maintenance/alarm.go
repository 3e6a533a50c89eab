package maintenance

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Conflicts says of a zone that has not ended how many deadlines and announced maintenances fall inside it, of nodes that it covers.
func Conflicts(s *fleet.State, z *fleet.Zone, now fleet.Instant) int {
	l, n := newLook(s, now), 0
	for _, u := range l.m.Updates {
		if u.Record.Withdrawn == 0 && u.Deadline > now && z.Stops(u.Counted()) && within(z, u.Deadline) && lackedUnder(s, z, u) {
			n++
		}
	}
	for _, o := range l.m.Notices {
		if o.Ended == 0 && z.Stops(o.Impact) && l.meets(z, o) {
			n++
		}
	}
	return n
}

// lackedUnder says whether a node that a zone covers lacks an update.
func lackedUnder(s *fleet.State, z *fleet.Zone, u *fleet.NodeUpdate) bool {
	return slices.ContainsFunc(s.Partitions, func(p *fleet.Partition) bool {
		return u.Fits(p.GPU) && slices.ContainsFunc(p.Nodes, func(n *fleet.Node) bool {
			return n.State != fleet.Retired && n.Runs.Version(u.Component.Name) != u.Component.Version && Covers(z, p, n)
		})
	})
}

// AtRisk says whether the visits that remain to an open rollout take longer than the time that is left to a deadline, as many at
// once as the limits and the promise permit now.
func AtRisk(s *fleet.State, r *fleet.Rollout, now fleet.Instant) bool {
	if !r.Open() || r.Joined != "" {
		return false
	}
	l := newLook(s, now)
	return slices.ContainsFunc(l.counted(r).pending, func(x pending) bool {
		return x.b.Deadline != 0 && x.b.Deadline.Add(-l.remaining(r, x.b)) < now
	})
}
