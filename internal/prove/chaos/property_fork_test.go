package chaos_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestForksAreTheSameAndTheirOwn plays random fleets, some of which share quotas
// out, and forks them. A fork is the state in every field and index, so it decides the
// same. Whatever is then done to it, the state knows nothing of it.
func TestForksAreTheSameAndTheirOwn(t *testing.T) {
	t.Parallel()
	forks, calls := 0, 0
	sameFork := func(w *world, _ *fleet.State, _ core.Outcome) *failure {
		if calls++; calls%11 != 0 {
			return nil
		}
		forks++
		return forked(w)
	}
	for seed := range int64(40) {
		w, f := playBy(seed, func(a *author) { a.shares = seed%2 == 0 }, sampling{before: 1}, sameFork)
		if f != nil {
			t.Fatalf("seed %d: %s (after %d steps)", seed, f.detail, len(w.script))
		}
	}
	t.Logf("%d forks", forks)
	if forks < 100 {
		t.Error("too few forks to say anything")
	}
}

func forked(w *world) *failure {
	w.s.ForgetTrials()
	for _, p := range w.s.Partitions {
		p.Memories = fleet.Memories{}
	}
	for _, v := range w.s.Workloads {
		v.Scratch = nil
	}
	var arena fleet.Arena
	first, other := w.s.ForkInto(&arena), w.s.Fork()
	upset(w, first)
	own := w.s.ForkInto(&arena) // in the place of one to which everything was done
	if !reflect.DeepEqual(w.s, own) {
		return &failure{rule: "a fork is the same", detail: fmt.Sprintf("the fork of %s differs", w.s)}
	}
	upset(w, own)
	if !reflect.DeepEqual(w.s, other) {
		return &failure{rule: "a fork is its own", detail: fmt.Sprintf("what was done to the fork of %s shows", w.s)}
	}
	return nil
}

// upset does to a fork of the world's state whatever it can.
func upset(w *world, own *fleet.State) {
	later := w.now.Add(time.Second)
	for _, p := range own.Partitions {
		if len(p.Nodes) > 0 {
			disturb(own, core.SetNodes{Names: []string{p.Nodes[0].Name}, State: fleet.Quarantined, Signal: "test"}, later)
			disturb(own, core.AddIslands{Partition: p.ID, Islands: []core.NewIsland{{Name: "0new", Nodes: 2}}}, later)
		}
	}
	for _, v := range w.open() {
		disturb(own, core.Cancel{Namespace: v.Namespace, Name: v.Name}, later)
	}
	disturb(own, core.Tick{}, later.Add(100*time.Hour))
	own.Lighten()
}

// disturb does what it can to a fork; what is refused is nothing.
func disturb(s *fleet.State, c core.Command, now fleet.Instant) {
	_, _ = core.Step(s, core.Request{Command: c, Actor: core.System, Reason: "a test"}, now)
}
