package placement_test

import (
	"flag"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/placement"
)

var vainSeeds = flag.Uint64("vain-seeds", 30, "fleets in which it is asked whether somebody asks in vain")

// TestNobodyIsPassedOverWhoFindsRoom fills small fleets at random, and asks, in every
// queue, those as well who are not asked since somebody before them asked in vain.
func TestNobodyIsPassedOverWhoFindsRoom(t *testing.T) {
	covered := 0
	for seed := range *vainSeeds {
		f := crowdedFleet(t, 1000+seed)
		for range 150 {
			f.submit(t)
			n, differs := placement.New(f.s, f.s.Partition("c/g"), f.at).VainAgrees()
			if covered += n; differs != "" {
				t.Fatalf("seed %d, w%d: %s", seed, f.n, differs)
			}
		}
	}
	t.Logf("%d units not asked", covered)
	if covered < 10_000 {
		t.Error("too few to say anything")
	}
}
