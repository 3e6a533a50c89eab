package simulated

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func TestAClusterThatLivedOnGoesOnAsItWas(t *testing.T) {
	d := New(Options{WholeGrace: true})
	d.Expect("oak", "job-1", time.Hour)
	one, two := gangOf(1, 2, 0), gangOf(2, 1, 0)
	d.Run(at(0), one, nodes(3, 4), false)
	d.Run(at(0), two, nodes(5), false)
	d.Stop(at(time.Minute), 2, nodes(5), at(2*time.Minute))
	d.Resync(at(90*time.Second), []driver.Standing{
		{Job: one, Started: at(0), Running: nodes(3, 4)},
		{Job: two, Started: at(0), Leaving: nodes(5), Until: at(2 * time.Minute)},
	})
	expectSaid(t, d, 2*time.Hour, "2m0s stopped 2 [{0 [5]}]", "1h0m0s finished 1")
}

func TestAClusterHearsWhatItMissed(t *testing.T) {
	d := New(Options{WholeGrace: true})
	running, victim, over := gangOf(1, 1, 0), gangOf(2, 1, 0), gangOf(3, 1, 0)
	d.Expect("oak", "job-1", time.Hour)
	d.Run(at(0), victim, nodes(5), false)
	d.Run(at(0), over, nodes(6), false)
	d.Resync(at(time.Minute), []driver.Standing{
		{Job: running, Started: at(time.Minute), Running: nodes(4)},
		{Job: victim, Started: at(0), Leaving: nodes(5), Until: at(2 * time.Minute)},
	})
	expectSaid(t, d, 2*time.Hour, "2m0s stopped 2 [{0 [5]}]", "1h1m0s finished 1")
	if j := d.jobs[3]; len(j.staying) != 0 {
		t.Errorf("what Muster does not mention still runs: %v", j.staying)
	}
}

func TestReportsThatMusterDidNotKeepAreSaidAgain(t *testing.T) {
	d := New(Options{})
	ended, left := gangOf(1, 1, 0), gangOf(2, 1, 0)
	d.Expect("oak", "job-1", time.Hour)
	d.Run(at(0), ended, nodes(3), false)
	d.Run(at(0), left, nodes(4), false)
	d.Stop(at(time.Hour), 2, nodes(4), at(time.Hour+grace))
	expectSaid(t, d, time.Hour, "1h0m0s finished 1", "1h0m0s stopped 2 [{0 [4]}]")
	d.Resync(at(2*time.Hour), []driver.Standing{
		{Job: ended, Started: at(0), Running: nodes(3)},
		{Job: left, Started: at(0), Leaving: nodes(4), Until: at(time.Hour + grace)},
	})
	expectSaid(t, d, 3*time.Hour, "2h0m0s finished 1", "2h0m0s stopped 2 [{0 [4]}]")
}

func TestWhatWasCancelledAfterAnEndThatNobodyHeardIsSaidToBeGone(t *testing.T) {
	d := New(Options{})
	job := gangOf(1, 1, 0)
	d.Expect("oak", "job-1", time.Hour)
	d.Run(at(0), job, nodes(3), false)
	expectSaid(t, d, time.Hour, "1h0m0s finished 1") // lost on its way
	d.Stop(at(2*time.Hour), 1, nodes(3), at(2*time.Hour+grace))
	d.Resync(at(3*time.Hour), []driver.Standing{{Job: job, Started: at(0), Leaving: nodes(3), Until: at(2*time.Hour + grace)}})
	expectSaid(t, d, 4*time.Hour, "3h0m0s finished 1", "3h0m0s stopped 1 [{0 [3]}]")
}

