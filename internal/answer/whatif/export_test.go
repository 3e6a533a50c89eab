package whatif

import (
	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ChangesInWhole is Changes with everything tried on copies of the whole fleet.
func ChangesInWhole(s *fleet.State, w *fleet.Workload, why []explain.Blocker, now fleet.Instant, b Budget) Found {
	x := newTries(s, now, b)
	x.whole = true
	return changes(x, w, why)
}

// PartsKept searches for changes, and counts the parts of the fleet that were tried on and the copies of parts that were kept.
func PartsKept(s *fleet.State, w *fleet.Workload, why []explain.Blocker, now fleet.Instant) (tried, kept int) {
	b := newTries(s, now, Budget{})
	changes(b, w, why)
	for _, part := range b.parts {
		if tried++; part != nil {
			kept++
		}
	}
	return tried, kept
}
