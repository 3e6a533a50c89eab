package promise

import (
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// An announced maintenance takes whole nodes from the promise while it is to come, if it disturbs work
// there and lasts for longer than the horizon.
func TestOnlyLongMaintenancesThatDisturbTakeNodes(t *testing.T) {
	s := fleet.NewState()
	s.AddCluster(fleet.Cluster{Name: "t"})
	s.AddPartition("t", "g", 8)
	p := s.Partition("t/g")
	p.AddIsland("a", 1)
	for _, name := range []string{"a1", "a2", "a3"} {
		p.AddNode(name, 0, 0, 1)
	}
	long := s.Policy.Maintenance.OrDefault().Horizon + time.Hour
	for what, c := range map[string]struct {
		notice fleet.Notice
		gone   []int
	}{
		"of two nodes":            {fleet.Notice{Impact: fleet.ImpactRestart, Lasts: long}, []int{2}},
		"of which one is over":    {fleet.Notice{Impact: fleet.ImpactRestart, Lasts: long, Over: []string{"a1"}}, []int{1}},
		"that disturbs nothing":   {fleet.Notice{Impact: fleet.ImpactNone, Lasts: long}, nil},
		"that has ended":          {fleet.Notice{Impact: fleet.ImpactRestart, Lasts: long, Ended: 5}, nil},
		"as short as the horizon": {fleet.Notice{Impact: fleet.ImpactRestart, Lasts: long - time.Hour}, nil},
	} {
		c.notice.Nodes = []string{"a1", "a2"}
		s.Maintained = &fleet.Maintained{Notices: []*fleet.Notice{&c.notice}}
		if gone := goneLong(s, p); !slices.Equal(gone, c.gone) {
			t.Errorf("a maintenance %s takes %v, want %v", what, gone, c.gone)
		}
	}
}
