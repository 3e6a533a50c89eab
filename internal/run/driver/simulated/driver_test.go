package simulated

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/driver/drivertest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

const grace = 30 * time.Second

// at is a moment of a story that begins at 2025-01-01.
func at(d time.Duration) fleet.Instant {
	return fleet.InstantOf(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)).Add(d)
}

func gangOf(id uint64, replicas int, checkpoint time.Duration) driver.Job {
	return driver.Job{
		ID: id, Namespace: "oak", Name: fmt.Sprintf("job-%d", id), CheckpointEvery: checkpoint,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: replicas, Max: replicas, Reach: fleet.ReachIsland}},
	}
}

func nodes(n ...int) []fleet.Spot { return []fleet.Spot{{Pool: 0, Nodes: n}} }

// said lists reports as lines: when, what.
func said(reports []driver.Report) []string {
	lines := []string{}
	for _, r := range reports {
		when := r.At.Sub(at(0)).String()
		switch {
		case r.Stopped != nil:
			lines = append(lines, fmt.Sprintf("%s stopped %d %v", when, r.Stopped.ID, r.Stopped.Spots))
		case r.Finished != nil:
			lines = append(lines, fmt.Sprintf("%s finished %d", when, r.Finished.ID))
		case r.Nodes != nil:
			lines = append(lines, fmt.Sprintf("%s %v %s", when, r.Nodes.Names, r.Nodes.State))
		}
	}
	return lines
}

