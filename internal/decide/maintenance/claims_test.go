package maintenance_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The fleet whose updates claim to be harmless. Work on a node is interrupted once in 5,000 hours, a little
// more often than in the training of Llama 3 (419 interruptions in 54 days on 2,048 nodes).
const (
	claimParts  = 50
	claimNodes  = 100 // of each
	claimLasts  = 15 * time.Minute
	failsOnceIn = 5000.0 // node-hours
	harms       = 0.01   // of the visits of an update that is not harmless
)

// village is a busy fleet to which updates come that claim to be harmless.
type village struct {
	*yard
	back map[string]fleet.Instant // when a failed node returns
}

// newVillage is the fleet after a week.
func newVillage(t *testing.T, seed uint64) *village {
	t.Helper()
	y := &yard{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 19)), s: fleet.NewState(), now: fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	v := &village{y, map[string]fleet.Instant{}}
	y.must(core.SetPolicy{Policy: fleet.DefaultPolicy()})
	for p := range claimParts {
		cluster := fmt.Sprintf("t%d", p)
		y.must(core.AddCluster{Name: cluster})
		y.must(core.AddPartition{Cluster: cluster, GPU: "g"})
		y.must(core.AddIslands{Partition: cluster + "/g", Islands: []core.NewIsland{{Name: "a", Nodes: claimNodes}}})
		for i := range claimNodes * 95 / 100 {
			y.must(core.Submit{Spec: fleet.Spec{
				Name: fmt.Sprintf("w%d-%d", p, i), Namespace: "n", Target: "flex", Partition: cluster + "/g", Priority: fleet.Mid, Grace: time.Minute,
				Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}},
			}})
		}
	}
	y.must(core.AddUpdate{Update: fleet.NodeUpdate{Name: "u", Component: fleet.Component{Name: "c", Version: "2"}, Impact: fleet.ImpactNone, Lasts: claimLasts}})
	for range 7 * 24 {
		v.passes(time.Hour)
	}
	return v
}

// copied is the same fleet, in which other things happen from now on.
func (v *village) copied(of uint64) *village {
	y := *v.yard
	y.s, y.rng = v.s.Clone(), rand.New(rand.NewPCG(v.seed, 1000+of))
	c := &village{&y, map[string]fleet.Instant{}}
	for name, at := range v.back {
		c.back[name] = at
	}
	return c
}

// passes lets time pass, in which nodes fail and return.
func (v *village) passes(d time.Duration) {
	v.now = v.now.Add(d)
	var back []string
	for name, at := range v.back {
		if at <= v.now {
			back = append(back, name)
			delete(v.back, name)
		}
	}
	slices.Sort(back)
	for _, name := range back {
		v.do(core.SetNodes{Names: []string{name}, State: fleet.Healthy, Signal: "repaired"})
	}
	for _, p := range v.s.Partitions {
		for _, n := range p.Nodes {
			if n.InUse() > 0 && v.rng.Float64() < d.Hours()/failsOnceIn {
				v.breaks(n)
			}
		}
	}
}

// do carries out a command that may come too late.
func (v *village) do(c core.Command) {
	_, _ = core.Step(v.s, core.Request{Command: c, Actor: ops, Reason: "told"}, v.now)
}

func (v *village) breaks(n *fleet.Node) {
	v.do(core.SetNodes{Names: []string{n.Name}, State: fleet.Quarantined, Signal: "it broke"})
	v.back[n.Name] = v.now.Add(2 * time.Hour)
}

// rollsOut brings the update to all clusters, and says at how many nodes its claim was contradicted; 0: it was not.
func (v *village) rollsOut(bad bool) (caughtAt int) {
	for _, c := range v.s.Clusters {
		v.must(core.StartRollout{Name: c.Name, Plan: fleet.RolloutPlan{
			Scope: c.Name, Updates: []string{"u"}, Canary: fleet.CanaryRule{Nodes: 1, Soak: time.Hour}, Limits: fleet.VisitLimit{PerIsland: claimNodes / 20, PerPartition: claimNodes / 20, Failures: 1000},
		}})
	}
	goesOn := func(r *fleet.Rollout) bool { return r.State == fleet.RolloutRunning }
	for range 24 * 4 * 10 {
		if !slices.ContainsFunc(v.s.Kept().Rollouts, goesOn) || v.s.Kept().Update("u").Counted() != fleet.ImpactNone {
			break
		}
		v.passes(claimLasts)
		for _, ref := range slices.Clone(v.s.Kept().Open) {
			n := v.s.Partition(ref.Partition).Nodes[ref.Node]
			v.do(core.ReportVisit{Node: n.Name, Key: n.Visit.Key, Outcome: core.Passed})
			if bad && v.rng.Float64() < harms && n.InUse() > 0 {
				v.breaks(n)
			}
		}
		v.do(core.Tick{})
		v.goesOn()
	}
	if at := v.at(); !bad && v.s.Kept().Update("u").Counted() == fleet.ImpactNone && at < claimParts*claimNodes*9/10 {
		v.t.Errorf("seed %d: an honest update is on %d nodes alone after ten days", v.seed, at)
	}
	if v.s.Kept().Update("u").Counted() == fleet.ImpactNone {
		return 0
	}
	return v.at()
}

