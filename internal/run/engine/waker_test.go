package engine

import (
	"slices"
	"testing"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A cluster is woken by what starts there and by what has left it, and by nothing else.
func TestTheClustersOfARecordAreWoken(t *testing.T) {
	s := newStage(t)
	var woken []string
	w := newWaker(func(cluster string) { woken = append(woken, cluster) }, s.state)
	expect := func(what string, e event.Event, want ...string) {
		t.Helper()
		woken = nil
		w.plan(event.Record{Events: one(e)}, s.state)()
		if !slices.Equal(woken, want) {
			t.Errorf("%s: woken are %v, want %v", what, woken, want)
		}
	}
	expect("a submit without a place", event.WorkloadSubmitted{ID: 1})
	s.place(fleet.Running, 2, 3)
	expect("a start", event.ReplicasPlaced{ID: 1, Spots: on(2, 3)}, "tiger")
	expect("a policy", event.PolicySet{})
	s.drop(2, 3)
	expect("the last replicas are lost", event.ReplicasLost{ID: 1, Spots: on(2, 3)}, "tiger")
	expect("what stands nowhere", event.WorkloadCancelled{ID: 1})
	s.place(fleet.Running, 2, 3)
	if again := newWaker(w.wake, s.state); again.stands[1] != "tiger" {
		t.Errorf("after a restart workload 1 stands on %q, want tiger", again.stands[1])
	}
}
