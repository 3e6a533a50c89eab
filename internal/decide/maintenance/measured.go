package maintenance

import (
	"fmt"
	"math"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A claim is contradicted by so many interruptions at least, and only where they would be
// this unlikely if the update were as harmless as it says.
const (
	leastInterruptions = 2
	surprising         = 0.01
)

// evidence is what was measured of an update: interruptions and node-hours around its
// visits, and those of the same partitions besides, in the last seven days.
type evidence struct {
	visits            int
	disturbed, others int
	hours, besides    float64
}

// expected is how many interruptions the visits' hours would have seen without them.
func (e evidence) expected() float64 {
	if e.besides <= 0 {
		return 0
	}
	return float64(e.others) / e.besides * e.hours
}

// measured pauses the rollouts of an update whose claim is contradicted, and then counts
// the update as a restart. Claims are never lowered.
func (l *look) measured() (Action, bool) {
	if len(l.m.Measured.Interruptions) < leastInterruptions {
		return Action{}, false
	}
	for _, u := range l.m.Updates {
		if u.Record.Withdrawn != 0 || u.Counted().Disturbs() {
			continue
		}
		e := l.evidence(u)
		if e.disturbed < leastInterruptions {
			continue
		}
		if p := Surprise(e.disturbed, e.others, e.hours, e.besides); p < surprising {
			return l.contradicted(u, e, p), true
		}
	}
	return Action{}, false
}

// evidence gathers what speaks of an update, as it was when work was interrupted last: time that passes without
// any interruption changes no verdict.
func (l *look) evidence(u *fleet.NodeUpdate) (e evidence) {
	m := &l.m.Measured
	at := m.Interruptions[len(m.Interruptions)-1].At
	from := max(m.Since, at.Add(-fleet.MeasuredFor))
	mine, in := map[fleet.NodeRef][]fleet.Exposure{}, map[string]bool{}
	for _, x := range m.Exposures {
		if x.To > from && x.From <= at && slices.Contains(x.Updates, u.Name) {
			ref := fleet.NodeRef{Partition: x.Partition, Node: x.Node}
			mine[ref], in[x.Partition] = append(mine[ref], x), true
			e.visits++
			e.hours += min(x.To, at).Sub(max(x.From, from)).Hours()
		}
	}
	for _, p := range l.s.Partitions {
		if in[p.ID] {
			e.besides += float64(len(p.Nodes)) * at.Sub(from).Hours()
		}
	}
	e.besides -= e.hours
	for _, i := range m.Interruptions {
		switch {
		case i.At < from || !in[i.Partition]:
		case slices.ContainsFunc(mine[fleet.NodeRef{Partition: i.Partition, Node: i.Node}], func(x fleet.Exposure) bool { return x.Covers(i) }):
			e.disturbed++
		default:
			e.others++
		}
	}
	return e
}

func (l *look) contradicted(u *fleet.NodeUpdate, e evidence, p float64) Action {
	why := fmt.Sprintf("gate: update %s claims impact %s, and work was interrupted %d times around its %d visits, where %.2f were to be expected (probability %.2g)",
		u.Name, u.Impact, e.disturbed, e.visits, e.expected(), p)
	for _, r := range l.m.Rollouts {
		if r.State == fleet.RolloutRunning && r.Joined == "" && slices.Contains(r.Updates, u.Name) {
			return l.ended(r, fleet.RolloutPaused, why)
		}
	}
	c := *u
	c.Record.Counts, c.Record.Disturbed, c.Record.Expected, c.Record.Trials = fleet.ImpactRestart, e.disturbed, e.expected(), e.visits
	return Action{Kind: Contradict, Update: c}
}

// Surprise is the probability of at least x interruptions in so many hours around visits,
// if they came there as often as elsewhere. Elsewhere others came, in the hours besides.
// It is the exact conditional test of two Poisson rates (Przyborowski and Wilenski,
// Biometrika 31, 1940). Given the sum n = x + others, the number around visits is binomial:
// n trials of probability hours / (hours + besides). Without hours to compare with it is 1.
func Surprise(x, others int, hours, besides float64) float64 {
	if hours <= 0 || besides <= 0 || x <= 0 {
		return 1
	}
	n, in := x+others, math.Log(hours/(hours+besides))
	out := math.Log(besides / (hours + besides))
	sum := 0.0
	for k := x; k <= n; k++ {
		sum += math.Exp(logChoose(n, k) + float64(k)*in + float64(n-k)*out)
	}
	return min(1, sum)
}

// logChoose is the logarithm of n over k.
func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
