package health

import (
	"fmt"
	"sort"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// A failure is judged by what was seen on its nodes from Before it to After it (semantics §7).
const (
	Before = 10 * time.Minute
	After  = 5 * time.Minute
)

// maxEvidence bounds what is kept of a failure.
const maxEvidence = 8

// Cause says why a workload failed: infra if a signal spoke against one of its
// nodes, or one fell out of service; own if signals spoke against the work
// alone; not known else. Silence proves nothing: it is not known.
func Cause(s *fleet.State, p *fleet.Partition, f *fleet.Failure) (fleet.Cause, []fleet.Evidence) {
	l := &look{policy: s.HealthPolicy(), now: f.At.Add(After), again: fleet.Never}
	from, to := back(f.At, Before), f.At.Add(After)
	var infra, own []fleet.Evidence
	for _, name := range f.Nodes {
		k, ok := p.Node(name)
		if !ok || p.Nodes[k].Health == nil {
			continue
		}
		against, byWork := l.spoke(p.Nodes[k], from, to)
		infra, own = append(infra, against...), append(own, byWork...)
	}
	switch {
	case len(infra) > 0:
		return fleet.CauseInfra, kept(infra)
	case len(own) > 0:
		return fleet.CauseOwn, kept(own)
	}
	return fleet.CauseUnknown, []fleet.Evidence{{At: f.At, Says: silence(s, p, f)}}
}

// silence says what it is worth that nothing was seen.
func silence(s *fleet.State, p *fleet.Partition, f *fleet.Failure) string {
	says := fmt.Sprintf("no signal on its %s from 10 min before to 5 min after", text.Count(len(f.Nodes), "node"))
	switch c := s.Cluster(p.Cluster); {
	case c == nil || c.Heard == 0:
		return says + "; no monitor of " + p.Cluster + " has ever been heard"
	case c.Stale:
		return says + "; the reports of " + p.Cluster + " are stale"
	}
	return says
}

// spoke lists what spoke against a node, and what against the work on it.
func (l *look) spoke(n *fleet.Node, from, to fleet.Instant) (infra, own []fleet.Evidence) {
	for _, c := range n.Health.Conditions {
		against, byWork := l.blames(c)
		if !against && !byWork {
			continue
		}
		for _, seen := range c.Seen {
			if seen.Well || seen.At < from || seen.At > to {
				continue
			}
			e := fleet.Evidence{Node: n.Name, At: seen.At, Says: Words(c)}
			if against {
				infra = append(infra, e)
			} else {
				own = append(own, e)
			}
			break
		}
	}
	for _, f := range n.Health.Faults {
		if f.At >= from && f.At <= to {
			infra = append(infra, fleet.Evidence{Node: n.Name, At: f.At, Says: "out of service: " + f.Signal})
		}
	}
	return infra, own
}

// blames says whether a condition is counted against the node, or the work on it.
func (l *look) blames(c *fleet.Condition) (node, work bool) {
	for i := range l.policy.Rules {
		r := &l.policy.Rules[i]
		if !r.Knows(c) {
			continue
		}
		node, work = node || r.Then != "", work || r.Own
		if r.Then == "" {
			break
		}
	}
	return node, work
}

func kept(list []fleet.Evidence) []fleet.Evidence {
	sort.SliceStable(list, func(i, j int) bool { return list[i].At < list[j].At })
	if len(list) > maxEvidence {
		list = list[:maxEvidence]
	}
	return list
}
