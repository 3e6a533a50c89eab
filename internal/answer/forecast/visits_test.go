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

// stopFor has work on one of four nodes stop after an hour for an announced maintenance of its node, as its owner agreed.
func (st story) stopFor() *fleet.Workload {
	st.t.Helper()
	st.do(0, core.SetGrant{Quota: "q", Partition: "t/g", GPUs: 2 * 8})
	w := st.submit(0, "a", "q", 1, 100*time.Hour)
	st.do(time.Minute, core.AddNotice{Name: "reboot", Nodes: []string{st.node(w.Replicas[0][0].Node)}, Starts: at(time.Hour), Lasts: 2 * time.Hour, Impact: fleet.ImpactRestart})
	st.do(2*time.Minute, core.AgreeToStop{Namespace: "n", Name: "a", At: at(time.Hour)})
	st.do(time.Hour, core.Tick{})
	if !w.Paused {
		st.t.Fatal("it has not stopped for the maintenance")
	}
	return w
}

func (st story) gone(moment time.Duration, w *fleet.Workload) {
	st.t.Helper()
	st.do(moment, core.ReportStopped{ID: w.ID, Spots: w.Spots(func(fleet.Replica) bool { return true })})
}

// Work that stopped for a maintenance, and finds other nodes about to be visited, too, starts when its visit should be over.
func TestWorkThatStoppedForAVisitStartsWhenItEnds(t *testing.T) {
	st := tell(t, 4)
	st.do(0, core.AddNotice{Name: "later", Nodes: []string{st.node(0), st.node(1), st.node(2), st.node(3)}, Starts: at(80 * time.Hour), Lasts: time.Hour, Impact: fleet.ImpactRestart})
	w := st.stopFor()
	st.gone(time.Hour+30*time.Second, w)
	a := st.when(2*time.Hour, w)
	starts(t, a, 3*time.Hour+30*time.Second)
	if len(a.RestsOn) == 0 || a.RestsOn[0].Kind != forecast.Visited {
		t.Errorf("it rests on %+v", a.RestsOn)
	}
}

// Its room is kept for it: other work of its namespace that comes meanwhile starts when it ends.
func TestWorkThatComesWhileOtherWorkIsStoppedStartsWhenThatEnds(t *testing.T) {
	st := tell(t, 4)
	w := st.stopFor()
	b := st.submit(time.Hour, "b", "q", 2, 20*time.Hour)
	st.gone(time.Hour+30*time.Second, w)
	if w.State != fleet.RunningW {
		t.Fatalf("what stopped is %v; two other nodes are free, and its quota is kept for it", w.State)
	}
	starts(t, st.when(2*time.Hour, b), 101*time.Hour+30*time.Second)
}
