package whatif_test

import (
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A node that is broken does not get well because a person says so: it comes back
// with a validation that holds what its signals ask for.
func TestABrokenNodeComesBackByAValidation(t *testing.T) {
	st := tell(t, map[string]int{"u": 64})
	policy := *st.s.HealthPolicy()
	policy.Rules = []fleet.HealthRule{{Name: "GPU lost", Codes: []string{"79"}, Then: fleet.Quarantined, Needs: []string{"dcgm-r3"}}}
	st.must(core.SetHealthPolicy{Policy: policy},
		core.SetNodes{Names: []string{"c-g-i1-001"}, State: fleet.Quarantined, Signal: "fans loud"},
		core.TakeSignals{Signals: []fleet.Signal{{
			ID: "1", Node: "c-g-i1-001", Agent: "dcgm", Check: "XIDErrors", Codes: []string{"79"}, Fatal: true, At: st.now,
		}}})
	st.nodes("wide", "flex", 8, 0)
	c, ok := st.changes("wide")[whatif.Nodes]
	if !ok {
		t.Fatalf("no help by nodes; want a validation of c-g-i1-001")
	}
	v, ok := c.Commands[0].(core.RecordValidation)
	if !ok || !v.Passed || !slices.Equal(v.Checks, []string{"dcgm-r3"}) {
		t.Fatalf("what helps is %#v, want a passed validation with dcgm-r3", c.Commands[0])
	}
	st.must(c.Commands...)
	if w := st.s.Workload("oak", "wide"); w.State != fleet.RunningW && w.State != fleet.Starting {
		t.Errorf("done, and wide is %s", w.State)
	}
}

// No work inside a quota is ended so that flex may start: it is a help only where
// its end is known.
func TestFlexHopesForTheEndOfInQuotaWorkOnlyWhereItIsKnown(t *testing.T) {
	st := tell(t, map[string]int{"u": 64})
	st.nodes("train", "u", 6, 0)
	st.nodes("wide", "flex", 4, 0)
	if c, ok := st.changes("wide")[whatif.Ends]; ok {
		t.Errorf("what helps is that %v end; nobody ends in-quota work for flex", c.Names)
	}
	st = tell(t, map[string]int{"u": 64})
	st.nodes("train", "u", 6, 2*time.Hour)
	st.nodes("wide", "flex", 4, 0)
	if c, ok := st.changes("wide")[whatif.Ends]; !ok || c.By == 0 {
		t.Errorf("the end that train declared is no help: %+v", c)
	}
}
