package maintenance_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// bundles is how many bundles with one bad update are searched.
const bundles = 30

// hunted is a bundle of so many updates of which one is bad: its visit fails, or its canary fails in the soak.
func hunted(t *testing.T, seed uint64, n int) (bad string, inSoak bool, y *yard, rounds int) {
	t.Helper()
	y = &yard{t: t, rng: rand.New(rand.NewPCG(seed, 11)), s: fleet.NewState(), now: fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	bad, inSoak = fmt.Sprintf("u%d", y.rng.IntN(n)), y.rng.IntN(2) == 0
	for _, c := range []core.Command{
		core.SetPolicy{Policy: fleet.DefaultPolicy()},
		core.AddCluster{Name: "t"},
		core.AddPartition{Cluster: "t", GPU: "g"},
		core.AddIslands{Partition: "t/g", Islands: []core.NewIsland{{Name: "a", Nodes: 40}}},
	} {
		y.must(c)
	}
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("u%d", i))
		y.must(core.AddUpdate{Update: fleet.NodeUpdate{
			Name: names[i], Component: fleet.Component{Name: fmt.Sprintf("c%d", i), Version: "2"}, Impact: fleet.ImpactRestart, Lasts: 15 * time.Minute,
		}})
	}
	y.must(core.StartRollout{Name: "r", Plan: fleet.RolloutPlan{
		Scope: "t", Updates: names, Bisect: true, Canary: fleet.CanaryRule{Nodes: 1, Soak: time.Hour}, Waves: []fleet.Permille{1000},
		Limits: fleet.VisitLimit{PerIsland: 8, PerPartition: 8, Failures: 20},
	}})
	for range 24 * 10 {
		r := y.s.Kept().Rollout("r")
		if r.Hunt != nil {
			rounds = max(rounds, r.Hunt.Round)
		}
		if !r.Open() {
			break
		}
		y.now = y.now.Add(15 * time.Minute)
		y.canaries(bad, inSoak)
		y.must(core.Tick{})
	}
	return bad, inSoak, y, rounds + 1 // the first canary found that something fails
}

// canaries reports the visits that are under way, and lets the soaks of bad canaries fail.
func (y *yard) canaries(bad string, inSoak bool) {
	for _, ref := range slices.Clone(y.s.Kept().Open) {
		v := y.s.Partition(ref.Partition).Nodes[ref.Node].Visit
		outcome := core.Passed
		if !inSoak && slices.Contains(v.Updates, bad) {
			outcome = core.Failed
		}
		y.must(core.ReportVisit{Node: v.Node, Key: v.Key, Outcome: outcome})
	}
	for _, trial := range y.s.Kept().Rollout("r").Trials {
		if inSoak && !trial.Ended && trial.Until != 0 && slices.Contains(trial.Updates, bad) {
			y.must(core.SetNodes{Names: []string{trial.Node}, State: fleet.Quarantined, Signal: "XID 79"})
		}
	}
}

// Of 30 bundles of 2 to 6 updates with one bad one, bisection names it in all, in at most log2(n) + 2 rounds of canaries,
// and the rest of the bundle comes to all other nodes.
func TestBisectionNamesThePlantedUpdate(t *testing.T) {
	most := 0
	for i := range bundles {
		n := 2 + i%5
		bad, inSoak, y, rounds := hunted(t, uint64(i), n)
		r := y.s.Kept().Rollout("r")
		if !slices.Equal(r.Culprit, []string{bad}) || r.State != fleet.RolloutDone || slices.Contains(r.Updates, bad) {
			t.Errorf("bundle %d of %d updates, bad is %s (in its soak: %v): named are %v, the rollout is %s with %v", i, n, bad, inSoak, r.Culprit, r.State, r.Updates)
		}
		if float64(rounds) > math.Log2(float64(n))+2 {
			t.Errorf("bundle %d of %d updates: %d rounds of canaries", i, n, rounds)
		}
		most = max(most, rounds)
	}
	t.Logf("%d bundles, at most %d rounds of canaries", bundles, most)
}
