package maintenance_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// deadlined is a partition of island a with work of quota q, and of so many islands b of one node. A rollout over a with a deadline has visited all other
// nodes there. It visits those of the work once that stops: as late as the rounds allow in which the promise lets nodes out.
func deadlined(t *testing.T, kind fleet.BufferKind, a, b, granted, busy int) *yard {
	t.Helper()
	y := &yard{t: t, rng: rand.New(rand.NewPCG(1, 19)), s: fleet.NewState(), now: fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	policy := fleet.DefaultPolicy()
	policy.Buffer = fleet.DefaultBuffer(kind)
	policy.Buffer.Share = 0
	policy.Maintenance = fleet.MaintenancePolicy{Horizon: 6 * time.Hour, Lead: time.Hour, KeepRoom: time.Hour}
	y.must(core.SetPolicy{Policy: policy})
	y.must(core.AddCluster{Name: "t"})
	y.must(core.AddPartition{Cluster: "t", GPU: "g"})
	islands := []core.NewIsland{{Name: "a", Nodes: a}}
	for i := range b {
		islands = append(islands, core.NewIsland{Name: fmt.Sprintf("b%d", i), Nodes: 1})
	}
	y.must(core.AddIslands{Partition: "t/g", Islands: islands})
	y.must(core.CreateQuota{Path: "q"})
	y.must(core.SetGrant{Quota: "q", Partition: "t/g", GPUs: 8 * granted})
	y.gang("first", busy)
	y.update("a", y.now.Add(48*time.Hour), time.Minute)
	y.now = y.now.Add(time.Second)
	y.visited() // the canary; its soak is short
	y.now = y.now.Add(2 * time.Minute)
	y.do(core.Tick{})
	for len(y.s.Kept().Open) > 0 {
		y.now = y.now.Add(time.Second)
		y.visited()
	}
	return y
}

// gang submits work of quota q for whole nodes of one island.
func (y *yard) gang(name string, nodes int) {
	y.t.Helper()
	pool := fleet.Pool{Name: "p", GPUs: 8, Min: nodes, Max: nodes, Reach: fleet.ReachIsland}
	y.must(core.Submit{Spec: fleet.Spec{Name: name, Namespace: "n", Target: "q", Priority: fleet.Mid, Grace: time.Minute, Pools: []fleet.Pool{pool}}})
}

// update starts a rollout over an island, whose visits take three hours.
func (y *yard) update(island string, deadline fleet.Instant, soak time.Duration) {
	y.t.Helper()
	y.must(core.AddUpdate{Update: fleet.NodeUpdate{
		Name: "u" + island, Component: fleet.Component{Name: "c" + island, Version: "2"}, Impact: fleet.ImpactRestart, Lasts: 3 * time.Hour, Deadline: deadline,
	}})
	y.must(core.StartRollout{Name: island, Plan: fleet.RolloutPlan{
		Scope: "t/g/" + island, Updates: []string{"u" + island}, Canary: fleet.CanaryRule{Nodes: 1, Soak: soak}, Waves: []fleet.Permille{1000},
		Limits: fleet.VisitLimit{PerIsland: 4, PerPartition: 4, Failures: -1},
	}})
}

// firstLeft is when the first node began to leave for a visit ahead; in between nothing was overlooked (yard.do).
func (y *yard) firstLeft() fleet.Instant {
	y.t.Helper()
	for range 4 * 48 {
		for _, n := range y.s.Partitions[0].Nodes {
			if n.Leaving {
				return y.now
			}
		}
		y.now = y.now.Add(15 * time.Minute)
		y.do(core.Tick{})
	}
	y.t.Fatalf("no node left for its visit: %+v", maintenance.Of(y.s, y.s.Kept().Rollouts[0], y.now))
	return 0
}

// sooner is by how much later the first node leaves where nothing happens beside.
func sooner(without, with *yard) time.Duration { return without.firstLeft().Sub(with.firstLeft()) }

// Fewer nodes may be out while the canary of another rollout soaks, so the visits of this one take more rounds, and work
// stops for them sooner. Nothing else wakes this rollout: the canary stands in another island, and is no node more or less
// in service.
func TestFewerNodesThatMayBeOutBringAMomentForward(t *testing.T) {
	canary := deadlined(t, fleet.Fixed, 5, 2, 3, 3)
	canary.update("b0", 0, 90*time.Hour)
	canary.now = canary.now.Add(time.Second)
	canary.visited()
	if got := sooner(deadlined(t, fleet.Fixed, 5, 2, 3, 3), canary); got < 2*time.Hour {
		t.Errorf("beside a canary nodes leave %v sooner, the round more takes 3 h", got)
	}
}
