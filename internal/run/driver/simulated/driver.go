package simulated

import (
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Driver is a simulated cluster. Its methods may be called from several
// goroutines; what it does depends only on the order and the moments of the calls.
type Driver struct {
	options Options
	changed chan struct{} // has room for one: something was planned

	mu       sync.Mutex
	jobs     map[uint64]*job
	expected map[string]time.Duration
	timeline timeline
}

var _ driver.Driver = (*Driver)(nil)

// New is a simulated cluster on which nothing runs.
func New(o Options) *Driver {
	return &Driver{
		options: o, changed: make(chan struct{}, 1),
		jobs: map[uint64]*job{}, expected: map[string]time.Duration{},
	}
}

// Expect says how long the next workload of this name will run, in time in which
// it makes progress. It is to be said before the workload starts.
func (d *Driver) Expect(namespace, name string, runtime time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.expected[namespace+"/"+name] = runtime
}

// Run makes replicas run.
func (d *Driver) Run(at fleet.Instant, of driver.Job, spots []fleet.Spot, _ bool) {
	d.mu.Lock()
	defer d.wake()
	d.run(at, d.job(of), spots)
}

// Stop asks replicas to leave.
func (d *Driver) Stop(at fleet.Instant, id uint64, spots []fleet.Spot, until fleet.Instant) {
	d.mu.Lock()
	defer d.wake()
	j := d.jobs[id]
	if j == nil {
		j = d.job(driver.Job{ID: id})
	}
	d.stop(at, j, spots, until)
}

// Forget takes away replicas that went down with their node.
func (d *Driver) Forget(at fleet.Instant, id uint64, spots []fleet.Spot) {
	d.mu.Lock()
	defer d.wake()
	if j := d.jobs[id]; j != nil {
		_, rest := j.leaving.Take(spots)
		j.staying.Take(rest)
		j.settle(at, &d.timeline)
	}
}

// Delete ends a workload, and reports nothing of it.
func (d *Driver) Delete(_ fleet.Instant, id uint64) {
	d.mu.Lock()
	defer d.wake()
	d.forget(id)
}

func (d *Driver) forget(id uint64) {
	if j := d.jobs[id]; j != nil {
		j.forgotten = true
		delete(d.jobs, id)
	}
}

// job finds or takes in a job, with the runtime that is expected of it.
func (d *Driver) job(of driver.Job) *job {
	j := d.jobs[of.ID]
	if j == nil {
		j = &job{staying: driver.Tally{}, leaving: driver.Tally{}}
		d.jobs[of.ID] = j
	}
	if j.Pools == nil && of.Pools != nil {
		j.runtime, j.ends = d.runtimeOf(of)
	}
	j.Job = of
	return j
}

func (d *Driver) runtimeOf(of driver.Job) (time.Duration, bool) {
	name := of.Namespace + "/" + of.Name
	if runtime, ok := d.expected[name]; ok {
		delete(d.expected, name)
		return runtime, true
	}
	if d.options.Runtime == nil {
		return 0, false
	}
	return d.options.Runtime(of)
}

func (d *Driver) run(at fleet.Instant, j *job, spots []fleet.Spot) {
	if len(spots) == 0 {
		return
	}
	if len(j.staying) == 0 {
		j.ready = 0
	}
	j.runs++
	base := baseRank(j.Pools)
	for _, spot := range spots {
		if j.Pools[spot.Pool].Rank == base {
			j.ready = max(j.ready, at.Add(d.startDelay(j, spot)))
		}
	}
	j.staying.Add(spots)
	if j.finished {
		d.endAgain(at, j)
		return
	}
	j.settle(at, &d.timeline)
}

// startDelay is the longest delay of the replicas of a spot.
func (d *Driver) startDelay(j *job, spot fleet.Spot) time.Duration {
	if d.options.Delays == nil {
		return 0
	}
	longest, r := time.Duration(0), stream(d.options.Seed, "start", j.ID, j.runs, uint64(spot.Pool))
	for range spot.Nodes {
		longest = max(longest, d.options.Delays.Start.draw(r))
	}
	return longest
}

// stop plans the leaving of replicas. Those that it does not know leave at once:
// they are gone already. Of a job that has ended nothing is to be said, until a
// resync asks.
func (d *Driver) stop(at fleet.Instant, j *job, spots []fleet.Spot, until fleet.Instant) {
	known, _ := j.staying.Take(driver.Bare(spots))
	if !j.finished {
		d.leave(at, j, spots, driver.TallyOf(known), until)
	}
}

// leave plans the leaving of replicas, of which some are there and the others
// gone already. Those of one node leave together.
func (d *Driver) leave(at fleet.Instant, j *job, spots []fleet.Spot, there driver.Tally, until fleet.Instant) {
	j.leaving.Add(spots)
	var gone []fleet.Spot
	taken := 0
	for _, spot := range spots {
		stays, left := apart(spot, there)
		gone = append(gone, left...)
		if len(stays) > 0 {
			d.planLeave(at.Add(d.stopDelay(at, j, taken, until)), j, stays)
			taken++
		}
	}
	d.planLeave(at, j, gone)
	j.settle(at, &d.timeline)
}

// apart tells the nodes of a spot where replicas are apart from those where none is.
func apart(spot fleet.Spot, there driver.Tally) (stays, left []fleet.Spot) {
	at := driver.Tally{}
	for _, node := range spot.Nodes {
		if there[driver.Slot{Pool: spot.Pool, Node: node}] > 0 {
			at[driver.Slot{Pool: spot.Pool, Node: node, Order: spot.Order}]++
		}
	}
	return at.Spots(), driver.TallyOf([]fleet.Spot{spot}).Beyond(at)
}

func (d *Driver) planLeave(at fleet.Instant, j *job, spots []fleet.Spot) {
	if len(spots) > 0 {
		d.timeline.plan(entry{at: at, job: j, leave: spots})
	}
}

// stopDelay is how long the replicas of one pool take to leave together: never
// longer than the grace.
func (d *Driver) stopDelay(at fleet.Instant, j *job, spot int, until fleet.Instant) time.Duration {
	grace := max(0, until.Sub(at))
	switch {
	case d.options.WholeGrace:
		return grace
	case d.options.Delays == nil:
		return 0
	}
	return min(grace, d.options.Delays.Stop.draw(stream(d.options.Seed, "stop", j.ID, uint64(at), uint64(spot))))
}

// Due is the moment of the next report, or Never.
func (d *Driver) Due() fleet.Instant {
	d.mu.Lock()
	defer d.mu.Unlock()
	return min(d.timeline.due(), d.options.Faults.due())
}

// Take lists what has happened up to now, in order of time, and at one moment
// workloads in order of ID before nodes. What it lists it will not say again.
func (d *Driver) Take(now fleet.Instant) []driver.Report {
	d.mu.Lock()
	defer d.mu.Unlock()
	var reports []driver.Report
	for {
		at, fault := d.timeline.due(), d.options.Faults.due()
		switch {
		case min(at, fault) > now:
			return reports
		case fault < at:
			reports = append(reports, d.options.Faults.next())
		default:
			reports = d.happen(d.timeline.pop(), reports)
		}
	}
}

func (d *Driver) happen(e entry, reports []driver.Report) []driver.Report {
	j := e.job
	if e.leave == nil {
		j.finished = true
		return append(reports, driver.Report{At: e.at, Finished: &driver.Finished{ID: j.ID, Run: j.Run}})
	}
	gone := j.vacate(e.leave)
	if len(gone) == 0 {
		return reports
	}
	return append(reports, driver.Report{At: e.at, Stopped: &driver.Stopped{ID: j.ID, Spots: gone}})
}

// wake lets go of the lock and tells the pump that something was planned.
func (d *Driver) wake() {
	d.mu.Unlock()
	select {
	case d.changed <- struct{}{}:
	default:
	}
}
