package placement_test

import (
	"cmp"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A quota's nodes go by the work that it has there, the oldest first, whatever the nodes are called;
// a node on which none of it stays comes before them.
func TestNodesOfAQuotaGoByItsWork(t *testing.T) {
	s := fleet.NewState()
	do := func(c core.Command) {
		t.Helper()
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System, Reason: "test"}, fleet.Instant(time.Hour)); refusal != nil {
			t.Fatal(refusal)
		}
	}
	do(core.AddCluster{Name: "c"})
	do(core.AddPartition{Cluster: "c", GPU: "g"})
	do(core.AddIslands{Partition: "c/g", Islands: []core.NewIsland{{Name: "i", Nodes: 3}}})
	do(core.CreateQuota{Path: "oak"})
	do(core.SetGrant{Quota: "oak", Partition: "c/g", GPUs: 16})
	for _, name := range []string{"first", "second"} {
		do(core.Submit{Spec: fleet.Spec{Name: name, Namespace: "ns", User: "u", Target: "oak", Priority: fleet.Mid, Pools: []fleet.Pool{
			{Name: "p", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny},
		}}})
	}
	node := map[string]*fleet.Node{}
	for _, n := range s.Partition("c/g").Nodes {
		name := ""
		for _, r := range n.Residents() {
			name = r.Workload.Name
		}
		node[name] = n
	}
	order := []*fleet.Node{node[""], node["first"], node["second"]}
	for i, a := range order {
		for k, b := range order {
			if got := placement.CompareQuotaWork(a, b); got != cmp.Compare(i, k) {
				t.Errorf("%s with %s: %d, want %d", a.Name, b.Name, got, cmp.Compare(i, k))
			}
		}
	}
}
