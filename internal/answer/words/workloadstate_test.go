package words

import (
	"slices"
	"testing"
)

func TestEveryStateOfAWorkloadIsListedOnce(t *testing.T) {
	want := []string{"pending", "starting", "running", "evicting", "mending", "finished", "failed", "cancelled"}
	if !slices.Equal(WorkloadStates, want) {
		t.Errorf("the states are %v, want %v", WorkloadStates, want)
	}
}

func TestWorkWaitsRunsOrHasEnded(t *testing.T) {
	for _, s := range WorkloadStates {
		if Waits(s) && Ended(s) {
			t.Errorf("%s both waits and has ended", s)
		}
		if Ended(s) != slices.Contains(EndedStates, s) {
			t.Errorf("%s: Ended says %v, and the list of ended states another", s, Ended(s))
		}
	}
}
