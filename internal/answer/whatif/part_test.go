package whatif_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestAPartOfTheFleetAnswersAsAllOfIt asks for all waiting work in random fleets of several
// partitions, where some quotas have grants in some partitions only. What is found on
// copies of parts of the fleet is what is found on copies of all of it. Only what helps
// after a while may differ: a whole copy lets time pass for work that leaves anywhere.
func TestAPartOfTheFleetAnswersAsAllOfIt(t *testing.T) {
	t.Parallel()
	asked, found := 0, 0
	for seed := *firstFlag; seed < *firstFlag+*worlds; seed++ {
		f := randomFleetOf(100_000+seed, 5)
		for _, path := range f.quotas {
			for _, p := range f.partitions[min(len(f.partitions), 1+f.rng.Intn(3)):] {
				f.do(core.SetGrant{Quota: path, Partition: p, GPUs: 0})
			}
		}
		for range 60 {
			f.something()
		}
		for id := uint64(1); id < f.s.NextID; id++ {
			w := f.s.Workloads[id]
			if w == nil || w.State != fleet.Pending {
				continue
			}
			c := f.s.Clone()
			why := explain.Why(c, c.Workloads[id], f.now)
			part := whatif.Changes(f.s, w, why, f.now, whatif.Budget{})
			whole := whatif.ChangesInWhole(f.s, w, why, f.now, whatif.Budget{})
			if later(part, f.now) || later(whole, f.now) {
				continue
			}
			if asked, found = asked+1, found+len(part.Changes); !reflect.DeepEqual(part, whole) {
				t.Fatalf("seed %d, workload %d: a part of the fleet answers\n%+v\nand all of it\n%+v", seed, id, part, whole)
			}
		}
	}
	t.Logf("%d asked, %d changes found", asked, found)
	if *seedFlag == 0 && found < 50 {
		t.Error("too few to say anything")
	}
}

// later says whether something helps only after a while.
func later(f whatif.Found, now fleet.Instant) bool {
	return slices.ContainsFunc(f.Changes, func(c whatif.Change) bool { return c.Start.At > now })
}
