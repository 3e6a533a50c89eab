package web

import (
	"context"
	"runtime"
)

// turns are how many pages are worked out at one time: half of what the process may use at
// most, so that however many pages are open a decision finds the other half free.
type turns chan struct{}

func newTurns() turns { return make(turns, max(1, runtime.GOMAXPROCS(0)/2)) }

// take waits for a turn; false: nobody waits for the page any more.
func (t turns) take(ctx context.Context) bool {
	select {
	case t <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (t turns) give() { <-t }
