package kube

import (
	"context"
	"testing"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A cluster that runs what Muster has started is not emptied by a server whose journal is
// empty, unless that is wanted.
func TestAClusterThatRunsWhatTheStateDoesNotKnowIsLeftAlone(t *testing.T) {
	started := podOn("oak", "train", "train-0", "n0", "oak")
	started.Pinned = "n0"
	over := started
	over.Over = true
	e := watched(t, nil)
	for name, c := range map[string]struct {
		pods []translate.Pod
		n    int
	}{
		"nothing runs":                      {nil, 0},
		"what others have started":          {[]translate.Pod{podOn("oak", "bare", "bare-0", "n1", "")}, 0},
		"what has ended":                    {[]translate.Pod{over}, 0},
		"what Muster of another fleet made": {[]translate.Pod{podOn("oak", "bare", "bare-0", "n1", ""), started}, 1},
	} {
		e.Read(func(s *fleet.State) {
			if n, example := unknown(s, c.pods); n != c.n || n > 0 && example != "oak/train-0" {
				t.Errorf("%s: %d pods are unknown, such as %q; want %d", name, n, example, c.n)
			}
		})
	}
	spec := fleet.Spec{Name: "train", Namespace: "oak", Target: "oak", Priority: fleet.Mid, Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}}}
	if _, err := e.Do(context.Background(), core.Request{Command: core.Submit{Spec: spec}, Actor: core.System}); err != nil {
		t.Fatal(err)
	}
	another := podOn("oak", "newer", "newer-0", "n2", "oak") // an older copy of the journal does not know it
	another.Pinned = "n2"
	e.Read(func(s *fleet.State) {
		if n, _ := unknown(s, []translate.Pod{another, started}); n != 0 {
			t.Error("a fleet that knows some of it counts as lost")
		}
	})
}
