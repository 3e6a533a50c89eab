package kube

import (
	"testing"

	"github.com/muster-fleet/muster/internal/driver/kube/translate"
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
	a := &Agent{owners: map[string]owner{
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
		"both parts":                     {[]translate.Pod{driver, set("workers")}, 0},
		"the first part runs":            {[]translate.Pod{runs, set("workers")}, 0},
		"a pod of the first part failed": {[]translate.Pod{over, set("workers")}, 1},
		"somebody else's":                {[]translate.Pod{{Namespace: "oak", Gated: true, Owner: translate.Owner{Kind: "Job", Name: "x"}}}, 0},
		"two workloads, one that runs":   {[]translate.Pod{leader, runs, set("workers")}, 2},
	} {
		if list := a.staged(c.pods); len(list) != c.want {
			t.Errorf("%s: %d are pictured, want %d", what, len(list), c.want)
		}
	}
}
