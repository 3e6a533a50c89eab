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
