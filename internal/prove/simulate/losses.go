package simulate

import (
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Losses is GPU-time that was held and came to nothing, and what
// became of the gangs that lost a node. Start-up counts as held.
type Losses struct {
	// All is what was held beyond the run times of the jobs that have finished:
	// work undone, starting, leaving, waiting for a lost replica.
	All     GPUTime `json:"gpu_hours"`
	Evicted GPUTime `json:"evicted_gpu_hours"` // undone by evictions, since the last checkpoint or start
	Failed  GPUTime `json:"failed_gpu_hours"`  // undone by faults of nodes
	// Gangs interrupted by a fault, and of these those that ran again on the rest of
	// their nodes, and those that went back to their queue first.
	Interrupted int `json:"gangs_interrupted"`
	Mended      int `json:"gangs_mended"`
	Requeued    int `json:"gangs_requeued"`
	// Still is how long interrupted gangs did not run, times their GPUs.
	Still GPUTime `json:"gangs_still_gpu_hours"`
}

// interruption is a gang's time from the loss of a node until it is whole again.
type interruption struct {
	at       fleet.Instant
	requeued bool
}

// gang counts the GPUs and replicas of the gangs that must start together.
func (w *metered) gang() (gpus, replicas int) {
	for _, p := range w.job.Pools {
		if p.Rank == w.baseRank() && !p.Elastic {
			gpus, replicas = gpus+p.Min*p.GPUs, replicas+p.Min
		}
	}
	return gpus, replicas
}

func (w *metered) baseRank() int {
	s := fleet.Spec{Pools: w.job.Pools}
	return s.BaseRank()
}

// whole says whether every gang among the lowest-rank pools is.
func (w *metered) whole() bool {
	for i, p := range w.job.Pools {
		if p.Rank == w.baseRank() && !p.Elastic && w.staying.Of(i) < p.Min {
			return false
		}
	}
	return len(w.staying) > 0
}

// start notes replicas that run: with them a gang may be whole (again).
func (l *Losses) start(at fleet.Instant, w *metered, spots []fleet.Spot) {
	w.staying.Add(spots)
	if w.since != 0 || !w.whole() {
		return
	}
	w.since = at
	b := w.broken
	if b == nil {
		return
	}
	w.broken = nil
	gpus, _ := w.gang()
	l.Still = l.Still.plus(gpuTimeOf(gpus, at.Sub(b.at)))
	if b.requeued {
		l.Requeued++
	} else {
		l.Mended++
	}
}

// stop notes replicas that leave, which undoes work if the gang was whole.
func (l *Losses) stop(at fleet.Instant, w *metered, spots []fleet.Spot) {
	l.Evicted = l.Evicted.plus(w.without(at, driver.Bare(spots)))
	if w.broken != nil {
		w.broken.requeued = true
	}
}

// fail notes replicas that went down with their node.
func (l *Losses) fail(at fleet.Instant, w *metered, spots []fleet.Spot) {
	ran := w.since != 0
	l.Failed = l.Failed.plus(w.without(at, spots))
	if _, replicas := w.gang(); ran && w.since == 0 && replicas > 1 {
		l.Interrupted++
		w.broken = &interruption{at, len(w.staying) == 0}
	}
}

// without takes staying replicas away and returns the GPU-time that this undoes.
func (w *metered) without(at fleet.Instant, spots []fleet.Spot) GPUTime {
	gpus := w.gpus(w.staying.Spots())
	w.staying.Take(spots)
	if w.since == 0 || w.whole() {
		return GPUTime{}
	}
	done := at.Sub(w.since)
	if c := w.job.CheckpointEvery; c > 0 {
		done %= c
	}
	w.since = 0
	return gpuTimeOf(gpus, done)
}

// Expect hands a workload's run time on and keeps it for the books.
func (m *meter) Expect(namespace, name string, runtime time.Duration) {
	m.expected[namespace+"/"+name] = runtime
	m.Driver.Expect(namespace, name, runtime)
}

// finish notes that a workload has come to its end: its run time was not lost.
func (m *meter) finish(id uint64) {
	w := m.jobs[id]
	if w == nil {
		return
	}
	name := w.job.Namespace + "/" + w.job.Name
	gpus, _ := w.gang()
	m.useful = m.useful.plus(gpuTimeOf(gpus, m.expected[name]))
	delete(m.expected, name)
}

// Stop asks replicas to leave.
func (m *meter) Stop(at fleet.Instant, id uint64, spots []fleet.Spot, until fleet.Instant) {
	if w := m.jobs[id]; w != nil {
		m.losses.stop(at, w, spots)
	}
	m.Driver.Stop(at, id, spots, until)
}
