package bench

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time that the calling thread has had. (What getrusage
// says of it grows in steps of a scheduler's tick, which are longer than a decision.)
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
