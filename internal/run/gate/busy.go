package gate

import (
	"runtime"
	"time"
)

// Busy begins to count how long the calling goroutine has a processor, until took is called on the same goroutine. What it
// waits for does not count: other work, a lock, or a machine that is too busy. So a caller whose call was kept waiting by
// others does not pay for it. The goroutine has a thread of its own meanwhile, for the kernel counts by threads. Where
// it does not say, all time counts.
func Busy() (took func() time.Duration) {
	runtime.LockOSThread()
	all, had := Elapsed(), worked()
	return func() time.Duration {
		defer runtime.UnlockOSThread()
		now := worked()
		if now == 0 {
			return all()
		}
		return min(all(), max(0, now-had))
	}
}

// worked is how long the calling thread has worked, with what others did for it; 0: not known.
func worked() time.Duration {
	own := processorTime()
	if others := workedFor(); others != nil && own > 0 {
		own += *others
	}
	return own
}

// Elapsed counts all time, as Busy does where the kernel does not say more.
func Elapsed() (took func() time.Duration) {
	began := time.Now()
	return func() time.Duration { return time.Since(began) }
}
