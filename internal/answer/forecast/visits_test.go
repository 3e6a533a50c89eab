package forecast_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/forecast"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// announce announces a maintenance of the provider on a node.
func (st story) announce(moment time.Duration, name, node string, starts, lasts time.Duration) {
	st.t.Helper()
	st.do(moment, core.AddNotice{Name: name, Nodes: []string{node}, Starts: at(starts), Lasts: lasts, Impact: fleet.ImpactRestart, Provider: true})
}

func (st story) node(i int) string { return st.s.Partition("t/g").Nodes[i].Name }

// Work that waits for a node under maintenance starts when its visit should be over.
func TestAVisitUnderWayEndsAtAKnownMoment(t *testing.T) {
	st := tell(t, 1)
	st.announce(0, "host", st.node(0), time.Minute, 2*time.Hour)
	st.do(time.Minute, core.Tick{})
	w := st.submit(10*time.Minute, "a", "q", 1, time.Hour)
	a := st.when(10*time.Minute, w)
	starts(t, a, time.Minute+2*time.Hour)
	if len(a.RestsOn) == 0 || a.RestsOn[0].Kind != forecast.Visited || a.RestsOn[0].Name != st.node(0) {
		t.Errorf("it rests on %+v", a.RestsOn)
	}
}

// A node that a maintenance is about to take serves no quota before, and does when it is over.
func TestAnAnnouncedMaintenanceIsWaitedFor(t *testing.T) {
	st := tell(t, 1)
	st.announce(0, "host", st.node(0), 3*time.Hour, 2*time.Hour)
	w := st.submit(time.Minute, "a", "q", 1, time.Hour)
	starts(t, st.when(time.Minute, w), 5*time.Hour)
}

// When a visit ends that takes longer than it was said to cannot be known.
func TestAVisitThatOverrunsIsNamed(t *testing.T) {
	st := tell(t, 1)
	st.announce(0, "host", st.node(0), time.Minute, time.Hour)
	st.do(time.Minute, core.Tick{})
	w := st.submit(3*time.Hour, "a", "q", 1, time.Hour)
	unknown(t, st.when(3*time.Hour, w), forecast.NoRepairTime, st.node(0))
}
