package simulated

import (
	"context"
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Clock is the time in which a pump lives. It may run faster than the wall's.
type Clock interface {
	Now() fleet.Instant
	// After sends once the clock has moved on by d.
	After(d time.Duration) <-chan time.Time
}

// Pump sends reports when they are due, until the context ends or send fails. It
// returns the context's error or send's.
func (d *Driver) Pump(ctx context.Context, clock Clock, send func(driver.Report) error) error {
	for {
		for _, r := range d.Take(clock.Now()) {
			if err := send(r); err != nil {
				return err
			}
		}
		if err := d.wait(ctx, clock); err != nil {
			return err
		}
	}
}

// wait returns when a report is due or something was planned.
func (d *Driver) wait(ctx context.Context, clock Clock) error {
	var due <-chan time.Time
	if at := d.Due(); at != fleet.Never {
		due = clock.After(max(0, at.Sub(clock.Now())))
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-due:
	case <-d.changed:
	}
	return nil
}

// RealTime is the wall's clock.
type RealTime struct{}

// Now is the present moment.
func (RealTime) Now() fleet.Instant { return fleet.InstantOf(time.Now()) }

// After sends after d.
func (RealTime) After(d time.Duration) <-chan time.Time { return time.After(d) }
