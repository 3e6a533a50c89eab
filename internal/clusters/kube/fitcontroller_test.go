package kube

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/nodefit"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// roomy is a controller of a cluster with one node, n1, of 8 GPUs and some free cores, on which a workload
// of two pools runs that ask for unlike amounts.
func roomy(t *testing.T, cores string) (*fitController, *fleet.State, *nodeFits) {
	t.Helper()
	now := fleet.Instant(time.Hour)
	s := fleet.NewState()
	for _, c := range []core.Command{
		core.AddCluster{Name: "tiger"},
		core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Names: []string{"n1"}}}},
		core.Submit{Spec: fleet.Spec{Name: "w", Namespace: "oak", Target: fleet.Flex, Priority: fleet.Mid, Pools: []fleet.Pool{
			{Name: "a", GPUs: 5, Min: 1, Max: 1, Reach: fleet.ReachAny, Footprint: "large"}, {Name: "b", GPUs: 3, Min: 1, Max: 1, Reach: fleet.ReachAny, Footprint: "small"},
		}}},
	} {
		if _, no := core.Step(s, core.Request{Command: c, Actor: core.System, Reason: "test"}, now); no != nil {
			t.Fatal(no)
		}
	}
	c := newFitController(newShared(nil, nil, Options{Translate: translate.Defaults("tiger"), Now: func() fleet.Instant { return now }}))
	on := fitsOf(cores)
	c.samples["large"] = &sample{fit: startOn(1, "a", "n1", "60", true).pod.Fit, gpus: 5}
	c.samples["small"] = &sample{fit: startOn(1, "b", "n1", "40", true).pod.Fit, gpus: 3}
	c.offers = map[string]translate.Node{"n1": {Name: "n1", Fit: on.nodes["n1"]}}
	return c, s, on
}

// tell tells the engine what a controller says.
func tell(t *testing.T, s *fleet.State, commands []core.Command) {
	t.Helper()
	for _, c := range commands {
		if _, no := core.Step(s, core.Request{Command: c, Actor: core.Reporter}, s.Time); no != nil {
			t.Fatal(no)
		}
	}
}

// Two pools of a workload fit on a node each, and not together. It is not sent there for ever.
func TestAWorkloadThatDoesNotFitIsNotSentThereForEver(t *testing.T) {
	c, s, on := roomy(t, "96")
	w := s.Workload("oak", "w")
	for round := range 10 {
		if w.At() == nil {
			if round < 2 {
				t.Fatalf("it was tried %d times", round)
			}
			return
		}
		starts := []startAction{
			{id: w.ID, pod: translate.Pod{UID: "a", Gated: true, Binds: true, Fit: c.samples["large"].fit}, node: "n1", pool: 0, footprint: "large", gang: true},
			{id: w.ID, pod: translate.Pod{UID: "b", Gated: true, Binds: true, Fit: c.samples["small"].fit}, node: "n1", pool: 1, footprint: "small", gang: true},
		}
		on.loads["n1"] = &nodefit.Load{}
		fit, _, misplaced := fitting(starts, func() *nodeFits { return on })
		if len(fit) != 0 || len(misplaced) != 1 {
			t.Fatalf("%d fit, %d do not", len(fit), len(misplaced))
		}
		tell(t, s, c.move(s, misplaced, starts, on))
		on.loads["n1"] = &nodefit.Load{} // nothing was started
		tell(t, s, c.ofPartition(s.Partition("tiger/h200"), func() *nodeFits { return on }))
	}
	t.Error("it was sent there ten times")
}

// What a kubelet rejected is not sent there again for a while.
func TestARejectionCountsForAWhile(t *testing.T) {
	c, s, on := roomy(t, "96")
	pod := translate.Pod{Namespace: "oak", Name: "p", UID: "p", Node: "n1", Over: true, Failed: true, Rejected: "OutOfcpu", Footprint: "large"}
	c.noteRejected(&pod, "large", c.Now())
	loads := func() *nodeFits { return on }
	tell(t, s, c.ofPartition(s.Partition("tiger/h200"), loads))
	if is := s.Partition("tiger/h200").Footprint("large").At(0); is == nil || is.Takes != 0 {
		t.Fatalf("after a rejection the node takes %+v", is)
	}
	c.noteRejected(&pod, "large", c.Now().Add(heldFor)) // it is seen as long as it is there, and counts once
	delete(c.rejected, fitKey{"large", "n1"})           // that time is over
	tell(t, s, c.ofPartition(s.Partition("tiger/h200"), loads))
	if is := s.Partition("tiger/h200").Footprint("large").At(0); is != nil {
		t.Errorf("later the node takes %+v", is)
	}
}

// A footprint for which no pod waits any more is forgotten.
func TestWhatNoPodAsksForIsForgotten(t *testing.T) {
	c, s, on := roomy(t, "10")
	loads := func() *nodeFits { return on }
	tell(t, s, c.ofPartition(s.Partition("tiger/h200"), loads))
	if len(s.Partition("tiger/h200").Footprints) != 2 {
		t.Fatalf("known: %+v", s.Partition("tiger/h200").Footprints)
	}
	delete(c.samples, "large")
	tell(t, s, c.ofPartition(s.Partition("tiger/h200"), loads))
	if f := s.Partition("tiger/h200").Footprints; len(f) != 1 || f[0].Name != "small" {
		t.Errorf("known: %+v", f)
	}
}
