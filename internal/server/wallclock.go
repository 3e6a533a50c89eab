package server

import (
	"time"

	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// wallClock is the real time, in which a server and all that it runs live.
type wallClock struct{}

var _ driver.Clock = wallClock{}

// Now is the present moment.
func (wallClock) Now() fleet.Instant { return fleet.InstantOf(time.Now()) }

// After sends after d.
func (wallClock) After(d time.Duration) <-chan time.Time { return time.After(d) }
