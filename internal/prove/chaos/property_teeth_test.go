package chaos_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Each question that random fleets are asked is shown to say no here, by a
// state that breaks it.

// smallWorld is a fleet of one island of four nodes, with a quota of two of
// them, beside a sibling of two.
func smallWorld(t *testing.T, housed bool) *world {
	t.Helper()
	w := newWorld(sampling{})
	if housed {
		playAll(t, w, step{trick: movesIn})
	}
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = 0
	playAll(t, w,
		step{do: core.SetPolicy{Policy: policy}},
		step{do: core.AddCluster{Name: "t"}}, step{do: core.AddPartition{Cluster: "t", GPU: "g"}},
		step{do: core.AddIslands{Partition: "t/g", Islands: []core.NewIsland{{Name: "a", Nodes: 4}}}},
		step{do: core.CreateQuota{Path: "q/one"}}, step{do: core.CreateQuota{Path: "q/two"}},
		step{do: core.SetGrant{Quota: "q/one", Partition: "t/g", GPUs: 16}},
		step{do: core.SetGrant{Quota: "q/two", Partition: "t/g", GPUs: 16}})
	return w
}

// forgotten submits a workload about which nothing is decided.
func forgotten(w *world, c core.Submit) {
	core.ApplyRecord(w.s, event.Record{Seq: w.s.Seq + 1, At: w.now, Events: []event.Event{event.WorkloadSubmitted{ID: w.s.NextID, Spec: c.Spec}}})
}

func TestTheLawsOfPlacementCanBreak(t *testing.T) {
	for name, c := range map[string]struct {
		law law
		job core.Submit
	}{
		"what fits a private cluster": {privateClusters, job("n", "x", "q/one", fleet.Mid, pool("w", 0, 8, 2))},
		"who fits flex":               {flexIsNotLeftIdle, job("n", "x", fleet.Flex, fleet.Mid, pool("w", 0, 8, 4))},
		"who fits its tree":           {loneBorrowersRun, job("n", "x", "q/one", fleet.Mid, pool("w", 0, 8, 3))},
	} {
		w := smallWorld(t, false)
		if f := c.law(w, nil, core.Outcome{}); f != nil {
			t.Errorf("%s: broken although nobody waits: %v", name, f)
		}
		forgotten(w, c.job)
		if f := c.law(w, nil, core.Outcome{}); f == nil {
			t.Errorf("%s waits, and the law holds", name)
		}
		if w.idle() == nil {
			t.Errorf("%s waits, and deciding again changes nothing", name)
		}
	}
}

func TestTheLawOfGraceCanBreak(t *testing.T) {
	w := smallWorld(t, true)
	w.house.line.weather = weather{Lost: 100}
	playAll(t, w, step{do: job("n", "flex", fleet.Flex, fleet.Mid, pool("w", 0, 8, 4))},
		step{do: job("n", "x", "q/one", fleet.Mid, pool("w", 0, 8, 2))})
	if f := startsWithinGrace(w, nil, core.Outcome{}); f != nil {
		t.Errorf("broken at the moment of the reservation: %v", f)
	}
	playAll(t, w, step{after: time.Hour, do: core.Tick{}})
	if f := startsWithinGrace(w, nil, core.Outcome{}); f == nil {
		t.Error("its victims' end is not heard of for an hour, and the law holds")
	}
}

// TestALostReportIsHealed also shows that without healing the fleet is not at rest.
func TestALostReportIsHealed(t *testing.T) {
	w := smallWorld(t, true)
	w.house.line.weather = weather{Lost: 100}
	playAll(t, w, step{do: job("n", "flex", fleet.Flex, fleet.Mid, pool("w", 0, 8, 4))},
		step{do: job("n", "x", "q/one", fleet.Mid, pool("w", 0, 8, 2))},
		step{after: time.Hour, do: core.Tick{}})
	if f := w.atRest(); f == nil {
		t.Error("a victim is leaving for ever, and the fleet is at rest")
	}
	playAll(t, w, step{trick: healed})
	if got := w.s.Workload("n", "x").State; got != fleet.RunningW {
		t.Errorf("after healing x is %s, want running", got)
	}
}

func TestAProcessThatForgetsIsFound(t *testing.T) {
	w := smallWorld(t, true)
	if f := w.house.rise(lives, nil); f != nil {
		t.Errorf("nothing was forgotten: %v", f)
	}
	forgotten(w, job("n", "x", "q/one", fleet.Mid, pool("w", 0, 8, 2))) // never written to the journal
	if f := w.house.rise(lives, nil); f == nil {
		t.Error("a workload is gone with the process, and nobody notices")
	}
}

func TestGPUsThatAreHeldTwiceAreFound(t *testing.T) {
	w := smallWorld(t, true)
	truth := w.house.line.truth
	run := func(id uint64, gpus int) {
		truth.Run(w.now, driver.Job{ID: id, Partition: "t/g", Pools: []fleet.Pool{pool("w", 0, gpus, 1)}}, []fleet.Spot{{Nodes: []int{3}}}, false)
	}
	run(1, 5)
	if f := truth.fits(w.s); f != nil {
		t.Errorf("5 of 8 GPUs run: %v", f)
	}
	run(2, 4)
	if f := truth.fits(w.s); f == nil {
		t.Error("9 of 8 GPUs run, and nobody notices")
	}
}

func TestClustersThatRunSomethingElseAreFound(t *testing.T) {
	w := smallWorld(t, true)
	playAll(t, w, step{do: job("n", "x", fleet.Flex, fleet.Mid, pool("w", 0, 8, 2))}, step{after: time.Second, do: core.Tick{}})
	truth := w.house.line.truth
	if f := truth.agrees(w.s); f != nil {
		t.Errorf("the clusters run what they were told: %v", f)
	}
	id := w.s.Workload("n", "x").ID
	truth.Forget(w.now, id, []fleet.Spot{{Nodes: []int{w.s.Workloads[id].Replicas[0][0].Node}}})
	if f := truth.agrees(w.s); f == nil {
		t.Error("a replica is missing on the clusters, and nobody notices")
	}
}

// TestTheLawOfElasticPoolsCanBreak: random fleets have never broken it, so it is
// broken here by hand.
func TestTheLawOfElasticPoolsCanBreak(t *testing.T) {
	w := newWorld(sampling{})
	playAll(t, w,
		step{do: core.AddCluster{Name: "t"}}, step{do: core.AddPartition{Cluster: "t", GPU: "g"}},
		step{do: core.AddIslands{Partition: "t/g", Islands: []core.NewIsland{{Name: "a", Nodes: 4}}}},
		step{do: job("n", "pool", fleet.Flex, fleet.Mid, elastic("w", 0, 8, 2, 4))})
	before := w.s.Clone()
	v := w.s.Workload("n", "pool")
	if f := elasticPoolsKeepTheirMin(w, before, core.Outcome{}); f != nil {
		t.Errorf("broken although nothing happened: %v", f)
	}
	w.s.Leave(v, []fleet.Spot{{Nodes: []int{v.Replicas[0][1].Node, v.Replicas[0][2].Node, v.Replicas[0][3].Node}}})
	v.State = fleet.RunningW
	if f := elasticPoolsKeepTheirMin(w, before, core.Outcome{}); f == nil {
		t.Error("one replica of at least two is left, and the law holds")
	}
}
