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

func TestATableSaysWhatBrokeFailedWork(t *testing.T) {
	for _, c := range []struct{ state, cause, node, want string }{
		{"failed", "infra", "tiger-h200-a-001", "node tiger-h200-a-001"},
		{"failed", "infra", "", "infra"},
		{"failed", "own", "", "itself"},
		{"failed", "not known", "", "not known"},
		{"failed", "", "", "not judged yet"},
		{"finished", "", "", ""},
	} {
		if got := FailedBy(c.state, c.cause, c.node); got != c.want {
			t.Errorf("%q of node %q reads %q, want %q", c.cause, c.node, got, c.want)
		}
	}
}

// Surplus that borrows goes first: that the rest is guaranteed does not hide it.
func TestWhatAWorkloadHoldsInAnotherWayIsTold(t *testing.T) {
	for _, c := range []struct {
		holds string
		held  map[string]int32
		want  string
	}{
		{"guaranteed", map[string]int32{"guaranteed": 16}, ""},
		{"guaranteed", map[string]int32{"guaranteed": 16, "borrowing": 8}, "8 borrowing"},
		{"guaranteed", map[string]int32{"guaranteed": 16, "borrowing": 1000, "unprotected": 2, "reserved": 4}, "1,000 borrowing, 2 unprotected"},
		{"borrowing", map[string]int32{"guaranteed": 8, "borrowing": 8}, "8 guaranteed"},
		{"flex", map[string]int32{"flex": 8}, ""},
	} {
		if got := HeldBesides(c.holds, c.held); got != c.want {
			t.Errorf("%s with %v: %q, want %q", c.holds, c.held, got, c.want)
		}
	}
}
