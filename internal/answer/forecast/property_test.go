package forecast_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/forecast"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// fleets is how many random fleets each law is tried on.
const fleets = 16

// random is a fleet with a random history; what it draws depends on the seed alone.
func random(t *testing.T, seed uint64) (st story, now time.Duration) {
	r := rand.New(rand.NewPCG(seed, 0))
	st = tell(t, 2+r.IntN(5))
	st.do(0, core.CreateQuota{Path: "r"}, core.SetGrant{Quota: "q", Partition: "t/g", GPUs: 16}, core.SetGrant{Quota: "r", Partition: "t/g", GPUs: 8 * r.IntN(3), Overcommit: true})
	for i := range 12 + r.IntN(20) {
		now += time.Duration(r.IntN(40)) * time.Minute
		st.pass(now)
		target := []string{"q", "q", "r", fleet.Flex}[r.IntN(4)]
		most := time.Duration(1+r.IntN(20)) * 20 * time.Minute
		if r.IntN(8) == 0 {
			most = 0
		}
		st.submit(now, fmt.Sprint("w", i), target, 1+r.IntN(3), most)
		if w := st.s.Workload("n", fmt.Sprint("w", r.IntN(i+1))); r.IntN(3) == 0 && w.State == fleet.RunningW {
			st.finish(now, w.Name)
		}
		if r.IntN(12) == 0 {
			state := []fleet.NodeState{fleet.Repairing, fleet.Probation, fleet.Healthy}[r.IntN(3)]
			st.do(now, core.SetNodes{Names: []string{"t-g-i-001"}, State: state, Signal: "test"})
		}
	}
	return st, now + time.Minute
}

// pass lets time pass: victims use their whole grace, and what declared a
// maximum runs just as long.
func (st story) pass(until time.Duration) {
	st.t.Helper()
	for {
		due, do := st.next()
		if due > at(until) {
			return
		}
		if _, refusal := core.Step(st.s, core.Request{Command: do, Actor: core.System}, due); refusal != nil {
			st.t.Fatalf("%T refused: %v", do, refusal)
		}
	}
}

// next is what happens next by itself, found the slow and obvious way.
func (st story) next() (due fleet.Instant, do core.Command) {
	due, do = st.s.NextAlarm(), core.Tick{}
	var ids []uint64
	for id := range st.s.Workloads {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		w := st.s.Workloads[id]
		if end := w.Started.Add(w.MaxRuntime); w.State == fleet.RunningW && w.MaxRuntime > 0 && end <= due {
			if _, tick := do.(core.Tick); end < due || tick {
				due, do = end, core.ReportFinished{ID: id}
			}
		}
	}
	for _, id := range ids {
		w := st.s.Workloads[id]
		spots := w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })
		if _, leaves := do.(core.ReportStopped); len(spots) > 0 && (w.GraceEnds < due || w.GraceEnds == due && !leaves) {
			due, do = w.GraceEnds, core.ReportStopped{ID: id, Spots: spots}
		}
	}
	return max(due, st.s.Time), do
}

// few paths make as good a law, and a faster one.
var few = forecast.Options{Paths: 5}

func (st story) ask(moment time.Duration, w *fleet.Workload) forecast.Answer {
	return forecast.When(st.s, w, at(moment), few)
}

// eachWaiting tries a law on every waiting workload of random fleets.
func eachWaiting(t *testing.T, law func(t *testing.T, st story, w *fleet.Workload, now time.Duration)) {
	asked := 0
	for seed := range uint64(fleets) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			st, now := random(t, seed)
			st.pass(now)
			for _, w := range st.s.Workloads {
				if w.State == fleet.Pending || w.State == fleet.Starting {
					law(t, st, w, now)
					asked++
				}
			}
		})
	}
	if asked < fleets {
		t.Errorf("only %d workloads waited in %d fleets: the law was hardly tried", asked, fleets)
	}
}

func TestAForecastIsOrderedAndNeverLiesInThePast(t *testing.T) {
	known := 0
	eachWaiting(t, func(t *testing.T, st story, w *fleet.Workload, now time.Duration) {
		a := st.ask(now, w)
		switch {
		case a.Known && (a.P50 < at(now) || a.P90 < a.P50 || len(a.RestsOn) == 0 || len(a.Unknown) > 0):
			t.Errorf("%s at %s: %+v", w.Name, now, a)
		case !a.Known && (len(a.Unknown) == 0 || len(a.RestsOn) > 0 || a.P50 != 0 || a.P90 != 0):
			t.Errorf("%s at %s is not known, and yet: %+v", w.Name, now, a)
		case a.Known:
			known++
		}
	})
	if known < fleets/2 {
		t.Errorf("only %d forecasts were known", known)
	}
}

func TestTheSameQuestionGetsTheSameAnswerAndChangesNothing(t *testing.T) {
	eachWaiting(t, func(t *testing.T, st story, w *fleet.Workload, now time.Duration) {
		before := st.s.Hash()
		a, b := st.ask(now, w), st.ask(now, w)
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %+v and then %+v", w.Name, a, b)
		}
		if st.s.Hash() != before {
			t.Errorf("asking about %s changed the state", w.Name)
		}
	})
}

func TestAskingAboutAllSaysTheSameAsAskingAboutEach(t *testing.T) {
	eachWaiting(t, func(t *testing.T, st story, w *fleet.Workload, now time.Duration) {
		one := st.ask(now, w)
		for _, a := range forecast.All(st.s, at(now), few) {
			if a.Workload == w.ID && (a.Answer.Known != one.Known || a.Answer.P50 != one.P50 || a.Answer.P90 != one.P90) {
				t.Errorf("%s: alone %+v, among all %+v", w.Name, one, a.Answer)
			}
		}
	})
}

// What is foretold for the case that all of what was declared is used comes true
// in just that case.
func TestTheLatestStartComesTrueWhereEverythingRunsToItsMaximum(t *testing.T) {
	eachWaiting(t, func(t *testing.T, st story, w *fleet.Workload, now time.Duration) {
		a := st.ask(now, w)
		if a.Latest == 0 {
			return
		}
		world := story{t, st.s.Clone()}
		for same := world.s.Workloads[w.ID]; same.State != fleet.RunningW; {
			due, do := world.next()
			if due > a.Latest {
				t.Errorf("%s was to start at %s and has not (%s)", w.Name, a.Latest.Sub(at(0)), due.Sub(at(0)))
				return
			}
			core.Step(world.s, core.Request{Command: do, Actor: core.System}, due)
		}
		if world.s.Time != a.Latest {
			t.Errorf("%s was to start at %s and started at %s", w.Name, a.Latest.Sub(at(0)), world.s.Time.Sub(at(0)))
		}
	})
}
