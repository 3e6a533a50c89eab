package health_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A suspect returns five minutes after the last of what was wrong with it is over, as its rule says.
func TestASuspectStaysForAWhileAfterTheLastSignIsOver(t *testing.T) {
	w := newWorld(t, 4)
	say := func(well bool, checks ...string) {
		for _, check := range checks {
			w.do(core.TakeSignals{Signals: []fleet.Signal{{Agent: "dcgm", Component: "GPU", Check: check, Node: name(0), Well: well, At: w.at}}})
		}
	}
	at := func(minutes int, want fleet.NodeState) {
		t.Helper()
		w.pass(start.Add(time.Duration(minutes) * time.Minute))
		w.do(core.Tick{})
		if is := w.node(0).State; is != want {
			t.Errorf("after %d minutes it is %s, want %s", minutes, is, want)
		}
	}
	say(false, "VMEventScheduled", "XIDErrors")
	at(2, fleet.Suspect)
	say(true, "XIDErrors")
	at(4, fleet.Suspect)
	say(true, "VMEventScheduled") // is over two minutes after the other
	at(7, fleet.Suspect)
	at(8, fleet.Suspect)
	at(10, fleet.Healthy)
}
