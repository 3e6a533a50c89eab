package driver

import (
	"context"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Clock is the time in which a driver lives. It may run faster than the wall's.
type Clock interface {
	Now() fleet.Instant
	// After sends once the clock has moved on by d.
	After(d time.Duration) <-chan time.Time
}

// Pumped is a Driver that hands its reports over by itself: what a server runs.
type Pumped interface {
	Driver
	// Pump sends reports when they are due, one after another, until the context ends or
	// send fails. It returns the context's error or send's. A report that was sent counts as
	// taken in: send waits where that takes a while.
	Pump(ctx context.Context, clock Clock, send func(Report) error) error
}
