package placement_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestWorkThatHasRestedIsAskedAgain plays fleets in a hurry, in which much is evicted several times within an hour. Then only time
// passes. The end of a rest wakes what rested, and what waits beside it; whether that is all it must wake a copy tells that
// has forgotten which units found no room.
func TestWorkThatHasRestedIsAskedAgain(t *testing.T) {
	rests, started := 0, 0
	for seed := range *asleepSeeds {
		f := restlessFleet(t, seed)
		for range 3 {
			f.pace = 2 * time.Second
			for range 60 {
				f.hurry(t)
			}
			f.pace = 150 * time.Second
			for range 28 {
				before := len(f.workloads(fleet.Pending))
				rests += f.resting()
				f.try(core.Tick{})
				started += before - len(f.workloads(fleet.Pending))
				if news := f.lookAgain(t); news != "" {
					t.Fatalf("seed %d, at %s and w%d: who forgot who was tried decides %s", seed, time.Duration(f.at), f.n, news)
				}
			}
		}
	}
	t.Logf("%d times work rested, %d started while only time passed", rests, started)
	if rests < 300 || started < 60 {
		t.Error("too little to say anything")
	}
}

// hurry lets work come, leave and end, and now and then anything.
func (f *restless) hurry(t *testing.T) {
	t.Helper()
	switch f.rng.IntN(8) {
	case 0:
		f.happen(t)
	case 1, 2:
		f.leave()
	default:
		f.come(t)
	}
}

// resting counts the waiting workloads that are kept back, for they were evicted again and again.
func (f *restless) resting() (n int) {
	for _, w := range f.workloads(fleet.Pending) {
		if w.RestAt(f.at) != fleet.Rested {
			n++
		}
	}
	return n
}
