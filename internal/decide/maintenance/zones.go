package maintenance

import (
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// zoneKey is what visits have in common that a zone over a place forbids alike.
type zoneKey struct {
	p      *fleet.Partition
	island int
	impact fleet.Impact
	length time.Duration
}

// zoneHit is a zone that forbids a visit, and the time in force that does; no zone: none does.
type zoneHit struct {
	zone *fleet.Zone
	span fleet.Span
}

// zoned is the first zone that forbids a visit of a node now: it could not end before the
// zone begins, or the zone is in force.
func (l *look) zoned(p *fleet.Partition, n *fleet.Node, impact fleet.Impact, length time.Duration) (zoneHit, bool) {
	if len(l.m.Zones) == 0 {
		return zoneHit{}, false
	}
	key := zoneKey{p, n.Island, impact, length}
	hit, known := l.nfz[key]
	if !known {
		hit, _ = zoneOver(l.m, p, n, false, impact, fleet.Span{From: l.now, To: l.now.Add(max(length, 1))})
		l.nfz[key] = hit
	}
	if hit.zone != nil {
		return hit, true
	}
	return zoneOver(l.m, p, n, true, impact, fleet.Span{From: l.now, To: l.now.Add(max(length, 1))})
}

// zoneOver finds the zone that lasts longest over a visit of a node in a stretch of time: among
// those of people, which follow the nodes that work holds, or the others, which cover a place.
func zoneOver(m *fleet.Maintained, p *fleet.Partition, n *fleet.Node, people bool, impact fleet.Impact, span fleet.Span) (hit zoneHit, found bool) {
	for _, z := range m.Zones {
		if !z.Stops(impact) || ofPeople(p.State(), z) != people || !Covers(z, p, n) {
			continue
		}
		if over, ok := z.Over(span); ok && (!found || over.To > hit.span.To) {
			hit, found = zoneHit{z, over}, true
		}
	}
	return hit, found
}

// zoneOf finds the zone that lasts longest over a visit of a node in a stretch of time.
func zoneOf(m *fleet.Maintained, p *fleet.Partition, n *fleet.Node, impact fleet.Impact, span fleet.Span) (zoneHit, bool) {
	place, in := zoneOver(m, p, n, false, impact, span)
	people, held := zoneOver(m, p, n, true, impact, span)
	if held && (!in || people.span.To > place.span.To) {
		return people, true
	}
	return place, in
}

// ofPeople says whether a zone follows a quota's or a workload's nodes.
func ofPeople(s *fleet.State, z *fleet.Zone) bool {
	return z.Workload != "" || s.Quota(z.Scope) != nil && s.Cluster(z.Scope) == nil
}

// Covers says whether a node is in a zone's scope now: by its place, or by the work that stays on it.
func Covers(z *fleet.Zone, p *fleet.Partition, n *fleet.Node) bool {
	if !ofPeople(p.State(), z) {
		return fleet.InScope(z.Scope, p, n.Island)
	}
	for _, r := range n.Residents() {
		if r.Phase != fleet.Leaving && follows(z, r.Workload) {
			return true
		}
	}
	return false
}

// follows says whether a zone of people goes with a workload: it names it, or its quota, or one above that.
func follows(z *fleet.Zone, w *fleet.Workload) bool {
	if z.Workload != "" {
		return w.Name == z.Workload && w.Namespace == z.Namespace
	}
	return w.Target == z.Scope || strings.HasPrefix(w.Target, z.Scope+"/")
}
