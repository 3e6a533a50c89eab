package kube

import (
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Nodes that the cluster has no more take nothing, unless a person keeps them; what
// is said once is not said again.
func TestNodesThatVanishServeNobody(t *testing.T) {
	h := newHouseWith(t, 1)
	h.do(core.SetNodes{Names: []string{"tiger-h200-b-001"}, State: fleet.Degraded, Dead: 1, Signal: "the test"})
	var nodes []translate.Node
	h.e.Read(func(s *fleet.State) {
		for _, n := range s.Partition("tiger/h200").Nodes {
			if n.Name != "tiger-h200-a-002" && n.Name != "tiger-h200-b-003" {
				nodes = append(nodes, translate.Node{Name: n.Name})
			}
		}
	})
	look := func() (commands []core.Command) {
		h.e.Read(func(s *fleet.State) { commands = vanished(s, "tiger", nodes) })
		return commands
	}
	first := look()
	if len(first) != 1 || !slices.Equal(first[0].(core.SetNodes).Names, []string{"tiger-h200-a-002", "tiger-h200-b-003"}) {
		t.Fatalf("commands %+v, want one about the two nodes that are gone", first)
	}
	h.do(first[0])
	if again := look(); len(again) > 0 {
		t.Errorf("asked again it says %+v", again)
	}
	if other := func() (c []core.Command) {
		h.e.Read(func(s *fleet.State) { c = vanished(s, "lion", nil) })
		return c
	}(); len(other) > 0 {
		t.Errorf("of another cluster it says %+v", other)
	}
}

// A workload that has ended is not submitted anew because its pods were replaced once:
// nothing of it waits.
func TestWhatHasEndedIsNotNew(t *testing.T) {
	over := translate.Work{Pools: []translate.Part{{Pods: []translate.Pod{{Over: true}, {Over: true}}}}}
	waits := translate.Work{Pools: []translate.Part{{Pods: []translate.Pod{{Over: true}, {Gated: true}}}}}
	runs := translate.Work{Pools: []translate.Part{{Pods: []translate.Pod{{Gated: true}, {Pinned: "n"}}}}}
	if waitsWhole(over) || !waitsWhole(waits) || waitsWhole(runs) {
		t.Errorf("over %t, waits %t, runs %t; want false, true, false", waitsWhole(over), waitsWhole(waits), waitsWhole(runs))
	}
}
