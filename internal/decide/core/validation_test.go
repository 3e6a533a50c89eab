package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A node in service that fails a validation is taken out; one that passes stays where it is.
func TestAValidationTakesANodeOutOfServiceOnlyIfItFails(t *testing.T) {
	for passed, want := range map[bool]fleet.NodeState{true: fleet.Healthy, false: fleet.Quarantined} {
		st := smallFleet(t, 2)
		st.do(time.Hour, core.RecordValidation{Node: "t-g-a-001", Passed: passed})
		if is := st.s.Partition("t/g").Nodes[0].State; is != want {
			t.Errorf("a healthy node whose validation passed (%v) is %s, want %s", passed, is, want)
		}
	}
}

// A node that a person or a maintenance keeps stays where it is, whatever a machine finds out about it; a person may move it.
func TestAMachinesValidationMovesNoNodeThatOthersKeep(t *testing.T) {
	person := core.Actor{Name: "operator:ada", User: "ada", Operator: true}
	for _, c := range []struct {
		kept  fleet.StateOwner
		by    core.Actor
		moves bool
	}{
		{fleet.ByOperator, core.System, false},
		{fleet.ByMaintenance, core.System, false},
		{fleet.ByAutomatic, core.System, true},
		{fleet.ByCluster, core.System, true},
		{fleet.ByOperator, person, true},
		{fleet.ByMaintenance, person, true},
	} {
		st := smallFleet(t, 2)
		st.do(time.Hour, core.SetNodes{Names: []string{"t-g-a-001"}, State: fleet.Suspect, Signal: "ticket"})
		n := st.s.Partition("t/g").Nodes[0]
		n.StateOwner = c.kept
		_, refusal := core.Step(st.s, core.Request{Command: core.RecordValidation{Node: n.Name, Passed: true}, Actor: c.by}, moment(2*time.Hour))
		if moved := n.State != fleet.Suspect; refusal != nil || moved != c.moves {
			t.Errorf("a suspect kept by %q whose validation %s records is %s (refusal %v); moves: want %v", c.kept, c.by.Name, n.State, refusal, c.moves)
		}
	}
}
