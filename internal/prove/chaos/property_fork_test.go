package chaos_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
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
	playShared(t, 40, sameFork)
	t.Logf("%d forks", forks)
	if forks < 100 {
		t.Error("too few forks to say anything")
	}
}

// playShared plays random fleets, every other of which shares its quotas out, and looks at each step.
func playShared(t *testing.T, fleets int64, look func(*world, *fleet.State, core.Outcome) *failure) {
	t.Helper()
	for seed := range fleets {
		w, f := playBy(seed, func(a *author) { a.shares = seed%2 == 0 }, sampling{before: 1}, look)
		if f != nil {
			t.Fatalf("seed %d: %s (after %d steps)", seed, f.detail, len(w.script))
		}
	}
}

func forked(w *world) *failure {
	w.s.ForgetSpare()
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
	disturb(own, core.Tick{}, later.Add(200*time.Hour))
}

// TestTrialsAreCountedAsIfWhatTheyLeaveOutHadNeverCome plays random fleets, and copies them without what waits in one tree, or for
// flex. What the copy has counted is what a recount of it gives, and a second one in the same memory is the same.
func TestTrialsAreCountedAsIfWhatTheyLeaveOutHadNeverCome(t *testing.T) {
	t.Parallel()
	var arena fleet.Arena
	left, calls := 0, 0
	without := func(w *world, _ *fleet.State, _ core.Outcome) *failure {
		if calls++; calls%7 != 0 {
			return nil
		}
		tree := waitingTree(w.s, calls/7)
		for range 2 {
			trial := w.s.ForkTrial(w.s.Partitions, func(v *fleet.Workload) bool { return v.Tree() == tree }, &arena)
			if f := counted(trial); f != nil {
				return f
			}
			left += len(w.s.Alive()) - len(trial.Alive())
			upset(w, trial)
		}
		return nil
	}
	playShared(t, 8, without)
	t.Logf("%d waiting workloads left out", left)
	if left < 500 {
		t.Error("too few to say anything")
	}
}

// waitingTree is the tree of one of the workloads that wait, or none.
func waitingTree(s *fleet.State, which int) string {
	var trees []string
	for _, v := range s.Alive() {
		if v.State == fleet.Pending {
			trees = append(trees, v.Tree())
		}
	}
	if len(trees) == 0 {
		return ""
	}
	return trees[which%len(trees)]
}

// counted compares what a state has counted with a recount.
func counted(s *fleet.State) *failure {
	for _, b := range slices.Concat(invariant.Check(s), invariant.Recount(s)) {
		return &failure{rule: "a trial is counted", detail: fmt.Sprint(b)}
	}
	for _, p := range s.Partitions {
		reads, waits := map[*fleet.Tree]bool{}, []*fleet.Account{}
		for _, a := range p.Accounts {
			for _, it := range a.Queue() {
				reads[a.Root()] = reads[a.Root()] || it.Workload.ReadsMetal()
			}
			if len(a.Queue()) > 0 {
				waits = append(waits, a)
			}
		}
		for _, t := range p.Trees() {
			if t.ReadsMetal() != reads[t] {
				return &failure{rule: "a trial is counted", detail: fmt.Sprintf("tree %s of %s reads metal: %v", t.Name(), p.ID, t.ReadsMetal())}
			}
		}
		if !slices.Equal(waits, p.Waits()) {
			return &failure{rule: "a trial is counted", detail: fmt.Sprintf("in %s work waits for %d accounts, listed are %d", p.ID, len(waits), len(p.Waits()))}
		}
	}
	return asksAsRead(s)
}

// asksAsRead compares what namespaces ask for on flex with what the state counts when it is read anew.
func asksAsRead(s *fleet.State) *failure {
	read := s.Clone()
	for i, p := range s.Partitions {
		for _, name := range p.Namespaces() {
			if is, was := p.FlexOf(name).Demand(), read.Partitions[i].FlexOf(name).Demand(); is != was {
				return &failure{rule: "a trial is counted", detail: fmt.Sprintf("in %s %s asks for %d GPUs on flex, read anew %d", p.ID, name, is, was)}
			}
		}
	}
	return nil
}

// disturb does what it can to a fork; what is refused is nothing.
func disturb(s *fleet.State, c core.Command, now fleet.Instant) {
	_, _ = core.Step(s, core.Request{Command: c, Actor: core.System, Reason: "a test"}, now)
}
