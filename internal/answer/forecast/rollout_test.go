package forecast_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/forecast"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// rolling is a fleet of six nodes, two of them promised, with a rollout that visits one node at a time for an hour each, after a
// canary that soaks for an hour.
func rolling(t *testing.T, before ...core.Command) story {
	st := tell(t, 6)
	st.do(0, core.SetGrant{Quota: "q", Partition: "t/g", GPUs: 16})
	st.do(0, before...)
	st.do(0, core.AddUpdate{Update: fleet.NodeUpdate{
		Name: "driver", Component: fleet.Component{Name: "gpu-driver", Version: "580"}, Impact: fleet.ImpactRestart, Lasts: time.Hour,
	}}, core.StartRollout{Name: "r", Plan: fleet.RolloutPlan{
		Scope: "t", Updates: []string{"driver"}, Canary: fleet.CanaryRule{Nodes: 1, Soak: time.Hour}, Waves: []fleet.Permille{1000},
		Limits: fleet.VisitLimit{PerIsland: 1, PerPartition: 1, Failures: -1},
	}})
	return st
}

func (st story) end() forecast.End { return forecast.EndOf(st.s, "r", at(0), forecast.Options{}) }

// endsAt asks that a rollout ends at a moment for certain.
func endsAt(t *testing.T, e forecast.End, when time.Duration) {
	t.Helper()
	if !e.Known || e.P50 != at(when) || e.P90 != at(when) {
		t.Errorf("it ends at %s and %s (known: %v %s), want %s", e.P50.Sub(at(0)), e.P90.Sub(at(0)), e.Known, e.Unknown, when)
	}
}

// soonerBy asks that a change is told with which a rollout ends at a moment.
func soonerBy(t *testing.T, e forecast.End, change string, when time.Duration) {
	t.Helper()
	for _, c := range e.Sooner {
		if strings.Contains(c.Change, change) {
			if c.P50 != at(when) {
				t.Errorf("with %q it ends at %s, want %s", c.Change, c.P50.Sub(at(0)), when)
			}
			return
		}
	}
	t.Errorf("%q is not told: %+v", change, e.Sooner)
}

// The canary and its soak take two hours, and the other five nodes an hour each; two at a time take three.
func TestARolloutEndsWhenItsVisitsAreOver(t *testing.T) {
	st := rolling(t)
	before := st.s.Hash()
	e := st.end()
	endsAt(t, e, 7*time.Hour)
	soonerBy(t, e, "twice as many", 5*time.Hour)
	if st.s.Hash() != before {
		t.Error("asking changed the fleet")
	}
}

// One node is visited before the zone, and four after it.
func TestAZonePutsTheEndOff(t *testing.T) {
	st := rolling(t, core.AddZone{Zone: fleet.Zone{
		Name: "launch", Scope: "t", Spans: []fleet.Span{{From: at(3 * time.Hour), To: at(10 * time.Hour)}},
		ZoneRecord: fleet.ZoneRecord{Reason: "launch", Owner: "ada", Link: "https://example.com"},
	}})
	e := st.end()
	endsAt(t, e, 14*time.Hour)
	soonerBy(t, e, "zone launch ends", 7*time.Hour)
}

// Work that says when it ends is waited for. Of work that does not, only its owner's agreement helps.
func TestWorkPutsTheEndOff(t *testing.T) {
	declared := rolling(t)
	declared.submit(0, "known", "q", 1, 20*time.Hour)
	endsAt(t, declared.end(), 21*time.Hour)

	st := rolling(t)
	st.submit(0, "endless", "q", 1, 0)
	e := st.end()
	if e.Known || !strings.Contains(e.Unknown, "for 1 node with work that has no known end (InUse)") {
		t.Errorf("the end is known: %v, or not for this: %q", e.Known, e.Unknown)
	}
	soonerBy(t, e, "1 workload on its nodes agree", 7*time.Hour+30*time.Second) // it has its grace
}

// Where visits were measured to differ, the end does.
func TestMeasuredVisitsSpreadTheEnd(t *testing.T) {
	st := rolling(t)
	l := fleet.Length{GPU: "g", Component: "gpu-driver", P50: 5 * time.Hour, P90: 9 * time.Hour}
	for i := range 10 {
		l.Took = append(l.Took, time.Duration(i+1)*time.Hour)
	}
	st.s.Maintained.Measured.Lengths = []fleet.Length{l}
	e := st.end()
	if !e.Known || e.P50 >= e.P90 || e.P50 < at(12*time.Hour) {
		t.Errorf("the end is %s and %s (known: %v)", e.P50.Sub(at(0)), e.P90.Sub(at(0)), e.Known)
	}
}

// A question that may take no step says so, and a rollout that was paused does not end.
func TestAnEndThatIsNotKnownSaysWhy(t *testing.T) {
	st := rolling(t)
	if e := forecast.EndOf(st.s, "r", at(0), forecast.Options{Steps: 1}); e.Known || !strings.Contains(e.Unknown, "too many visits") {
		t.Errorf("known: %v, because %q", e.Known, e.Unknown)
	}
	st.do(0, core.MoveRollout{Name: "r", State: fleet.RolloutPaused})
	if e := st.end(); e.Known || e.Unknown != "it does not run" {
		t.Errorf("known: %v, because %q", e.Known, e.Unknown)
	}
}
