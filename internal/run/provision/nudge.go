package provision

import (
	"sync"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mostNudges is how many operations may be waiting for a look of their own. More are looked
// at when they are due.
const mostNudges = 10_000

// nudges are operations of which the outside says that something has happened.
type nudges struct {
	mu  sync.Mutex
	ids map[string]bool
}

// Nudge lets an operation be looked at in the next turn, and not when it is due. What has
// happened is what that look sees. It may be called from any goroutine, with any text.
func (r *Runner) Nudge(operation string) {
	n := &r.nudges
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ids == nil {
		n.ids = map[string]bool{}
	}
	if len(n.ids) < mostNudges {
		n.ids[operation] = true
	}
}

// take forgets when operations that were nudged would be looked at: it is now.
func (n *nudges) take(polls map[string]fleet.Instant) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for id := range n.ids {
		delete(polls, id)
	}
	clear(n.ids)
}
