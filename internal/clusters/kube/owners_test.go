package kube

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Who has said another number of pods than there are is asked anew, after a moment.
func TestOwnersAreAskedAnewWhenTheirPodsAreOthers(t *testing.T) {
	before := time.Now().Add(-2 * askAgain)
	job, engines := translate.Owner{Kind: "Job", Name: "sweep"}, translate.Owner{Kind: "Deployment", Name: "engines", Elastic: true}
	for _, c := range []struct {
		what  string
		pod   translate.Pod
		is    owner
		there int
		want  bool
	}{
		{"a Job that makes more yet", translate.Pod{Owner: job}, owner{size: 4, at: before}, 3, true},
		{"a Job that was asked just now", translate.Pod{Owner: job}, owner{size: 4, at: time.Now()}, 3, false},
		{"a Job all of whose pods are there", translate.Pod{Owner: job}, owner{size: 4, at: before}, 4, false},
		{"Jobs that are one workload", translate.Pod{Owner: job, Wishes: translate.Wishes{Workload: "all"}}, owner{size: 4, at: before}, 3, false},
		{"what was scaled up", translate.Pod{Owner: engines}, owner{size: 4, at: before}, 6, true},
		{"what is as it was", translate.Pod{Owner: engines}, owner{size: 4, at: before}, 4, false},
	} {
		if got := another(&c.pod, &c.is, c.there); got != c.want {
			t.Errorf("%s: %t", c.what, got)
		}
	}
}

// A gang is smaller once nothing of it runs and all that its Job has left waits.
func TestAGangWaitsForNothingThatHasFinished(t *testing.T) {
	pod := func(gated, over bool, size int) translate.Pod {
		return translate.Pod{Gated: gated, Over: over, Owner: translate.Owner{Kind: "Job", Size: size}}
	}
	over, waits, runs, early := pod(false, true, 0), pod(true, false, 2), pod(false, false, 0), pod(true, false, 3)
	for what, c := range map[string]struct {
		pods []translate.Pod
		want bool
	}{
		"one has finished, two wait": {[]translate.Pod{over, waits, waits}, true},
		"one of them runs":           {[]translate.Pod{over, waits, runs}, false},
		"not all are made yet":       {[]translate.Pod{over, early, early}, false},
		"all have finished":          {[]translate.Pod{over, over}, false},
	} {
		if got := onlyRestWaits(&translate.Part{Pool: fleet.Pool{Min: 3, Max: 3}, Pods: c.pods}); got != c.want {
			t.Errorf("%s: %t", what, got)
		}
	}
}
