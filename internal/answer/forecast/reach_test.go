package forecast_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/answer/forecast"
)

// A rollout of six nodes is in reach of the usual steps, and out of reach of a few: then nothing is tried.
func TestARolloutOutOfReachIsNotTried(t *testing.T) {
	st := rolling(t)
	if !forecast.WithinReach(st.s, "r", at(0), forecast.DefaultSteps) {
		t.Error("six nodes are out of reach")
	}
	tries := 0
	e := forecast.EndOf(st.s, "r", at(0), forecast.Options{Steps: 8, Paths: 1, Stop: func() bool { tries++; return false }})
	if e.Known || !e.TooFar || tries > 0 {
		t.Errorf("known: %v, too far: %v, %d tries", e.Known, e.TooFar, tries)
	}
}
