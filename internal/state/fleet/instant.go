package fleet

import "time"

// Instant is a moment: nanoseconds since 1970-01-01 UTC. States and events use
// it instead of time.Time because it has one value and one encoding per moment. Zero means no moment, so virtual time
// must begin later.
type Instant int64

// Never is later than every moment that can happen.
const Never Instant = 1<<63 - 1

// InstantOf is the Instant of a time.
func InstantOf(t time.Time) Instant { return Instant(t.UnixNano()) }

// Time is the moment as a time in UTC.
func (i Instant) Time() time.Time { return time.Unix(0, int64(i)).UTC() }

// Add is the moment d later; Never stays Never.
func (i Instant) Add(d time.Duration) Instant {
	if i == Never {
		return Never
	}
	return i + Instant(d)
}

// Sub is how much later i is than j.
func (i Instant) Sub(j Instant) time.Duration { return time.Duration(i - j) }