func TestWhatShouldLeaveAJobThatRunsOnAfterAnUnheardEndIsSaidToBeGone(t *testing.T) {
	d := New(Options{})
	job := gangOf(1, 1, 0)
	d.Expect("oak", "job-1", time.Hour)
	d.Run(at(0), job, nodes(3), false)
	expectSaid(t, d, time.Hour, "1h0m0s finished 1") // lost on its way
	d.Stop(at(2*time.Hour), 1, nodes(3), at(2*time.Hour+grace))
	d.Run(at(3*time.Hour), job, nodes(4), false)
	d.Resync(at(3*time.Hour), []driver.Standing{
		{Job: job, Started: at(0), Running: nodes(4), Leaving: nodes(3), Until: at(2*time.Hour + grace)},
	})
	expectSaid(t, d, 4*time.Hour, "3h0m0s finished 1", "3h0m0s stopped 1 [{0 [3]}]")
}

func TestWhatShouldRunIsNotTakenForWhatHasLeftBesideIt(t *testing.T) {
	d := New(Options{WholeGrace: true})
	job := gangOf(1, 2, 0)
	d.Expect("oak", "job-1", time.Hour)
	d.Run(at(0), job, nodes(3, 3), false)
	d.Stop(at(0), 1, nodes(3), at(grace))
	expectSaid(t, d, grace, "30s stopped 1 [{0 [3]}]") // lost on its way
	d.Resync(at(time.Minute), []driver.Standing{
		{Job: job, Started: at(0), Running: nodes(3), Leaving: nodes(3), Until: at(2 * time.Minute)},
	})
	expectSaid(t, d, time.Minute, "1m0s stopped 1 [{0 [3]}]")
	if n := d.jobs[1].staying.Of(0); n != 1 {
		t.Errorf("%d replicas run, want the one that has run all along", n)
	}
}

func TestAFreshClusterTakesMustersWordForIt(t *testing.T) {
	d := New(Options{WholeGrace: true, Runtime: func(driver.Job) (time.Duration, bool) { return time.Hour, true }})
	mending := gangOf(3, 2, 10*time.Minute)
	d.Resync(at(45*time.Minute), []driver.Standing{
		{Job: gangOf(1, 1, 0), Started: at(15 * time.Minute), Running: nodes(3)},
		{Job: gangOf(2, 1, 0), Started: at(0), Leaving: nodes(4), Until: at(46 * time.Minute)},
		{Job: mending, Started: at(0), Running: nodes(5)},
	})
	d.Run(at(50*time.Minute), mending, nodes(6), true)
	expectSaid(t, d, 5*time.Hour, "46m0s stopped 2 [{0 [4]}]", "1h10m0s finished 3", "1h15m0s finished 1")
}

// by are replicas on nodes that leave by an order.
func by(order uint64, n ...int) []fleet.Spot { return []fleet.Spot{{Pool: 0, Nodes: n, Order: order}} }

// TestAnOrderThatIsGivenAgainIsAnsweredAgain loses the report of an order. What
// runs where it was carried out, another replica of the same pool, is not taken for it.
func TestAnOrderThatIsGivenAgainIsAnsweredAgain(t *testing.T) {
	d := New(Options{WholeGrace: true})
	job := gangOf(1, 1, 0)
	job.Pools = []fleet.Pool{{Name: "w", GPUs: 1, Min: 1, Max: 8, Elastic: true}}
	d.Run(at(0), job, nodes(3, 3, 3), false)
	d.Stop(at(0), 1, by(7, 3), at(grace))
	expectSaid(t, d, time.Minute, "30s stopped 1 [{0 [3] by order 7}]") // lost on its way
	d.Stop(at(time.Minute), 1, by(9, 3), at(time.Hour))
	stands := driver.Standing{Job: job, Started: at(0), Running: nodes(3), Leaving: append(by(7, 3), by(9, 3)...), Until: at(time.Hour)}
	d.Restate(at(6*time.Minute), stands)
	expectSaid(t, d, 30*time.Minute, "6m0s stopped 1 [{0 [3] by order 7}]")
	if n := d.jobs[1].staying.Of(0); n != 1 {
		t.Errorf("%d replicas run, want one", n)
	}
	expectSaid(t, d, 2*time.Hour, "1h0m0s stopped 1 [{0 [3] by order 9}]")
}
