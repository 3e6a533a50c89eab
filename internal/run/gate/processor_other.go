//go:build !linux

package gate

import "time"

// processorTime is not known: how long one thread has had a processor is asked on Linux only.
func processorTime() time.Duration { return 0 }
