package provision_test

import (
	"context"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// knowing says for each cluster since when its projects have planned nothing.
type knowing map[string]fleet.Instant

func (k knowing) Knows(s provision.Subject, since fleet.Instant) (bool, string) {
	if at, seen := k[s.Record.Name]; !seen || at < since {
		return false, "its projects have not been planned since"
	}
	return true, ""
}

// neighbours is a state with clusters whose pipelines have ended: puma by projects that Muster
// runs, otter by a pipeline of its own; and wolf, whose pipeline has not begun.
func neighbours() *fleet.State {
	s := &fleet.State{}
	for name, runner := range map[string]string{"puma": "tofu", "otter": "buildkite:acme/clusters", "wolf": "tofu"} {
		s.Blueprints = append(s.Blueprints, &fleet.Blueprint{Name: "of-" + name, Version: 1, Runner: runner})
		l := &fleet.Life{Record: fleet.ClusterRecord{Name: name, Blueprint: "of-" + name}, Version: 1, Generation: 1}
		if name != "wolf" {
			l.Steps = []fleet.StepState{{Step: fleet.StepPipeline, Operation: fleet.Operation{State: fleet.OperationSucceeded, Generation: 1}}}
		}
		s.Lives = append(s.Lives, l)
	}
	return s
}

// A cluster is known to another once the projects of that one planned nothing after the check-in.
// What was known stays so; pipelines of others are not asked.
func TestDependenciesAreSatisfiedByPlansAfterTheCheckin(t *testing.T) {
	state, know := neighbours(), knowing{"puma": 99}
	d := provision.Dependents{Read: func(do func(*fleet.State)) { do(state) }, Runners: map[string]provision.Knower{"tofu": know}}
	lynx := provision.Subject{Record: fleet.ClusterRecord{Name: "lynx"}, Generation: 2, Since: 100}
	look := func(holds bool, says string) {
		t.Helper()
		seen, err := d.Look(context.Background(), lynx)
		if err != nil || len(seen) != 1 || seen[0].Step != fleet.StepDependencies || seen[0].Generation != 2 || seen[0].Holds != holds || !strings.Contains(seen[0].Detail, says) {
			t.Errorf("want holds %v, %q, got %+v, %v", holds, says, seen, err)
		}
	}
	lynx.CheckedIn = false
	if seen, err := d.Look(context.Background(), lynx); len(seen) != 0 || err != nil {
		t.Errorf("before its check-in: %+v, %v", seen, err)
	}
	lynx.CheckedIn = true
	look(false, "not known yet to puma (its projects have not been planned since)")
	know["puma"] = 100
	look(true, "planned nothing since it was checked in: puma; with pipelines of their own, which are not asked: otter")

	know["puma"] = 99
	lynx.Known = []fleet.StepEvidence{{Step: fleet.StepDependencies, Generation: 1}}
	look(false, "puma")
	lynx.Known = []fleet.StepEvidence{{Step: fleet.StepDependencies, Generation: 1, Holds: true, Detail: "as before"}}
	look(true, "as before")
}
