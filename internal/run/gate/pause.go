package gate

import (
	"context"
	"time"
)

// Pause waits so long, or until ctx ends; then it is false.
func Pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
