package maintenance_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// neighbours is a partition of two islands, with a rollout in each. Whatever is done in it, a copy of the fleet that looks at
// everything finds nothing that was not done (yard.do).
func neighbours(t *testing.T, granted, perPartition int) *yard {
	t.Helper()
	y := &yard{t: t, rng: rand.New(rand.NewPCG(1, 19)), s: fleet.NewState(), now: fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	policy := fleet.DefaultPolicy()
	policy.Buffer.Kind, policy.Buffer.Share = "fixed", 0
	y.must(core.SetPolicy{Policy: policy})
	y.must(core.AddCluster{Name: "t"})
	y.must(core.AddPartition{Cluster: "t", GPU: "g"})
	y.must(core.AddIslands{Partition: "t/g", Islands: []core.NewIsland{{Name: "a", Nodes: 4}, {Name: "b", Nodes: 4}}})
	y.must(core.CreateQuota{Path: "q"})
	if granted > 0 {
		y.must(core.SetGrant{Quota: "q", Partition: "t/g", GPUs: 8 * granted})
	}
	for _, island := range []string{"a", "b"} {
		y.must(core.AddUpdate{Update: fleet.NodeUpdate{
			Name: "u" + island, Component: fleet.Component{Name: "c" + island, Version: "2"}, Impact: fleet.ImpactRestart, Lasts: 15 * time.Minute,
		}})
		y.must(core.StartRollout{Name: island, Plan: fleet.RolloutPlan{
			Scope: "t/g/" + island, Updates: []string{"u" + island}, Canary: fleet.CanaryRule{Nodes: 1, Soak: time.Minute}, Waves: []fleet.Permille{1000},
			Limits: fleet.VisitLimit{PerIsland: 4, PerPartition: perPartition, Failures: -1},
		}})
	}
	return y
}

// visited lets the first visit that is under way end, and says which rollouts have visits then.
func (y *yard) visited() (rollouts []string) {
	y.t.Helper()
	ref := y.s.Kept().Open[0]
	n := y.s.Partition(ref.Partition).Nodes[ref.Node]
	y.do(core.ReportVisit{Node: n.Name, Key: n.Visit.Key, Outcome: core.Passed})
	return y.visiting()
}

func (y *yard) visiting() (rollouts []string) {
	for _, ref := range y.s.Kept().Open {
		rollouts = append(rollouts, y.s.Partition(ref.Partition).Nodes[ref.Node].Visit.Rollout)
	}
	slices.Sort(rollouts)
	return rollouts
}

// finish lets visits end until both rollouts are done; each that ends lets the next begin in the same moment, unless a canary
// soaks. No more than so many are under way at once.
func (y *yard) finish(most int) {
	y.t.Helper()
	for range 40 {
		switch open := len(y.s.Kept().Open); {
		case open > most:
			y.t.Fatalf("%d visits are under way, %d may be: %v", open, most, y.visiting())
		case open > 0:
			y.now = y.now.Add(time.Second)
			y.visited()
		default:
			y.now = y.now.Add(2 * time.Minute)
			y.do(core.Tick{})
		}
	}
	for _, r := range y.s.Kept().Rollouts {
		if r.State != fleet.RolloutDone {
			y.t.Errorf("rollout %s is %s in stage %d", r.Name, r.State, r.Stage)
		}
	}
}

// The visit of one rollout that ends lets that of another in another island begin, which a limit of the partition kept back.
func TestALimitOfThePartitionWakesRolloutsOfOtherIslands(t *testing.T) {
	y := neighbours(t, 0, 1)
	if got := y.visiting(); !slices.Equal(got, []string{"a"}) {
		t.Fatalf("visits of %v are under way", got)
	}
	if got := y.visited(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("after it visits of %v are under way", got)
	}
	y.finish(1)
}

// So it is where the promise and its reserve let one node of the partition out at a time; and where a grant that ends lets more
// out, they begin in the same moment.
func TestThePromiseWakesRolloutsOfOtherIslands(t *testing.T) {
	y := neighbours(t, 6, 8)
	if got := y.visiting(); !slices.Equal(got, []string{"a"}) {
		t.Fatalf("visits of %v are under way", got)
	}
	y.finish(1)

	y = neighbours(t, 6, 8)
	y.must(core.SetGrant{Quota: "q", Partition: "t/g", GPUs: 8})
	if got := y.visiting(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("after the grant was cut visits of %v are under way", got)
	}
	y.finish(7)
}

// On drawn fleets with a rollout in each island, held back by limits, promises, zones and work, nothing is overlooked either.
func TestRolloutsOfSeveralIslandsOverlookNothing(t *testing.T) {
	visits := 0
	for seed := uint64(50_000); seed < 50_000+uint64(fleets(t)); seed++ {
		y := draw(t, seed)
		for range 3 {
			y.submit(fmt.Sprintf("q%d", y.rng.IntN(3)))
		}
		y.plan()
		y.do(core.MoveRollout{Name: "r", State: fleet.RolloutAbandoned})
		names := []string{}
		for _, u := range y.s.Kept().Updates {
			names = append(names, u.Name)
		}
		for _, island := range y.s.Partitions[0].Islands {
			y.do(core.StartRollout{Name: "r" + island.Name, Plan: fleet.RolloutPlan{
				Scope: "t/g/" + island.Name, Updates: names, Canary: fleet.CanaryRule{Nodes: 1, Soak: time.Hour}, Waves: []fleet.Permille{300, 1000},
				Limits: fleet.VisitLimit{PerIsland: 1 + y.rng.IntN(2), PerPartition: 1 + y.rng.IntN(2), Failures: -1},
			}})
		}
		for range 24 {
			y.happen()
			y.pass(time.Hour, 20)
		}
		for _, n := range y.s.Partitions[0].Nodes {
			if n.Visit != nil {
				visits++
			}
		}
	}
	if visits == 0 {
		t.Error("nothing was visited")
	}
}
