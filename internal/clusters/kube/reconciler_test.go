package kube

import (
	"testing"
	"time"
)

// TestABusyMachineDoesNotMakeItSlower asks that the rest after a comparison is in
// proportion to what was thought, not to what was waited for, and bounded.
func TestABusyMachineDoesNotMakeItSlower(t *testing.T) {
	for _, c := range []struct{ took, waited, want time.Duration }{
		{0, 0, minPause},
		{10 * time.Millisecond, 0, minPause},
		{100 * time.Millisecond, 0, 300 * time.Millisecond},
		{10 * time.Second, 9950 * time.Millisecond, 150 * time.Millisecond},
		{20 * time.Second, 0, maxPause},
		{time.Second, 2 * time.Second, minPause}, // several waited at one time
	} {
		if got := (&Reconciler{shared: &shared{waited: c.waited}}).pause(c.took); got != c.want {
			t.Errorf("after %s, of which it waited %s, it rests %s, want %s", c.took, c.waited, got, c.want)
		}
	}
}
