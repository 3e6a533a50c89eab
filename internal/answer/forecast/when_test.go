package forecast_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/forecast"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func TestTheHeadStartsWhenItsOnlyBlockerMustHaveEnded(t *testing.T) {
	st := tell(t, 4)
	st.submit(0, "first", "q", 3, 4*time.Hour)
	head := st.submit(time.Minute, "head", "q", 4, time.Hour)
	a := st.when(5*time.Minute, head)
	starts(t, a, 4*time.Hour)
	want := forecast.Ground{Kind: forecast.RunTime, Name: "n/first", GPUs: 24, At: at(4 * time.Hour), By: at(4 * time.Hour)}
	if len(a.RestsOn) != 1 || a.RestsOn[0] != want {
		t.Errorf("it rests on %+v; want %+v", a.RestsOn, want)
	}
	if a.Latest != at(4*time.Hour) {
		t.Errorf("latest %s, want 4h", a.Latest.Sub(at(0)))
	}
}

func TestWhoStatesNoMaximumIsNamed(t *testing.T) {
	st := tell(t, 4)
	st.submit(0, "known", "q", 1, time.Hour)
	st.submit(0, "open", "q", 2, 0)
	head := st.submit(time.Minute, "head", "q", 4, time.Hour)
	unknown(t, st.when(5*time.Minute, head), forecast.NoMaximum, "n/open")
}

func TestWhoOutranItsMaximumIsNamed(t *testing.T) {
	st := tell(t, 2)
	st.submit(0, "late", "q", 2, time.Hour)
	head := st.submit(time.Minute, "head", fleet.Flex, 2, time.Hour)
	unknown(t, st.when(3*time.Hour, head), forecast.Overran, "n/late")
}

func TestTheQueueAheadCounts(t *testing.T) {
	st := tell(t, 2)
	st.submit(0, "a", "q", 2, time.Hour)
	st.submit(time.Minute, "b", "q", 2, 2*time.Hour)
	last := st.submit(2*time.Minute, "c", "q", 2, time.Hour)
	a := st.when(10*time.Minute, last)
	starts(t, a, 3*time.Hour)
	if len(a.RestsOn) != 2 || a.RestsOn[0].Kind != forecast.Queued || a.RestsOn[1].Kind != forecast.RunTime {
		t.Errorf("it rests on %+v; want b, which is queued, and then a, which runs", a.RestsOn)
	}
}

func TestANodeOutOfServiceIsNamed(t *testing.T) {
	st := tell(t, 2)
	st.do(0, core.SetNodes{Names: []string{"t-g-i-002"}, State: fleet.Repairing, Signal: "xid 79"})
	w := st.submit(time.Minute, "w", "q", 2, time.Hour)
	unknown(t, st.when(time.Hour, w), forecast.NoRepairTime, "t-g-i-002")
}

func TestProbationEndsAtAKnownMoment(t *testing.T) {
	st := tell(t, 2)
	st.do(0, core.SetNodes{Names: []string{"t-g-i-002"}, State: fleet.Probation, Signal: "passed"})
	w := st.submit(time.Minute, "w", "q", 2, time.Hour)
	a := st.when(time.Hour, w)
	starts(t, a, 24*time.Hour)
}

func TestWhatNothingWillHelpIsNotKnown(t *testing.T) {
	st := tell(t, 2)
	w := st.submit(0, "w", "q", 3, time.Hour)
	unknown(t, st.when(time.Hour, w), forecast.NothingAhead, "")
}

func TestAStaleClusterIsNotReady(t *testing.T) {
	st := tell(t, 2)
	st.submit(0, "a", "q", 2, time.Hour)
	w := st.submit(0, "b", "q", 2, time.Hour)
	st.do(time.Minute, core.StopReports{Cluster: "t"})
	unknown(t, st.when(time.Hour, w), forecast.NotReady, "t")
}

func TestExperienceShortensTheForecast(t *testing.T) {
	st := tell(t, 1)
	for i := range 40 {
		st.submit(time.Duration(i)*time.Hour, "short", "q", 1, time.Hour)
		st.finish(time.Duration(i)*time.Hour+30*time.Minute, "short")
	}
	st.submit(40*time.Hour, "first", "q", 1, 10*time.Hour)
	w := st.submit(40*time.Hour, "w", "q", 1, time.Hour)
	a := st.when(40*time.Hour, w)
	if a.P50 != at(45*time.Hour) || a.P90 != at(50*time.Hour) || a.Latest != at(50*time.Hour) {
		t.Errorf("p50 %s, p90 %s, latest %s; 40 of 40 used half, so the half and, with the doubt that is left, all of 10h",
			a.P50.Sub(at(0)), a.P90.Sub(at(0)), a.Latest.Sub(at(0)))
	}
}

func TestASearchThatStopsEarlyDoesNotKnow(t *testing.T) {
	st := tell(t, 1)
	for _, name := range []string{"a", "b", "c", "d"} {
		st.submit(0, name, "q", 1, time.Hour)
	}
	a := forecast.When(st.s, st.s.Workload("n", "d"), at(time.Minute), forecast.Options{Paths: 3, Steps: 6})
	unknown(t, a, forecast.TooFar, "")
	if a.Came.Played != 0 || a.Came.Of != 3 || a.Came.Until <= at(time.Minute) || a.Came.Until > at(4*time.Hour) {
		t.Errorf("it came %+v; want none of 3 paths to their ends, and the others somewhere before d starts", a.Came)
	}
}

func TestASearchThatIsStoppedDoesNotKnow(t *testing.T) {
	st := tell(t, 1)
	st.submit(0, "a", "q", 1, time.Hour)
	b := st.submit(0, "b", "q", 1, time.Hour)
	asked := 0
	stop := func() bool { asked++; return asked > 1 }
	a := forecast.When(st.s, b, at(0), forecast.Options{Stop: stop})
	unknown(t, a, forecast.TooFar, "")
}

func TestTheEndOfARestIsNamed(t *testing.T) {
	st := tell(t, 1)
	probe := st.submit(0, "probe", fleet.Flex, 1, 5*time.Hour)
	for i, owner := range []string{"one", "two", "three"} {
		begins := time.Duration(10+15*i) * time.Minute
		st.submit(begins, owner, "q", 1, time.Hour)
		st.do(begins+time.Minute, core.ReportStopped{ID: probe.ID, Spots: probe.Spots(func(fleet.Replica) bool { return true })})
		st.finish(begins+5*time.Minute, owner)
	}
	a := st.when(46*time.Minute, probe)
	starts(t, a, 70*time.Minute)
	want := forecast.Ground{Kind: forecast.Rest, Name: "n/probe", At: at(70 * time.Minute)}
	if len(a.RestsOn) != 1 || a.RestsOn[0] != want {
		t.Errorf("it rests on %+v; want %+v", a.RestsOn, want)
	}
}