// at is on how many nodes the update is, or about to be.
func (v *village) at() (nodes int) {
	for _, p := range v.s.Partitions {
		for _, n := range p.Nodes {
			if n.Runs.Version("c") == "2" || n.Visit != nil && !n.Visit.State.Ended() {
				nodes++
			}
		}
	}
	return nodes
}

// goesOn lets rollouts go on whose canary broke, and then those that paused for it elsewhere: people say that it was the
// hardware.
func (v *village) goesOn() {
	for _, excused := range []bool{true, false} {
		for _, r := range v.s.Kept().Rollouts {
			if r.State == fleet.RolloutPaused && strings.HasPrefix(r.Why, "gate: ") && strings.Contains(r.Why, "canary") {
				v.do(core.MoveRollout{Name: r.Name, State: fleet.RolloutRunning, NotTheUpdate: excused})
			}
		}
	}
}

// Of 40 updates that claim to do no harm ten interrupt the work on one in a hundred nodes. At least nine of them are caught
// before a quarter of the fleet has them, and of the 30 honest ones at most one is flagged. MUSTER_CLAIMS says over how many
// seeds, MUSTER_SEED from which on; without them a part of one seed is tried.
func TestFalseClaimsAreCaughtAndHonestOnesAreNot(t *testing.T) {
	seeds, of := 1, 4
	if n, err := strconv.Atoi(os.Getenv("MUSTER_CLAIMS")); err == nil {
		seeds, of = n, 40
	}
	first, _ := strconv.ParseUint(os.Getenv("MUSTER_SEED"), 10, 64)
	for seed := first; seed < first+uint64(seeds); seed++ {
		v := newVillage(t, seed)
		bad, caught, flagged, latest := of/4, 0, 0, 0
		for i := range of {
			at := v.copied(uint64(i)).rollsOut(i < bad)
			switch {
			case i >= bad && at > 0:
				flagged++
			case 0 < at && 4*at <= claimParts*claimNodes:
				caught++
				latest = max(latest, at)
			}
		}
		t.Logf("seed %d: of %d false claims %d are caught in time, the last at %d nodes; of %d honest ones %d are flagged", seed, bad, caught, latest, of-bad, flagged)
		if caught < max(1, bad-1) || flagged > 1 {
			t.Errorf("seed %d: %d of %d false claims are caught, %d of %d honest ones flagged", seed, caught, bad, flagged, of-bad)
		}
	}
}

// However often an honest update is looked at, it is flagged once in a hundred times at most: where nodes fail seldom or often,
// with much or little to compare with.
func TestManyLooksDoNotFlagTheHonest(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 40))
	const lives = 1000
	for _, perHour := range []float64{0.001, 0.01, 0.05} {
		for _, before := range []float64{50, 1000} {
			for _, share := range []float64{0.05, 0.5} {
				flagged := 0
				for range lives {
					if looked(rng, perHour, before, share) {
						flagged++
					}
				}
				if flagged > lives/100 {
					t.Errorf("%g interruptions an hour, %g hours before, visits on %g of the nodes: %d of %d are flagged", perHour, before, share, flagged, lives)
				}
			}
		}
	}
}

// looked is one honest update: its visits see 500 node-hours, others go on beside them.
func looked(rng *rand.Rand, perHour, before, share float64) bool {
	e := fleet.Disturbance{Besides: before}
	for at := rng.ExpFloat64() / perHour; at < before; at += rng.ExpFloat64() / perHour {
		e.Others++
	}
	for e.Hours < 500 {
		all := rng.ExpFloat64() / perHour
		e.Hours, e.Besides = e.Hours+all*share, e.Besides+all*(1-share)
		if rng.Float64() >= share {
			e.Others++
			continue
		}
		if e.Disturbed++; maintenance.Contradicts(e) {
			return true
		}
	}
	return false
}
