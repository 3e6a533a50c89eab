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
