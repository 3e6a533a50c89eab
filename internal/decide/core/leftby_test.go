package core

import (
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What of a cut grant ends by itself, here one GPU, is gone at its moment and not before.
func TestWhatACutHasLeft(t *testing.T) {
	c := fleet.Cut{Was: 24, Now: 16, Unscheduled: 8, GangNow: 8, Temporary: &fleet.Temporary{GPUs: 9, Until: 10}}
	for now, want := range map[fleet.Instant]int{9: 16, 10: 15, 11: 15} {
		if left := leftBy(c, now); left.GPUs != want {
			t.Errorf("at %d it has left %d GPUs, want %d", now, left.GPUs, want)
		}
	}
}
