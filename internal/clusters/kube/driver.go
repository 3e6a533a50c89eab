package kube

import (
	"cmp"
	"slices"
	"sync"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Driver takes note of what Muster has decided, once that is durable. The agent
// carries it out: it compares what should stand with what does.
type Driver struct {
	mu   sync.Mutex
	want map[uint64]*wanted
	news chan struct{} // has room for one: something was decided
}

// wanted is what should be of one workload.
type wanted struct {
	Job              driver.Job
	running, leaving driver.Tally
	until            fleet.Instant // when those that leave must be gone
	done             []string      // names of pools that have finished: nobody waits for them
}

var _ driver.Driver = (*Driver)(nil)

// NewDriver is a driver that was told nothing yet.
func NewDriver() *Driver { return &Driver{want: map[uint64]*wanted{}, news: make(chan struct{}, 1)} }

// Run takes note that replicas should run.
func (d *Driver) Run(_ fleet.Instant, job driver.Job, spots []fleet.Spot, _ bool) {
	d.mu.Lock()
	defer d.wake()
	w := d.of(job.ID)
	w.Job = job
	w.running.Add(spots)
}

// Stop takes note that replicas should leave.
func (d *Driver) Stop(_ fleet.Instant, id uint64, spots []fleet.Spot, until fleet.Instant) {
	d.mu.Lock()
	defer d.wake()
	w := d.of(id)
	w.running.Take(driver.Bare(spots))
	w.leaving.Add(spots)
	w.until = until
}

// Lost takes note that replicas went down with their node.
func (d *Driver) Lost(_ fleet.Instant, id uint64, spots []fleet.Spot) {
	d.mu.Lock()
	defer d.wake()
	if w := d.want[id]; w != nil {
		_, rest := w.leaving.Take(spots)
		w.running.Take(driver.Bare(rest))
	}
}

// Gone takes note that a workload is over.
func (d *Driver) Gone(_ fleet.Instant, id uint64) {
	d.mu.Lock()
	defer d.wake()
	delete(d.want, id)
}

// Again takes note of all that stands of one workload.
func (d *Driver) Again(_ fleet.Instant, s driver.Standing) {
	d.mu.Lock()
	defer d.wake()
	d.want[s.Job.ID] = wantedOf(s)
}

// Resync takes note of all that stands.
func (d *Driver) Resync(_ fleet.Instant, all []driver.Standing) {
	d.mu.Lock()
	defer d.wake()
	clear(d.want)
	for _, s := range all {
		d.want[s.Job.ID] = wantedOf(s)
	}
}

func wantedOf(s driver.Standing) *wanted {
	return &wanted{Job: s.Job, running: driver.TallyOf(s.Running), leaving: driver.TallyOf(s.Leaving), until: s.Until}
}

func (d *Driver) of(id uint64) *wanted {
	w := d.want[id]
	if w == nil {
		w = &wanted{Job: driver.Job{ID: id}, running: driver.Tally{}, leaving: driver.Tally{}}
		d.want[id] = w
	}
	return w
}

// all copies what should be, in order of ID.
func (d *Driver) all() []wanted {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := make([]wanted, 0, len(d.want))
	for _, w := range d.want {
		list = append(list, wanted{Job: w.Job, running: driver.TallyOf(w.running.Spots()), leaving: driver.TallyOf(w.leaving.Spots()), until: w.until})
	}
	slices.SortFunc(list, func(a, b wanted) int { return cmp.Compare(a.Job.ID, b.Job.ID) })
	return list
}

// said forgets an order that was reported as carried out.
func (d *Driver) said(s driver.Stopped) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w := d.want[s.ID]; w != nil {
		w.leaving.Take(s.Spots)
		if w.Job.Name == "" && len(w.leaving) == 0 {
			delete(d.want, s.ID)
		}
	}
}

// wake lets go of the lock and tells that something was decided.
func (d *Driver) wake() {
	d.mu.Unlock()
	select {
	case d.news <- struct{}{}:
	default:
	}
}
