package simulated

import (
	"context"
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

var _ driver.Pumped = (*Driver)(nil)

// Pump sends reports when they are due; see driver.Pumped.
func (d *Driver) Pump(ctx context.Context, clock driver.Clock, send func(driver.Report) error) error {
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
func (d *Driver) wait(ctx context.Context, clock driver.Clock) error {
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
