package simulated

import (
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
)

// Options of New. The zero value starts replicas at once and lets victims leave
// at once.
type Options struct {
	Seed   uint64
	Delays *Delays // nil: none
	// WholeGrace makes every victim leave exactly when its grace ends.
	WholeGrace bool
	// Runtime says how long a job runs that Expect has said nothing of; ok is false
	// for a job that runs until it is cancelled. Nil: they all do.
	Runtime func(driver.Job) (runtime time.Duration, ok bool)
	// Faults lets nodes fail; nil: none do.
	Faults *Faults
}

// Delays says how long starting and stopping takes; both are lognormal.
type Delays struct {
	Start, Stop Spread
}

// Spread is a lognormal distribution by its median and its 99th percentile.
type Spread struct{ Median, P99 time.Duration }

// RealisticDelays are those of a cluster with images to pull and collectives to
// tear down. Stopping is never longer than the grace, whatever is drawn.
func RealisticDelays() *Delays {
	return &Delays{
		Start: Spread{Median: 40 * time.Second, P99: 5 * time.Minute},
		Stop:  Spread{Median: 8 * time.Second, P99: 90 * time.Second},
	}
}
