package api_test

import (
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// The history of a node names who drained it.
func TestANodesHistoryNamesWhoDrainedIt(t *testing.T) {
	h, ctx := furnished(t), t.Context()
	node := nodesOf(t, h)[0]
	for _, state := range []string{"maintenance", "healthy"} {
		_, err := h.Fleet.SetNodes(ctx, &musterv1.SetNodesRequest{Write: &musterv1.Write{Reason: "a look"}, Names: []string{node}, State: state})
		must(t, err)
	}
	health, err := h.Health.NodeHealth(ctx, &musterv1.NodeHealthRequest{Node: node})
	must(t, err)
	equal(t, "changes", len(health.GetChanges()), 2)
	drained, back := health.GetChanges()[0], health.GetChanges()[1]
	equal(t, "the drain", drained.GetTo(), "maintenance")
	equal(t, "who drained it", drained.GetBy(), back.GetBy())
}

// nodesOf are the names of the fleet's nodes.
func nodesOf(t *testing.T, h *house) []string {
	t.Helper()
	res, err := h.Capacity.Nodes(t.Context(), &musterv1.NodesRequest{})
	must(t, err)
	names := make([]string, 0, len(res.GetNodes()))
	for _, n := range res.GetNodes() {
		names = append(names, n.GetName())
	}
	return names
}
