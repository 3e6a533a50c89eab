package kube

import (
	"testing"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A node carried eight pods. Two have left by order 7, which is not reported yet, when
// order 9 comes for two more: two are evicted, not four, and order 7 is reported.
func TestASecondOrderEvictsNoPodForTheFirst(t *testing.T) {
	pods := make([]translate.Pod, 6)
	for i := range pods {
		pods[i] = translate.Pod{Name: string(rune('a' + i)), Node: "n0", Pinned: "n0"}
	}
	w := desiredWork{
		Job:     driver.Job{ID: 1, Name: "graders", Pools: []fleet.Pool{{Name: "main", GPUs: 1, Min: 1, Max: 8, Elastic: true}}},
		running: driver.Tally{{Pool: 0, Node: 0}: 4},
		leaving: driver.Tally{{Pool: 0, Node: 0, Order: 7}: 2, {Pool: 0, Node: 0, Order: 9}: 2},
	}
	var actions podActions
	actions.plan(w, []translate.Part{{Pool: fleet.Pool{Name: "main"}, Pods: pods}}, []string{"n0"})
	if len(actions.evict) != 2 || len(actions.stop) != 1 || actions.stop[0].Spots[0].Order != 7 || len(actions.start)+len(actions.remove) > 0 {
		t.Errorf("it is to evict %d and report %v, start %d and remove %d; want 2 evicted and order 7 reported", len(actions.evict), actions.stop, len(actions.start), len(actions.remove))
	}
}

// Of a JobSet the driver has finished before all of it was evicted, and its room is kept
// again: the workers start, and do not wait for a driver that never comes.
func TestNoPodWaitsForAPoolThatHasFinished(t *testing.T) {
	work := translate.Group([]translate.Pod{
		{Namespace: "oak", Name: "d", GPUs: 8, Over: true, Pinned: "n0", Owner: translate.Owner{Kind: "JobSet", Name: "rl", Pool: "driver", Done: true}},
		{Namespace: "oak", Name: "w", GPUs: 8, Gated: true, Owner: translate.Owner{Kind: "JobSet", Name: "rl", Pool: "workers", Size: 1}},
	})[0]
	w := desiredWork{
		Job:     driver.Job{ID: 1, Name: "rl", Pools: []fleet.Pool{{Name: "driver", GPUs: 8, Min: 1, Max: 1}, {Name: "workers", GPUs: 8, Min: 1, Max: 1}}},
		running: driver.Tally{{Pool: 0, Node: 0}: 1, {Pool: 1, Node: 1}: 1}, done: work.Done,
	}
	var actions podActions
	actions.plan(w, work.Pools, []string{"n0", "n1"})
	if len(actions.start) != 1 || actions.start[0].pod.Name != "w" || actions.start[0].node != "n1" {
		t.Errorf("it starts %+v, want w on n1", actions.start)
	}
	is := &fleet.Workload{Spec: fleet.Spec{Namespace: "oak", Name: "rl", Pools: w.Job.Pools}}
	if c := resized(is, work); len(c) != 1 || c[0].(core.Resize).Pool != "driver" || c[0].(core.Resize).Max != 0 {
		t.Errorf("while nothing stands it says %+v, want the driver taken out", c)
	}
}

// A part counts as finished only where its owner says so, and not where all is over.
func TestAPartHasFinishedWhenItsOwnerSaysSo(t *testing.T) {
	pod := func(part string, over, done bool) translate.Pod {
		return translate.Pod{Namespace: "oak", Name: part, GPUs: 8, Over: over, Gated: !over, Owner: translate.Owner{Kind: "JobSet", Name: "rl", Pool: part, Done: done}}
	}
	for what, c := range map[string]struct {
		pods []translate.Pod
		want int
	}{
		"its pod failed, another is to come": {[]translate.Pod{pod("driver", true, false), pod("workers", false, false)}, 0},
		"it has finished":                    {[]translate.Pod{pod("driver", true, true), pod("workers", false, false)}, 1},
		"all has finished":                   {[]translate.Pod{pod("driver", true, true), pod("workers", true, true)}, 0},
	} {
		work := translate.Group(c.pods)[0]
		if len(work.Done) != c.want || len(work.Pools) != 2-c.want {
			t.Errorf("%s: done %v, pools %d", what, work.Done, len(work.Pools))
		}
	}
}
