package kube

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Drivers tells each of several clusters what was decided for it.
type Drivers struct {
	mu    sync.Mutex
	of    map[string]*Driver
	where map[uint64]string // cluster of a workload of which something was told
}

var _ driver.Driver = (*Drivers)(nil)

// NewDrivers are the drivers of no cluster yet.
func NewDrivers() *Drivers { return &Drivers{of: map[string]*Driver{}, where: map[uint64]string{}} }

// Of is the driver of one cluster. It takes note whether or not anybody carries out.
func (d *Drivers) Of(cluster string) *Driver {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.get(cluster)
}

func (d *Drivers) get(cluster string) *Driver {
	if d.of[cluster] == nil {
		d.of[cluster] = NewDriver()
	}
	return d.of[cluster]
}

// to is the driver of the cluster where a workload stands.
func (d *Drivers) to(job driver.Job) *Driver {
	d.mu.Lock()
	defer d.mu.Unlock()
	cluster, _, _ := strings.Cut(job.Partition, "/")
	d.where[job.ID] = cluster
	return d.get(cluster)
}

// by is the driver that was told of a workload; nil where none was.
func (d *Drivers) by(id uint64) *Driver {
	d.mu.Lock()
	defer d.mu.Unlock()
	cluster, known := d.where[id]
	if !known {
		return nil
	}
	return d.get(cluster)
}

// Run tells the cluster where the replicas should run.
func (d *Drivers) Run(at fleet.Instant, job driver.Job, spots []fleet.Spot, mend bool) {
	d.to(job).Run(at, job, spots, mend)
}

// Stop tells the cluster where the replicas are.
func (d *Drivers) Stop(at fleet.Instant, id uint64, spots []fleet.Spot, until fleet.Instant) {
	if is := d.by(id); is != nil {
		is.Stop(at, id, spots, until)
	}
}

// Lost tells the cluster where the replicas were.
func (d *Drivers) Lost(at fleet.Instant, id uint64, spots []fleet.Spot) {
	if is := d.by(id); is != nil {
		is.Lost(at, id, spots)
	}
}

// Gone tells the cluster that had the workload.
func (d *Drivers) Gone(at fleet.Instant, id uint64) {
	if is := d.by(id); is != nil {
		is.Gone(at, id)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.where, id)
}

// Again tells the cluster where the workload stands.
func (d *Drivers) Again(at fleet.Instant, s driver.Standing) { d.to(s.Job).Again(at, s) }

// Resync tells each cluster all that stands on it, and those where nothing does so, too.
func (d *Drivers) Resync(at fleet.Instant, all []driver.Standing) {
	d.mu.Lock()
	clear(d.where)
	d.mu.Unlock()
	on := map[*Driver][]driver.Standing{}
	for _, s := range all {
		is := d.to(s.Job)
		on[is] = append(on[is], s)
	}
	d.mu.Lock()
	every := slices.Collect(maps.Values(d.of))
	d.mu.Unlock()
	for _, is := range every { // each takes note for itself: their order says nothing
		is.Resync(at, on[is])
	}
}
