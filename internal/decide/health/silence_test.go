package health

import (
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// One node is counted as one.
func TestSilenceCountsItsNodes(t *testing.T) {
	for want, nodes := range map[string][]string{"its 1 node from": {"a"}, "its 2 nodes from": {"a", "b"}} {
		if got := silence(&fleet.State{}, &fleet.Partition{Cluster: "tiger"}, &fleet.Failure{Nodes: nodes}); !strings.Contains(got, want) {
			t.Errorf("it says %q, and not %q", got, want)
		}
	}
}