func expectSaid(t *testing.T, d *Driver, until time.Duration, want ...string) {
	t.Helper()
	got := said(d.Take(at(until)))
	if len(got) != len(want) || (len(got) > 0 && !reflect.DeepEqual(got, want)) {
		t.Fatalf("until %s it said\n  %s\nwant\n  %s", until, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestItIsADriver(t *testing.T) {
	for name, o := range map[string]Options{"at once": {}, "whole grace": {WholeGrace: true}, "with delays": {Seed: 7, Delays: RealisticDelays()}} {
		t.Run(name, func(t *testing.T) {
			drivertest.Run(t, func(*testing.T) drivertest.Cluster { return New(o) })
		})
	}
}

func TestAWorkloadEndsAfterItsRuntime(t *testing.T) {
	d := New(Options{})
	d.Expect("oak", "job-1", time.Hour)
	d.Run(at(time.Minute), gangOf(1, 2, 0), nodes(3, 4), false)
	if want := at(61 * time.Minute); d.Due() != want {
		t.Fatalf("due %v, want %v", d.Due().Time(), want.Time())
	}
	expectSaid(t, d, 61*time.Minute-1)
	expectSaid(t, d, 61*time.Minute, "1h1m0s finished 1")
	if d.Due() != fleet.Never {
		t.Errorf("something is due after the end: %v", d.Due().Time())
	}
}

func TestAWorkloadOfUnknownRuntimeRunsUntilItIsGone(t *testing.T) {
	d := New(Options{})
	d.Run(at(0), gangOf(1, 1, 0), nodes(3), false)
	expectSaid(t, d, 1000*time.Hour)
	d.Delete(at(0), 1)
	if len(d.jobs) != 0 {
		t.Errorf("%d jobs are remembered after the last is gone", len(d.jobs))
	}
}

func TestAGangMakesProgressOnlyWhole(t *testing.T) {
	d := New(Options{})
	d.Expect("oak", "job-1", time.Hour)
	d.Run(at(0), gangOf(1, 2, 0), nodes(3), false)
	d.Run(at(time.Hour), gangOf(1, 2, 0), nodes(4), false)
	expectSaid(t, d, 3*time.Hour, "2h0m0s finished 1")
}

func TestAVictimLeavesAtOnceOrUsesItsWholeGrace(t *testing.T) {
	for whole, want := range map[bool]string{false: "1m0s stopped 1 [{0 [3 4]}]", true: "1m30s stopped 1 [{0 [3 4]}]"} {
		d := New(Options{WholeGrace: whole})
		d.Run(at(0), gangOf(1, 2, 0), nodes(3, 4), false)
		d.Stop(at(time.Minute), 1, nodes(3, 4), at(time.Minute+grace))
		expectSaid(t, d, time.Hour, want)
	}
}

func TestAnEvictionKeepsWhatWasSaved(t *testing.T) {
	cases := []struct {
		name       string
		checkpoint time.Duration
		end        string // 25 minutes of one hour were done, the rest starts at 1h
	}{
		{"without checkpoints nothing", 0, "2h0m0s finished 1"},
		{"with one every 10 minutes 20 of them", 10 * time.Minute, "1h40m0s finished 1"},
		{"with one every hour nothing", time.Hour, "2h0m0s finished 1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := New(Options{})
			d.Expect("oak", "job-1", time.Hour)
			d.Run(at(0), gangOf(1, 1, c.checkpoint), nodes(3), false)
			d.Stop(at(25*time.Minute), 1, nodes(3), at(26*time.Minute))
			expectSaid(t, d, 30*time.Minute, "25m0s stopped 1 [{0 [3]}]")
			d.Run(at(time.Hour), gangOf(1, 1, c.checkpoint), nodes(5), false)
			expectSaid(t, d, 5*time.Hour, c.end)
		})
	}
}

func TestAMendedGangResumesFromItsLastCheckpoint(t *testing.T) {
	d := New(Options{})
	d.Expect("oak", "job-1", time.Hour)
	job := gangOf(1, 2, 10*time.Minute)
	d.Run(at(0), job, nodes(3, 4), false)
	d.Forget(at(25*time.Minute), 1, nodes(4))
	d.Run(at(25*time.Minute), job, nodes(5), true)
	expectSaid(t, d, 5*time.Hour, "1h5m0s finished 1")
}

func TestAnElasticPoolRunsOnWithWhatItHas(t *testing.T) {
	d := New(Options{})
	d.Expect("oak", "job-1", time.Hour)
	job := driver.Job{ID: 1, Namespace: "oak", Name: "job-1", Pools: []fleet.Pool{
		{Name: "g", GPUs: 1, Min: 2, Max: 4, Elastic: true},
		{Name: "late", GPUs: 8, Min: 1, Max: 1, Rank: 1},
	}}
	d.Run(at(0), job, nodes(3, 3, 3), false)
	d.Stop(at(10*time.Minute), 1, nodes(3), at(11*time.Minute)) // gives back its surplus
	expectSaid(t, d, 11*time.Minute, "10m0s stopped 1 [{0 [3]}]")
	d.Forget(at(20*time.Minute), 1, nodes(3)) // one below min: slower, not stopped
	expectSaid(t, d, 5*time.Hour, "1h0m0s finished 1")
}

func TestAStopOfWhatIsNotThereIsReportedAtOnce(t *testing.T) {
	d := New(Options{WholeGrace: true})
	d.Stop(at(0), 7, nodes(3), at(grace))
	expectSaid(t, d, time.Hour, "0s stopped 7 [{0 [3]}]")
}

func TestAnEndThatWasReportedStands(t *testing.T) {
	d := New(Options{})
	d.Expect("oak", "job-1", time.Hour)
	d.Run(at(0), gangOf(1, 1, 0), nodes(3), false)
	expectSaid(t, d, time.Hour, "1h0m0s finished 1")
	d.Stop(at(time.Hour), 1, nodes(3), at(time.Hour)) // decided before the report was heard
	expectSaid(t, d, 2*time.Hour)
}

func TestAnEndThatWasNotHeardIsReportedAgain(t *testing.T) {
	d := New(Options{})
	d.Expect("oak", "job-1", time.Hour)
	d.Run(at(0), gangOf(1, 1, 0), nodes(3), false)
	expectSaid(t, d, time.Hour, "1h0m0s finished 1")
	d.Forget(at(time.Hour), 1, nodes(3)) // its node went down before the report was heard
	d.Run(at(2*time.Hour), gangOf(1, 1, 0), nodes(4), false)
	expectSaid(t, d, 3*time.Hour, "2h0m0s finished 1")
}

func TestReportsOfOneMomentComeInOrderOfID(t *testing.T) {
	d := New(Options{WholeGrace: true})
	for _, id := range []uint64{3, 1, 2} {
		d.Run(at(0), gangOf(id, 1, 0), nodes(int(id)), false)
	}
	for _, id := range []uint64{2, 3, 1} {
		d.Stop(at(0), id, nodes(int(id)), at(grace))
	}
	expectSaid(t, d, time.Hour, "30s stopped 1 [{0 [1]}]", "30s stopped 2 [{0 [2]}]", "30s stopped 3 [{0 [3]}]")
}

func TestDelaysComeFromTheSeedAlone(t *testing.T) {
	story := func(seed uint64) []string {
		d := New(Options{Seed: seed, Delays: RealisticDelays()})
		for id := uint64(1); id <= 20; id++ {
			d.Expect("oak", fmt.Sprintf("job-%d", id), time.Hour)
			d.Run(at(0), gangOf(id, 2, 0), nodes(3, 4), false)
			if id%2 == 0 {
				d.Stop(at(time.Minute), id, nodes(3, 4), at(time.Minute+grace))
			}
		}
		return said(d.Take(at(10 * time.Hour)))
	}
	if a, b := story(1), story(1); !reflect.DeepEqual(a, b) {
		t.Errorf("one seed, two stories:\n%v\n%v", a, b)
	}
	if a, b := story(1), story(2); reflect.DeepEqual(a, b) {
		t.Errorf("two seeds, one story:\n%v", a)
	}
}

func TestStartsTakeAsLongAsSaid(t *testing.T) {
	const jobs = 4000
	d := New(Options{Seed: 7, Delays: RealisticDelays()})
	d.options.Runtime = func(driver.Job) (time.Duration, bool) { return 0, true }
	for id := uint64(1); id <= jobs; id++ {
		d.Run(at(0), gangOf(id, 1, 0), nodes(3), false)
	}
	reports := d.Take(at(24 * time.Hour)) // in order of time
	median, p99 := reports[jobs/2].At.Sub(at(0)), reports[jobs*99/100].At.Sub(at(0))
	if median < 37*time.Second || median > 43*time.Second || p99 < 4*time.Minute || p99 > 6*time.Minute {
		t.Errorf("median %v and p99 %v, want about 40 s and 5 min", median, p99)
	}
}

func TestNoVictimOutstaysItsGrace(t *testing.T) {
	d := New(Options{Seed: 7, Delays: RealisticDelays()})
	for id := uint64(1); id <= 1000; id++ {
		d.Run(at(0), gangOf(id, 1, 0), nodes(3), false)
		d.Stop(at(0), id, nodes(3), at(grace))
	}
	reports := d.Take(at(grace))
	if len(reports) != 1000 {
		t.Fatalf("%d of 1000 have left when their grace ends", len(reports))
	}
	if first := reports[0].At; first == at(grace) {
		t.Errorf("every victim used its whole grace")
	}
}
