package maintenance_test

import (
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A visit brings what stands: an update that was withdrawn, or is known no more, is left out.
func TestAWithdrawnUpdateIsBroughtNoMore(t *testing.T) {
	s := fleet.NewState()
	for _, c := range []core.Command{
		core.AddUpdate{Update: fleet.NodeUpdate{Name: "driver", Component: fleet.Component{Name: "driver", Version: "2"}, Impact: fleet.ImpactRestart, Lasts: time.Hour}},
		core.AddUpdate{Update: fleet.NodeUpdate{Name: "agent", Component: fleet.Component{Name: "agent", Version: "7"}, Impact: fleet.ImpactNone, Lasts: time.Minute}},
		core.WithdrawUpdate{Name: "driver"},
	} {
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System, Reason: "test"}, fleet.Instant(time.Hour)); refusal != nil {
			t.Fatal(refusal)
		}
	}
	b := maintenance.BundleFor(s.Kept(), []string{"driver", "forgotten", "agent"}, "g")
	if !slices.Equal(b.Updates, []string{"agent"}) || b.Lasts != time.Minute || b.Impact != fleet.ImpactNone {
		t.Errorf("the visit brings %v, takes %s, impact %s", b.Updates, b.Lasts, b.Impact)
	}
}
