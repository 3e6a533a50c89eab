package gate

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is how long the calling thread has had a processor; 0: not known. What the kernel counts for
// getrusage(2) moves in steps of some milliseconds, and most calls take less.
func processorTime() time.Duration {
	var used unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &used); err != nil {
		return 0
	}
	return time.Duration(used.Nano())
}
