package simulated

import (
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// job is one workload on the simulated cluster.
type job struct {
	driver.Job
	runtime time.Duration
	ends    bool // after runtime; otherwise it runs until it is told to go

	staying, leaving driver.Tally
	ready            fleet.Instant // when the last started replica of the lowest-rank pools is up
	runs             uint64        // how often replicas were started

	progress
	forgotten bool
}

// progress is how far the work of a job has come.
type progress struct {
	whole    bool          // it makes progress from since on
	since    fleet.Instant // may lie ahead, while replicas start
	saved    time.Duration // progress that nothing can take away any more
	plan     uint64        // number of the last plan of its end
	finished bool
}

// vacate takes away all that leaves these places by these orders.
func (j *job) vacate(spots []fleet.Spot) []fleet.Spot {
	gone := driver.Tally{}
	for at := range driver.TallyOf(spots) {
		if n := j.leaving[at]; n > 0 {
			gone[at] = n
			delete(j.leaving, at)
		}
	}
	return gone.Spots()
}

// complete says whether enough runs for progress: every gang of the lowest rank
// whole, and every elastic pool of it at min, or at anything once it has started.
func (j *job) complete() bool {
	some := false
	for i, p := range j.Pools {
		if p.Rank != baseRank(j.Pools) {
			continue
		}
		n := j.staying.Of(i)
		if n < p.Min && (!p.Elastic || !j.whole || n == 0) {
			return false
		}
		some = some || n > 0
	}
	return some
}

// settle starts or stops progress after replicas came or went. Progress that
// begins is planned to its end.
func (j *job) settle(at fleet.Instant, t *timeline) {
	if j.finished || j.complete() == j.whole {
		return
	}
	if j.whole {
		j.halt(at)
		return
	}
	j.whole, j.since = true, max(at, j.ready)
	j.planEnd(t)
}

func (j *job) planEnd(t *timeline) {
	j.plan++
	if j.ends {
		t.plan(entry{at: j.since.Add(max(0, j.runtime-j.saved)), job: j, plan: j.plan})
	}
}

// halt stops progress; what was done since the last checkpoint is lost.
func (j *job) halt(at fleet.Instant) {
	j.whole = false
	j.plan++
	if done := at.Sub(j.since); j.CheckpointEvery > 0 && done > 0 {
		j.saved += done - done%j.CheckpointEvery
	}
}

func baseRank(pools []fleet.Pool) int {
	rank := pools[0].Rank
	for _, p := range pools[1:] {
		rank = min(rank, p.Rank)
	}
	return rank
}
