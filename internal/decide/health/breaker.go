package health

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// nodesOf is how many nodes of a partition shares are of: those not retired.
func nodesOf(p *fleet.Partition) int { return p.Tally().Installed / max(1, p.GPUsPerNode) }

// Allowance is how many nodes automation may keep out of service at one time.
func Allowance(p *fleet.Partition, policy *fleet.HealthPolicy) int {
	return max(1, nodesOf(p)*int(policy.Budget)/1000)
}

// trips says whether signals ask for so many nodes within so short a time that
// more is wrong than the nodes, and for how many. What a burst explains counts
// too: the breaker is there for the monitor gone mad.
func (l *look) trips(p *fleet.Partition, verdicts []Verdict) (nodes int, trips bool) {
	var wanted []fleet.Instant
	for _, v := range verdicts {
		if at := firstAsked(v); at > p.Health.Reset {
			wanted = append(wanted, at)
		}
	}
	b := l.policy.Breaker
	n, _ := densest(wanted, b.Within)
	return n, n >= b.Least && n*1000 >= int(b.Share)*nodesOf(p)
}

// firstAsked is since when anything is asked for a node; 0: nothing is.
func firstAsked(v Verdict) fleet.Instant {
	first := fleet.Instant(0)
	for _, f := range v.Findings {
		if f.Then != "" && f.Held != HeldByStoreOnly && (first == 0 || f.At < first) {
			first = f.At
		}
	}
	return first
}
