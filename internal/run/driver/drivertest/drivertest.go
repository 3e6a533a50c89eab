package drivertest

import (
	"reflect"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Cluster is a driver with the cluster behind it. A case says what happens there, and how
// far time goes.
type Cluster interface {
	driver.Driver
	// Expect says, before a workload starts, how long it runs.
	Expect(namespace, name string, runtime time.Duration)
	// Take lets time pass up to a moment, and returns what is reported up to then.
	Take(now fleet.Instant) []driver.Report
}

// Run runs the whole suite, each case on a cluster of its own on which nothing runs.
func Run(t *testing.T, fresh func(t *testing.T) Cluster) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(&story{Cluster: fresh(t), t: t}) })
	}
}

var cases = []struct {
	name string
	run  func(*story)
}{
	{"an end is reported, with the run that ended", endOfARun},
	{"all that an order names is reported, by its moment", orderCarriedOut},
	{"what an order names and is not there is reported too", orderOfTheUnknown},
	{"two orders for one node are told apart", twoOrders},
	{"nothing is reported of what went down with its node", lostOnTheWay},
	{"nothing is reported of a workload that is over", goneForGood},

	{"what should run and does not is started", resyncStarts},
	{"what should leave and has left is reported again", resyncRepeats},
	{"what is not mentioned goes, and nothing is reported of it", resyncClears},
	{"an order that is given again is answered again", orderGivenAgain},
}

// story is one case: a cluster, and the test that watches it.
type story struct {
	Cluster
	t *testing.T
}

const (
	hour  = time.Hour
	grace = 30 * time.Second
)

// at is a moment of the story.
func at(d time.Duration) fleet.Instant {
	return fleet.InstantOf(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)).Add(d)
}

// jobOf is a workload with one elastic pool, so that any number of its replicas may leave.
func jobOf(id uint64) driver.Job {
	return driver.Job{
		ID: id, Namespace: "oak", Name: nameOf(id), Run: 4,
		Pools: []fleet.Pool{{Name: "w", GPUs: 1, Min: 1, Max: 8, Reach: fleet.ReachAny, Elastic: true}},
	}
}

func nameOf(id uint64) string { return "job-" + string(rune('0'+id)) }

// on are replicas that stand on nodes, or leave them by an order.
func on(order uint64, nodes ...int) []fleet.Spot { return []fleet.Spot{{Nodes: nodes, Order: order}} }

// reports are those up to a moment: which replicas have left, by workload, and which runs ended.
func (s *story) reports(until time.Duration) (left map[uint64]driver.Tally, ended map[uint64]uint64) {
	left, ended = map[uint64]driver.Tally{}, map[uint64]uint64{}
	for _, r := range s.Take(at(until)) {
		switch {
		case r.At > at(until):
			s.t.Errorf("a report of %v comes at %v", r.At.Time(), at(until).Time())
		case r.Stopped != nil:
			if left[r.Stopped.ID] == nil {
				left[r.Stopped.ID] = driver.Tally{}
			}
			left[r.Stopped.ID].Add(r.Stopped.Spots)
		case r.Finished != nil:
			ended[r.Finished.ID] = r.Finished.Run
		}
	}
	return left, ended
}

// expectLeft compares what has left up to a moment. want goes by workload.
func (s *story) expectLeft(until time.Duration, want map[uint64][]fleet.Spot) {
	s.t.Helper()
	got, _ := s.reports(until)
	tallies := map[uint64]driver.Tally{}
	for id, spots := range want {
		tallies[id] = driver.TallyOf(spots)
	}
	if !reflect.DeepEqual(got, tallies) {
		s.t.Fatalf("up to %s there have left %v, want %v", until, got, tallies)
	}
}
