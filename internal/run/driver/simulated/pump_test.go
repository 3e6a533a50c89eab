package simulated

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// leap is a clock that jumps to whatever is waited for.
type leap struct{ now atomic.Int64 }

func (c *leap) Now() fleet.Instant { return fleet.Instant(c.now.Load()) }

func (c *leap) After(d time.Duration) <-chan time.Time {
	c.now.Add(int64(d))
	fired := make(chan time.Time, 1)
	fired <- time.Time{}
	return fired
}

func TestThePumpSendsWhatIsDue(t *testing.T) {
	d := New(Options{})
	clock := &leap{}
	clock.now.Store(int64(at(0)))
	ctx, cancel := context.WithCancel(t.Context())
	sent := make(chan driver.Report)
	ended := make(chan error, 1)
	go func() {
		ended <- d.Pump(ctx, clock, func(r driver.Report) error { sent <- r; return nil })
	}()
	d.Expect("oak", "job-1", time.Hour)
	d.Run(at(0), gangOf(1, 1, 0), nodes(3), false) // planned while the pump waits for nothing
	if r := <-sent; r.Finished == nil || r.At != at(time.Hour) {
		t.Errorf("sent %+v, want the end of 1 after an hour", r)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the pump ended with %v, want the context's end", err)
	}
}

func TestThePumpStopsWhereSendFails(t *testing.T) {
	d := New(Options{})
	d.Stop(at(0), 1, nodes(3), at(0))
	clock := &leap{}
	clock.now.Store(int64(at(0)))
	failed := errors.New("the engine is closed")
	if err := d.Pump(t.Context(), clock, func(driver.Report) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("the pump ended with %v, want %v", err, failed)
	}
}
