package kube

import (
	"testing"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What an owner makes later is pictured as long as nothing of its workload runs: the rest
// of a leader's group, and the parts of a JobSet of which there is no pod.
func TestWhatIsMadeLaterIsPicturedUntilSomethingRuns(t *testing.T) {
	lws := func(i int) translate.Pod {
		return translate.Pod{Namespace: "oak", Index: i, GPUs: 8, Gated: true, Owner: translate.Owner{Kind: lwsKind, Name: "serve-0", Object: "serve", UID: "s"}}
	}
	set := func(part string) translate.Pod {
		return translate.Pod{Namespace: "oak", GPUs: 8, Gated: true, Owner: translate.Owner{Kind: "JobSet", Name: "rl", Pool: part, UID: "j", Size: 1}}
	}
	leader, driver := lws(0), set("driver")
	a := &ownerController{owners: map[string]owner{
		ownerKey(&leader): {staged: []translate.Pod{lws(0), lws(1), lws(2)}},
		ownerKey(&driver): {staged: []translate.Pod{set("driver"), set("workers"), set("workers")}},
	}}
	runs, over := driver, driver
	runs.Gated, runs.Pinned = false, "n0"
	over.Over = true
	for what, c := range map[string]struct {
		pods []translate.Pod
		want int
	}{
		"a leader":                       {[]translate.Pod{leader}, 2},
		"a leader and a worker":          {[]translate.Pod{leader, lws(2)}, 1},
		"the first part":                 {[]translate.Pod{driver}, 2},
		"both parts":                     {[]translate.Pod{driver, set("workers")}, 1},
		"the first part runs":            {[]translate.Pod{runs, set("workers")}, 0},
		"a pod of the first part failed": {[]translate.Pod{over, set("workers")}, 2},
		"somebody else's":                {[]translate.Pod{{Namespace: "oak", Gated: true, Owner: translate.Owner{Kind: "Job", Name: "x"}}}, 0},
		"two workloads, one that runs":   {[]translate.Pod{leader, runs, set("workers")}, 2},
	} {
		if list := a.unmade(c.pods); len(list) != c.want {
			t.Errorf("%s: %d are pictured, want %d", what, len(list), c.want)
		}
	}
}

// Of a gang nothing starts while some of it is not made, except pods that are made only
// once others run.
func TestNothingStartsBeforeAllOfItIsMade(t *testing.T) {
	pod := func(part string, unmade, later bool) translate.Pod {
		return translate.Pod{Namespace: "oak", Name: part, GPUs: 8, Gated: true, Unmade: unmade, Virtual: later, Later: later, Owner: translate.Owner{Kind: "JobSet", Name: "rl", Pool: part, Size: 1}}
	}
	w := desiredWork{
		Job:     driver.Job{ID: 1, Name: "rl", Pools: []fleet.Pool{{Name: "driver", GPUs: 8, Min: 1, Max: 1}, {Name: "workers", GPUs: 8, Min: 1, Max: 1}}},
		running: driver.Tally{{Pool: 0, Node: 0}: 1, {Pool: 1, Node: 1}: 1},
	}
	for what, c := range map[string]struct {
		driver, workers translate.Pod
		want            int
	}{
		"both are made":                {pod("driver", false, false), pod("workers", false, false), 2},
		"the workers are made later":   {pod("driver", false, false), pod("workers", false, true), 2},
		"the workers are to be made":   {pod("driver", false, false), pod("workers", true, true), 0},
		"the driver is yet to be made": {pod("driver", true, true), pod("workers", false, false), 0},
	} {
		work := translate.Group([]translate.Pod{c.driver, c.workers})[0]
		var actions podActions
		actions.plan(w, work.Pools, []string{"n0", "n1"})
		if len(actions.start) != c.want {
			t.Errorf("%s: %d start, want %d", what, len(actions.start), c.want)
		}
	}
}

// Of owners that have no pod any more nothing is remembered.
func TestOwnersThatAreGoneAreForgotten(t *testing.T) {
	here := translate.Pod{Namespace: "oak", GPUs: 8, Gated: true, Owner: translate.Owner{Kind: "JobSet", Name: "here", Pool: "w", UID: "h"}}
	gone := here
	gone.Owner.Name, gone.Owner.UID = "gone", "g"
	c := &ownerController{shared: &shared{}, owners: map[string]owner{
		ownerKey(&here): {staged: []translate.Pod{here}}, ownerKey(&gone): {staged: []translate.Pod{gone}},
	}}
	c.setSizes(t.Context(), []translate.Pod{here})
	if _, kept := c.owners[ownerKey(&here)]; !kept || len(c.owners) != 1 {
		t.Errorf("%d owners are remembered", len(c.owners))
	}
}

// However many groups a namespace has, not more of their pods are pictured than of one large object.
func TestManyGroupsTakeLittleRoom(t *testing.T) {
	crew := make([]translate.Pod, 8000)
	for i := range crew {
		crew[i] = translate.Pod{Namespace: "oak", GPUs: 8, Index: i, Owner: translate.Owner{Kind: lwsKind, Size: len(crew)}}
	}
	crew[0].GPUs = 4
	c := &ownerController{owners: map[string]owner{}}
	for _, key := range []string{"a", "b", "c", "d"} {
		is := owner{namespace: "oak", staged: crew}
		is.staged = c.withinRoom(is)
		c.owners[key] = is
	}
	if n := len(c.owners["b"].staged); n != len(crew) {
		t.Errorf("of the second group %d pods are pictured", n)
	}
	if list := c.owners["d"].staged; len(list) != 2 || list[1].Owner.Size != len(crew) || cap(list) > 100 {
		t.Errorf("of the fourth group %d pods are pictured", len(list))
	}
	if list := c.withinRoom(owner{namespace: "ash", staged: crew}); len(list) != len(crew) {
		t.Errorf("of another namespace's group %d pods are pictured", len(list))
	}
}
