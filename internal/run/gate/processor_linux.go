package gate

import (
	"syscall"
	"time"
)

// processorTime is how long the calling thread has had a processor; 0: not known.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
