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
