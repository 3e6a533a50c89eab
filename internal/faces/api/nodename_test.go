package api_test

import (
	"strings"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Questions about nodes take what a node's own cluster calls it, as commands do.
func TestANodeIsFoundByWhatItsClusterCallsIt(t *testing.T) {
	h, ctx := furnished(t), t.Context()
	for _, c := range []struct{ cluster, node string }{{"tiger", "n1@tiger"}, {"tiger", "n2@tiger"}, {"lion", "n1@lion"}} {
		if c.cluster == "lion" {
			_, err := h.Fleet.AddCluster(ctx, &musterv1.AddClusterRequest{Name: "lion"})
			must(t, err)
			_, err = h.Fleet.AddPartition(ctx, &musterv1.AddPartitionRequest{Cluster: "lion", Gpu: "h200"})
			must(t, err)
		}
		_, err := h.Fleet.AddIslands(ctx, &musterv1.AddIslandsRequest{Partition: c.cluster + "/h200", Islands: []*musterv1.NewIsland{{Name: "far", Names: []string{c.node}}}})
		must(t, err)
	}
	one, err := h.Capacity.Nodes(ctx, &musterv1.NodesRequest{Names: []string{"n2"}})
	must(t, err)
	equal(t, "nodes called n2", len(one.GetNodes()), 1)
	both, err := h.Capacity.Nodes(ctx, &musterv1.NodesRequest{Names: []string{"n1"}})
	must(t, err)
	equal(t, "nodes called n1", len(both.GetNodes()), 2)
	health, err := h.Health.NodeHealth(ctx, &musterv1.NodeHealthRequest{Node: "n2"})
	must(t, err)
	equal(t, "whose health it is", health.GetNode().GetNode(), "n2@tiger")
	if _, err := h.Health.NodeHealth(ctx, &musterv1.NodeHealthRequest{Node: "n1"}); err == nil || !strings.Contains(err.Error(), "n1@lion or n1@tiger") {
		t.Errorf("the health of a node of two clusters: %v", err)
	}
	if _, err := h.Health.ListSignals(ctx, &musterv1.ListSignalsRequest{Node: "n2"}); err != nil {
		t.Error(err)
	}
	if _, err := h.Capacity.Nodes(ctx, &musterv1.NodesRequest{Names: []string{"n3"}}); err == nil {
		t.Error("a node that nobody has is found")
	}
}
