package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/core"
	"github.com/muster-fleet/muster/internal/fleet"
)

func TestZZ(t *testing.T) {
	st := smallFleet(t, 4)
	show := func(out core.Outcome) {
		for _, e := range out.Record.Events {
			t.Logf("%s %+v", e.Kind(), e)
		}
		t.Log("--")
	}
	st.quota(0, "q", 1, 0)
	show(st.do(0, job("n", "w", fleet.Flex, fleet.Mid, elastic("p", 0, 8, 1, 2), pool("r", 1, 8, 2))))
	show(st.do(time.Minute, job("n", "x", "q", fleet.Mid, pool("w", 0, 8, 1))))
	w := st.workload("w")
	t.Log(w.State, w.Held)
	for _, r := range w.Held[0] {
		if r.Phase == fleet.Running {
			show(st.do(61*time.Second, core.SetNodes{Names: []string{st.partition().Nodes[r.Node].Name}, State: fleet.Quarantined}))
			break
		}
	}
	t.Log(w.State, w.Held)
	st.holds()
	st.idle(61 * time.Second)
}
