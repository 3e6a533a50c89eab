package server

import (
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func TestAServerNoticesAPromiseThatIsBroken(t *testing.T) {
	s := fleet.NewState()
	for _, c := range []core.Command{
		core.AddCluster{Name: "tiger"},
		core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "i1", Nodes: 16}}},
		core.CreateQuota{Path: "oak"},
		core.SetGrant{Quota: "oak", Partition: "tiger/h200", GPUs: 64},
	} {
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, 1); refusal != nil {
			t.Fatal(refusal)
		}
	}
	if found := checkInvariants(s, event.Record{}); len(found) > 0 {
		t.Fatalf("a sound state is found broken: %v", found)
	}
	s.Partition("tiger/h200").Promisable = 4 // of 8 nodes that back the quota
	if found := checkInvariants(s, event.Record{}); len(found) == 0 {
		t.Error("backing above what is promisable is not noticed")
	}
}
