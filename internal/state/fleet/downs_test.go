package fleet_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

const day = 24 * time.Hour

// flap takes node 0 away for half of every so often, until some time has passed.
func (y *yard) flap(every, until time.Duration) {
	for end := start.Add(until); y.now < end; {
		y.turn(0, fleet.Quarantined)
		y.now = y.now.Add(every / 2)
		y.turn(0, fleet.Healthy)
		y.now = y.now.Add(every / 2)
	}
}

// A year of failures leaves five weeks of them; a node that never came back stays.
func TestStretchesOfDowntimeAreForgotten(t *testing.T) {
	y := newYard(3)
	y.turn(1, fleet.Retired)
	y.flap(4*time.Hour, 365*day)
	if n := len(y.p.Downs); n < 6*28 || n > 6*35+2 {
		t.Errorf("%d stretches are remembered", n)
	}
	if last := y.p.Downs[len(y.p.Downs)-1]; last != (fleet.Down{Node: 1, From: start, To: fleet.Never}) {
		t.Errorf("the node that stayed away is remembered as %+v", last)
	}
	for since := range 24 {
		at := y.now.Add(-time.Duration(since) * time.Hour)
		if got, want := y.p.MostDown(-1, at, y.now), fleet.WalkMostDown(y.p, -1, at, y.now); got != want {
			t.Errorf("%d down at most in the last %d h, want %d", got, since, want)
		}
	}
}

// The dwell's stretches stay, however long it is and however many they are.
func TestTheDwellForgetsNothing(t *testing.T) {
	y := newYard(2)
	policy := fleet.DefaultPolicy()
	policy.Dwell = 60 * day
	y.s.SetPolicy(policy)
	y.flap(2*time.Hour, 100*day)
	if n := len(y.p.Downs); n < 12*60 || n > 12*67+1 {
		t.Errorf("%d stretches are remembered with a dwell of 60 days", n)
	}
}

// Beyond a number of stretches forecasts have learned enough.
func TestSoManyStretchesAreRememberedAtMost(t *testing.T) {
	y := newYard(2)
	y.flap(6*time.Minute, 30*day)
	if n := len(y.p.Downs); n > 4096+4+11 {
		t.Errorf("%d stretches are remembered", n)
	}
	if n := len(y.p.Downs); n < 240 {
		t.Errorf("%d stretches are remembered, fewer than the dwell has", n)
	}
}

// Who reads an older snapshot, which still holds everything, has the same after the
// next hour in which a node changes.
func TestAnOldSnapshotForgetsTheSame(t *testing.T) {
	y := newYard(3)
	y.flap(5*time.Hour, 100*day)
	old := y.s.Clone()
	p := old.Partition("t/g")
	p.Downs = append([]fleet.Down{{Node: 0, From: start, To: start.Add(time.Hour)}, {Node: 0, From: start.Add(40 * day), To: start.Add(41 * day)}}, p.Downs...)
	data, err := old.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := fleet.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	y.now = y.now.Add(time.Hour)
	for _, s := range []*fleet.State{y.s, again} {
		s.Partition("t/g").SetNode(2, fleet.Suspect, 0, "", y.now)
	}
	if again.Hash() != y.s.Hash() {
		t.Errorf("%v, want %v", again.Partition("t/g").Downs, y.p.Downs)
	}
}
