package demo

import (
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Cluster is the simulated cluster under the demo.
type Cluster struct {
	*simulated.Driver
	seed   uint64
	faults *simulated.Faults

	mu   sync.Mutex
	fail map[uint64]bool   // workloads whose end is a failure
	said map[string]string // what GPUs said for which nodes are out
	pace float64           // how many times longer than the demo's its workloads run
}

// NewCluster is a cluster on which nothing runs yet, and whose nodes do not fail yet.
func NewCluster(seed uint64) *Cluster { return newCluster(seed, Faults()) }

func newCluster(seed uint64, faults simulated.FaultSettings) *Cluster {
	c := &Cluster{seed: seed, faults: simulated.NewFaults(seed, faults), fail: map[uint64]bool{}, said: map[string]string{}, pace: 1}
	c.Driver = simulated.New(simulated.Options{
		Seed: seed, Faults: c.faults, Runtime: c.runtime,
		Delays: &simulated.Delays{
			Start: simulated.Spread{Median: 5 * time.Second, P99: 30 * time.Second},
			Stop:  simulated.Spread{Median: 6 * time.Second, P99: 25 * time.Second},
		},
	})
	return c
}

// Faults are the rates at which the demo's nodes fail: two thousand times the
// measured rate, and repaired in minutes rather than days.
func Faults() simulated.FaultSettings {
	s := simulated.MeasuredFaults()
	s.Rate *= 2000
	s.Blips *= 200
	s.BlipSpan = simulated.Spread{Median: 20 * time.Second, P99: 90 * time.Second}
	s.Recurs = 0.02
	for i := range s.Causes {
		s.Causes[i].Median, s.Causes[i].Sigma = 3*time.Minute, 0.7
	}
	s.MaxDown = 15 * time.Minute
	s.Probation = 3 * time.Minute
	return s
}

// Watch lets the nodes of the fleet fail from now on. It is to be called once,
// before time passes.
func (c *Cluster) Watch(at fleet.Instant, s *fleet.State) {
	for _, p := range s.Partitions {
		for _, n := range p.Nodes {
			c.faults.Add(at, n.Name, n.State)
		}
	}
}

// setPace says how many times longer than the demo's workloads run that start from now on.
func (c *Cluster) setPace(pace float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pace = pace
}

func (c *Cluster) runtime(job driver.Job) (time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ours := ownMedian(job); ours && fails(c.seed, job.Namespace, job.Name) {
		c.fail[job.ID] = true
	}
	return slower(runtime(c.seed, job), c.pace), true
}

// Resync lets work that has run for longer than the demo's does go on for a while: it began in
// the past, or before a stop of hours, and would end with all others of its kind at once.
func (c *Cluster) Resync(at fleet.Instant, all []driver.Standing) {
	for _, s := range all {
		if ran := at.Sub(s.Started); s.Started != 0 && ran > longest {
			more, _ := c.runtime(s.Job)
			c.Expect(s.Job.Namespace, s.Job.Name, ran+more)
		}
	}
	c.Driver.Resync(at, all)
}

// slower is a span of the demo at another pace.
func slower(d time.Duration, pace float64) time.Duration {
	if pace == 1 {
		return d
	}
	return time.Duration(float64(d) * pace).Truncate(time.Second)
}

// Delete ends a workload, and reports nothing of it.
func (c *Cluster) Delete(at fleet.Instant, id uint64) {
	c.mu.Lock()
	delete(c.fail, id)
	c.mu.Unlock()
	c.Driver.Delete(at, id)
}

// Truth is a report as it really was: some workloads end by failing.
func (c *Cluster) Truth(r driver.Report) driver.Report {
	if r.Finished == nil {
		return r
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fail[r.Finished.ID] {
		r.Finished = &driver.Finished{ID: r.Finished.ID, Run: r.Finished.Run, Failed: true}
	}
	return r
}
