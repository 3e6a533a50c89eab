package bench

import (
	"context"
	"testing"
)

// A year of one cluster: Muster breaks no promise, brings nothing untested, and stops a tenth of the gangs at most that
// the better of the other ways stops.
func TestAYearOfUpdates(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	var all []updateTally
	for _, w := range updateWays {
		sum, err := liveYear(context.Background(), Options{Seed: 1}, w, 1)
		if err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		t.Logf("%s: %+v", w.name, sum)
		all = append(all, sum)
	}
	ours := all[0]
	if ours.broken > 0 || ours.untested > 0 || ours.stops*10 > min(all[1].stops, all[2].stops) || ours.visits == 0 {
		t.Errorf("%+v", ours)
	}
}
