package bench

import (
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// orders keeps what a driver is told until deliver, so that the simulated cluster's own
// work is not timed as the engine's.
type orders struct {
	to   driver.Driver
	kept []func()
}

var _ driver.Driver = (*orders)(nil)

// deliver tells the driver what was kept.
func (o *orders) deliver() {
	for _, tell := range o.kept {
		tell()
	}
	o.kept = o.kept[:0]
}

func (o *orders) keep(tell func()) { o.kept = append(o.kept, tell) }

// Run is kept.
func (o *orders) Run(at fleet.Instant, job driver.Job, spots []fleet.Spot, mend bool) {
	o.keep(func() { o.to.Run(at, job, spots, mend) })
}

// Stop is kept.
func (o *orders) Stop(at fleet.Instant, id uint64, spots []fleet.Spot, until fleet.Instant) {
	o.keep(func() { o.to.Stop(at, id, spots, until) })
}

// Forget is kept.
func (o *orders) Forget(at fleet.Instant, id uint64, spots []fleet.Spot) {
	o.keep(func() { o.to.Forget(at, id, spots) })
}

// Delete is kept.
func (o *orders) Delete(at fleet.Instant, id uint64) { o.keep(func() { o.to.Delete(at, id) }) }

// Restate is kept.
func (o *orders) Restate(at fleet.Instant, stands driver.Standing) {
	o.keep(func() { o.to.Restate(at, stands) })
}

// Resync is kept.
func (o *orders) Resync(at fleet.Instant, all []driver.Standing) {
	o.keep(func() { o.to.Resync(at, all) })
}
