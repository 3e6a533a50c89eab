package kube

import (
	"maps"
	"testing"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// While nothing of a workload is placed, a pool follows what its owner says, or what is annotated.
// It does not follow pods that are missing for a moment.
func TestAPoolFollowsWhatSaysItsSize(t *testing.T) {
	waits := &fleet.Workload{}
	said, unsaid := translate.Pod{Owner: translate.Owner{Size: 2}}, translate.Pod{}
	for what, c := range map[string]struct {
		was, is fleet.Pool
		pods    []translate.Pod
		want    bool
	}{
		"the same size":               {fleet.Pool{Min: 2, Max: 2}, fleet.Pool{Min: 2, Max: 2}, []translate.Pod{said, said}, false},
		"more pods":                   {fleet.Pool{Min: 1, Max: 1}, fleet.Pool{Min: 2, Max: 2}, []translate.Pod{unsaid, unsaid}, true},
		"its owner wants fewer":       {fleet.Pool{Min: 3, Max: 3}, fleet.Pool{Min: 2, Max: 2}, []translate.Pod{said, said}, true},
		"a pod is not taken away yet": {fleet.Pool{Min: 4, Max: 4}, fleet.Pool{Min: 2, Max: 2}, []translate.Pod{said, said, said}, false},
		"pods are missing":            {fleet.Pool{Min: 3, Max: 3}, fleet.Pool{Min: 2, Max: 2}, []translate.Pod{unsaid, unsaid}, false},
	} {
		if got := sizeChanges(waits, c.was, &translate.Part{Pool: c.is, Pods: c.pods}); got != c.want {
			t.Errorf("%s: %t", what, got)
		}
	}
}

// Pods that wait, have ended or are leaving keep no node.
func TestOnlyPodsThatGoOnKeepTheirNodes(t *testing.T) {
	on := func(p translate.Pod) translate.Pod { p.Node = "n1"; return p }
	pods := []translate.Pod{on(translate.Pod{}), on(translate.Pod{Leaving: true}), on(translate.Pod{Over: true}), {Gated: true}}
	if got := stayingByNode(pods); !maps.Equal(got, map[string]int{"n1": 1}) {
		t.Errorf("pods stay on %v, want one on n1", got)
	}
}
