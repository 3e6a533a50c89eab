package maintenance

import (
	"fmt"
	"math"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// A claim is contradicted by so many interruptions at least, and only where they would be
// this unlikely if the update were as harmless as it says. The contract has 1 %; of thirty
// honest updates that flags two every 27th time, and one is the most that people bear.
const (
	leastInterruptions = 2
	surprising         = 0.003
)

// measured pauses the rollouts of an update whose claim is contradicted, and then counts
// the update as a restart. Claims are never lowered. The evidence is as it was when work was
// interrupted last: time that passes without any interruption changes no verdict.
func (l *look) measured() (Action, bool) {
	for _, u := range l.m.Updates {
		if u.Record.Withdrawn != 0 || u.Counted().Disturbs() {
			continue
		}
		if e := u.Record.Tried.Evidence; Contradicts(e) {
			return l.contradicted(u, e, Surprise(e.Disturbed, e.Others, e.Hours, e.Besides)), true
		}
	}
	return Action{}, false
}

// Contradicts says whether evidence contradicts a claim. It is asked once at each interruption under an update's visits, so
// an honest update is looked at many times. All looks together err with a probability of 0.3 % at most: look x errs with at
// most 0.3 % / (x (x - 1)), which sums to 0.3 % over x = 2, 3, … That is Bonferroni's bound, spent over the looks (Lan and DeMets,
// Biometrika 70, 1983). The moment of interruption x was not set before, and that costs nothing: interruption x comes within n
// just where n have x or more among them (inverse sampling; Haldane, Biometrika 33, 1945).
func Contradicts(e fleet.Disturbance) bool {
	x := e.Disturbed
	return x >= leastInterruptions && Surprise(x, e.Others, e.Hours, e.Besides) < surprising/float64(x*(x-1))
}

func (l *look) contradicted(u *fleet.NodeUpdate, e fleet.Disturbance, p float64) Action {
	why := fmt.Sprintf("gate: update %s claims impact %s, and work was interrupted %s times around its %s, where %.2f were to be expected (probability %.2g)",
		u.Name, u.Impact, text.Group(e.Disturbed), text.Count(e.Visits, "visit"), e.Expected(), p)
	for _, r := range l.m.Rollouts {
		if r.State == fleet.RolloutRunning && r.Joined == "" && slices.Contains(r.Updates, u.Name) {
			return l.ended(r, fleet.RolloutPaused, why)
		}
	}
	c := *u
	c.Record.Counts, c.Record.Disturbed, c.Record.Expected, c.Record.Trials = fleet.ImpactRestart, e.Disturbed, e.Expected(), e.Visits
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
