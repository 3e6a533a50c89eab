package core_test

import (
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// TestWhatAFaultTookOutIsNotCordoned: a person who cordons or drains such a node, and takes that back, would return it
// without a validation. Stories and parts of Muster set states as they are.
func TestWhatAFaultTookOutIsNotCordoned(t *testing.T) {
	person := core.Actor{Name: "operator:olga", User: "olga", Operator: true, Principal: fleet.Principal{Kind: fleet.LocalPrincipal, Name: "olga"}}
	for _, from := range []fleet.NodeState{fleet.Quarantined, fleet.Repairing, fleet.Validating} {
		for _, to := range []fleet.NodeState{fleet.Suspect, fleet.Maintenance, fleet.Repairing, fleet.Healthy} {
			for _, actor := range []core.Actor{person, core.System} {
				st := granted(t, 48)
				st.do(0, core.SetNodes{Names: []string{"tiger-h200-a-001"}, State: from, Signal: "XID 79"})
				set := core.SetNodes{Names: []string{"tiger-h200-a-001"}, State: to}
				_, refusal := core.Step(st.s, core.Request{Command: set, Actor: actor, Reason: "new cables"}, moment(1))
				refused := actor.User != "" && (to == fleet.Suspect || to == fleet.Maintenance)
				if (refusal != nil) != refused || refused && (refusal.Code != core.WrongState || !strings.Contains(refusal.Message, "is "+string(from)+" (XID 79): nothing new starts there")) {
					t.Errorf("%s from %s to %s: %v", actor.Name, from, to, refusal)
				}
			}
		}
	}
}
