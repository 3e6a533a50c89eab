package core_test

import (
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A person may say what a node's own cluster calls it, where that is one node; a
// driver may not: an unknown node that it names is no other cluster's.
func TestANodeMayBeCalledAsItsClusterDoes(t *testing.T) {
	s := fleet.NewState()
	person := core.Actor{Name: "user:ann", Operator: true}
	do := func(by core.Actor, c core.Command) *core.Refusal {
		_, refusal := core.Step(s, core.Request{Command: c, Actor: by, Reason: "the test"}, 1)
		return refusal
	}
	for _, c := range []core.Command{
		core.AddCluster{Name: "tiger"},
		core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.AddCluster{Name: "lion"},
		core.AddPartition{Cluster: "lion", GPU: "h200"},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Names: []string{"n1@tiger", "n2@tiger"}}}},
		core.AddIslands{Partition: "lion/h200", Islands: []core.NewIsland{{Name: "a", Names: []string{"n1@lion"}}}},
	} {
		if refusal := do(person, c); refusal != nil {
			t.Fatal(refusal)
		}
	}
	both := core.SetNodes{Names: []string{"n1"}, State: fleet.Quarantined, Signal: "smoke"}
	if no := do(person, both); no == nil || !strings.Contains(no.Message, "n1@lion or n1@tiger") {
		t.Errorf("a name of two nodes: %v", no)
	}
	one := core.SetNodes{Names: []string{"n2"}, State: fleet.Quarantined, Signal: "smoke"}
	if no := do(core.Reporter, one); no == nil {
		t.Error("a driver speaks of a node that it does not have")
	}
	if no := do(person, core.Batch{Commands: []core.Command{one, core.ReleaseNodes{Names: []string{"n2"}}}}); no != nil {
		t.Fatal(no)
	}
	p, node := s.FindNode("n2@tiger")
	if n := p.Nodes[node]; n.State != fleet.Quarantined || n.StateOwner != fleet.ByAutomatic {
		t.Errorf("n2@tiger is %s, of %v", n.State, n.StateOwner)
	}
	signals := []fleet.Signal{{Node: "n1@lion", Agent: "dcgm", Check: "x", At: 1}, {Node: "n2", Agent: "dcgm", Check: "x", At: 1}}
	if no := do(person, core.TakeSignals{Signals: signals}); no != nil {
		t.Error(no)
	}
	if signals[1].Node != "n2" || p.Nodes[node].Health == nil {
		t.Error("a signal was not taken, or the sender's was changed")
	}
	if no := do(person, core.SetNodes{Names: []string{"n3"}, State: fleet.Healthy}); no == nil || !strings.Contains(no.Message, `"n3"`) {
		t.Errorf("a node that nobody has: %v", no)
	}
}
