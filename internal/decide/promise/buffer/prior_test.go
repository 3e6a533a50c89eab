package buffer

import (
	"math"
	"testing"
)

// With one failure and one success seen before, every number of failures among three nodes is
// as probable as any other: the beta-binomial distribution of α = β = 1.
func TestTheTailOfAnEvenBetaBinomialFallsInEqualSteps(t *testing.T) {
	mean, spread := 1.5, 0.5*(1+2.0/3)
	for k, want := range []float64{0.75, 0.5, 0.25, 0} {
		if got := betaBinomialTail(3, mean, spread)[k]; math.Abs(got-want) > 1e-12 {
			t.Errorf("more than %d of 3: %v, want %v", k, got, want)
		}
	}
}

// Where the search begins does not matter: it finds the first that is small enough, as counting up from 0 does.
func TestAQuantileIsTheSameFromWhereverItIsLookedFor(t *testing.T) {
	tail := []float64{0.9, 0.5, 0.5, 0.2, 0.2, 0}
	for miss, want := range map[float64]int{1: 0, 0.9: 0, 0.6: 1, 0.5: 1, 0.3: 3, 0.2: 3, 0.1: 5, -1: 6} {
		for before := range len(tail) + 3 {
			if got := quantile(len(tail), miss, before, func(k int) float64 { return tail[k] }); got != want {
				t.Errorf("miss %v, looked for from %d: %d, want %d", miss, before, got, want)
			}
		}
	}
}

// A row of equal windows counts as so many, before a pool grows and after it.
func TestAPoolThatGrowsCountsEveryWindowThatClosed(t *testing.T) {
	w := windows{horizon: 1}
	for _, rise := range []int{1, 1, 2, 1, 1, 1} {
		w.learn(Hour{Nodes: 10, Peak: rise})
	}
	if before := []int{w.over(0), w.over(1)}; before[0] != 6 || before[1] != 1 {
		t.Errorf("above 0 and 1 before: %v", before)
	}
	w.learn(Hour{Nodes: 20})
	if w.over(1) != 6 || w.over(2) != 1 || w.over(3) != 1 || w.over(4) != 0 || w.total != 7 {
		t.Errorf("above 1, 2, 3 and 4 after: %d, %d, %d, %d, of %d", w.over(1), w.over(2), w.over(3), w.over(4), w.total)
	}
}
