package engine

import (
	"log/slog"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Time in the log never goes back, so a record of a clock that was ahead would stop it: no
// grace would end. And a clock that jumps would end all of them at once. The engine's clock
// is therefore the machine's, bounded by how long the machine has run since the last look:
//
//   - Where the log is ahead of the machine's clock, time goes on from the log's, a tenth
//     slower, until the machine's has caught up.
//   - Where the machine's clock jumps ahead by more than LongestJump, it is not believed, and
//     time goes on without it. A start believes it.

// LongestJump is the longest step ahead of a clock that is believed while the server runs. A
// machine that slept for a while makes such steps.
const LongestJump = 7 * 24 * time.Hour

// slower is by which part time goes slower while it waits for the machine's clock.
const slower = 10

// bounded is the engine's clock.
type bounded struct {
	machine func() fleet.Instant
	steady  func() time.Duration // how long the machine has run, whatever its clock says
	log     *slog.Logger

	mu    sync.Mutex
	given fleet.Instant // what was said last
	ran   time.Duration // steady, then
	told  bool          // that the clock is not believed
}

// newClock begins at the moment of the log's last record, or at the machine's, if that is later.
func newClock(machine func() fleet.Instant, steady func() time.Duration, last fleet.Instant, log *slog.Logger) *bounded {
	c := &bounded{machine: machine, steady: steady, log: log}
	now := machine()
	if ahead := last.Sub(now); ahead > time.Minute {
		log.Error("the log is ahead of this machine's clock: time goes on from the log's, a tenth slower, until the clock has caught up; set the clock right if it is wrong",
			"log", last.Time(), "clock", now.Time(), "ahead", ahead.Round(time.Second))
	}
	c.given, c.ran = max(now, last), steady()
	return c
}

// steadyTime is how long this process has run, by a clock that is never set.
func steadyTime() func() time.Duration {
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}

// now is the time.
func (c *bounded) now() fleet.Instant {
	c.mu.Lock()
	defer c.mu.Unlock()
	machine, ran := c.machine(), c.steady()
	went := max(0, ran-c.ran)
	c.ran = ran
	if full := c.given.Add(went); machine.Sub(full) > LongestJump {
		c.given = full
		c.doubt(machine)
		return full
	}
	c.told = false
	c.given = max(machine, c.given.Add(went-went/slower))
	return c.given
}

// doubt says once that the machine's clock is not believed.
func (c *bounded) doubt(machine fleet.Instant) {
	if !c.told {
		c.log.Error("the clock of this machine has jumped ahead and is not believed: time goes on without it; set it right, or start the server again if it is right",
			"clock", machine.Time(), "time", c.given.Time())
	}
	c.told = true
}

// follow moves the clock on to a record that another process has written.
func (c *bounded) follow(at fleet.Instant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at > c.given {
		c.given, c.ran = at, c.steady()
	}
}

// ahead is by how much time is ahead of the machine's clock; negative: behind it.
func (c *bounded) ahead() time.Duration {
	now := c.now()
	return now.Sub(c.machine())
}

// Ahead says by how much the engine's time is ahead of the machine's clock; negative: behind
// it. It is 0 as long as the clock is believed.
func (e *Engine) Ahead() time.Duration {
	if e.clock == nil {
		return 0
	}
	if ahead := e.clock.ahead(); ahead.Abs() > time.Second {
		return ahead
	}
	return 0
}
