package placement_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestAQuotaWaitsAsIfThereWereNoFlex plays the same jobs of a quota on a fleet with flex work
// and on one without: the same jobs start at the same moments (decision record 0004).
func TestAQuotaWaitsAsIfThereWereNoFlex(t *testing.T) {
	started, evicted := 0, 0
	for seed := range uint64(60) {
		with, without := partsOfNodes(t, seed), partsOfNodes(t, seed)
		flex := rand.New(rand.NewPCG(seed, 9))
		for step := range 150 {
			for range flex.IntN(3) {
				with.flexJob(t, flex)
			}
			with.step(t)
			without.step(t)
			if a, b := with.standing(), without.standing(); !slices.Equal(a, b) {
				t.Fatalf("seed %d, step %d: with flex %v stand, without %v", seed, step, a, b)
			}
			started += len(without.standing())
		}
		for _, w := range with.s.Workloads {
			evicted += int(w.Evictions)
		}
	}
	t.Logf("%d times a job stood, %d evictions of flex", started, evicted)
	if started < 10_000 || evicted < 1_000 {
		t.Error("too few to say anything")
	}
}

// parts is a fleet of one quota whose jobs are parts of a node.
type parts struct {
	*crowded
	jobs int
}

func partsOfNodes(t *testing.T, seed uint64) *parts {
	f := &parts{crowded: &crowded{s: fleet.NewState(), rng: rand.New(rand.NewPCG(seed, 6)), at: fleet.Instant(time.Hour)}}
	f.do(t, core.AddCluster{Name: "c"})
	f.do(t, core.AddPartition{Cluster: "c", GPU: "g"})
	f.do(t, core.AddIslands{Partition: "c/g", Islands: []core.NewIsland{{Name: "i", Nodes: 8}}})
	f.do(t, core.CreateQuota{Path: "q"})
	f.do(t, core.SetGrant{Quota: "q", Partition: "c/g", GPUs: 40})
	return f
}

// step lets a job of the quota come or end, and lets everything be gone that leaves.
func (f *parts) step(t *testing.T) {
	t.Helper()
	if list := f.standing(); len(list) > 0 && f.rng.IntN(5) < 2 {
		f.do(t, core.ReportFinished{ID: f.s.Workload("n", list[f.rng.IntN(len(list))]).ID})
	} else {
		f.jobs++
		gpus := []int{1, 2, 3, 4, 5, 8}[f.rng.IntN(6)]
		n := 1 + f.rng.IntN(2)
		f.do(t, core.Submit{Spec: fleet.Spec{
			Name: fmt.Sprintf("j%d", f.jobs), Namespace: "n", User: "u", Target: "q", Priority: fleet.Mid,
			Pools: []fleet.Pool{{Name: "w", GPUs: gpus, Min: n, Max: n, Reach: fleet.ReachAny}},
		}})
	}
	f.leave(t)
}

func (f *parts) leave(t *testing.T) {
	for _, w := range slices.Clone(f.s.Partition("c/g").Leaving()) {
		f.do(t, core.ReportStopped{ID: w.ID, Spots: w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })})
	}
}

func (f *parts) flexJob(t *testing.T, rng *rand.Rand) {
	t.Helper()
	f.n++
	f.do(t, core.Submit{Spec: fleet.Spec{
		Name: fmt.Sprintf("f%d", f.n), Namespace: fmt.Sprintf("ns%d", rng.IntN(3)), User: "u", Target: fleet.Flex, Priority: fleet.Mid,
		Grace: time.Minute, Pools: []fleet.Pool{{Name: "w", GPUs: 1 + rng.IntN(8), Min: 1, Max: 1, Reach: fleet.ReachAny}},
	}})
}

// standing names the quota's jobs that have their room, in order.
func (f *parts) standing() (names []string) {
	for _, w := range f.s.Partition("c/g").Account("q").Work() {
		names = append(names, w.Name)
	}
	slices.Sort(names)
	return names
}
