package simulate

import (
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// meter stands between the engine and the simulated cluster and measures, per
// namespace, how long GPUs are held, victims on their way out included.
type meter struct {
	*simulated.Driver
	jobs map[uint64]*metered
	held map[string]*gpuTime // by namespace

	expected map[string]time.Duration // run times of what has not finished, by namespace/name
	useful   GPUTime                  // in the run times of what has
	losses   Losses
}

// metered is what one workload holds on the cluster.
type metered struct {
	job     driver.Job
	held    driver.Tally
	staying driver.Tally  // the same without those on their way out
	since   fleet.Instant // since when its gangs are whole; 0: they are not
	broken  *interruption // nil: no fault stopped it
}

// gpuTime adds up GPUs over time.
type gpuTime struct {
	gpus  int
	since fleet.Instant
	sum   GPUTime
}

func newMeter(d *simulated.Driver) *meter {
	return &meter{Driver: d, jobs: map[uint64]*metered{}, held: map[string]*gpuTime{}, expected: map[string]time.Duration{}}
}

func (g *gpuTime) change(at fleet.Instant, by int) { g.become(at, g.gpus+by) }

func (g *gpuTime) become(at fleet.Instant, gpus int) {
	g.sum = g.sum.plus(gpuTimeOf(g.gpus, at.Sub(g.since)))
	g.gpus, g.since = gpus, at
}

func (m *meter) namespace(name string) *gpuTime {
	g := m.held[name]
	if g == nil {
		g = &gpuTime{}
		m.held[name] = g
	}
	return g
}

// Run makes replicas run.
func (m *meter) Run(at fleet.Instant, job driver.Job, spots []fleet.Spot, mend bool) {
	w := m.jobs[job.ID]
	if w == nil {
		w = &metered{job: job, held: driver.Tally{}, staying: driver.Tally{}}
		m.jobs[job.ID] = w
	}
	w.held.Add(spots)
	m.losses.start(at, w, spots)
	m.namespace(job.Namespace).change(at, w.gpus(spots))
	m.Driver.Run(at, job, spots, mend)
}

func (w *metered) gpus(spots []fleet.Spot) int {
	gpus := 0
	for _, s := range spots {
		gpus += len(s.Nodes) * w.job.Pools[s.Pool].GPUs
	}
	return gpus
}

// Forget takes away replicas that went down with their node.
func (m *meter) Forget(at fleet.Instant, id uint64, spots []fleet.Spot) {
	if w := m.jobs[id]; w != nil {
		m.losses.fail(at, w, spots)
	}
	m.leave(at, id, spots)
	m.Driver.Forget(at, id, spots)
}

// Delete ends a workload, and reports nothing of it.
func (m *meter) Delete(at fleet.Instant, id uint64) {
	if w := m.jobs[id]; w != nil {
		m.leave(at, id, w.held.Spots())
		delete(m.jobs, id)
	}
	m.Driver.Delete(at, id)
}

// Take hands reports on and notes which replicas have left and who has finished.
func (m *meter) Take(now fleet.Instant) []driver.Report {
	reports := m.Driver.Take(now)
	for _, r := range reports {
		if r.Stopped != nil {
			m.leave(r.At, r.Stopped.ID, r.Stopped.Spots)
		}
		if r.Finished != nil {
			m.finish(r.Finished.ID)
		}
	}
	return reports
}

// leave takes away the replicas that are there.
func (m *meter) leave(at fleet.Instant, id uint64, spots []fleet.Spot) {
	if w := m.jobs[id]; w != nil {
		found, _ := w.held.Take(driver.Bare(spots))
		m.namespace(w.job.Namespace).change(at, -w.gpus(found))
	}
}

// heldBy is what a namespace has held up to a moment.
func (m *meter) heldBy(namespace string, at fleet.Instant) GPUTime {
	g := m.namespace(namespace)
	g.change(at, 0)
	return g.sum
}
