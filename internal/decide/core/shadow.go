package core

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ShadowOf is what would be decided in a cluster at a moment, were it in mode
// enforce: the events of its partitions, of which none happens.
func ShadowOf(s *fleet.State, cluster string, now fleet.Instant) []event.Event {
	t := newTurn(s.Fork(), max(now, s.Time))
	t.settle() // what happens anyway
	from := len(t.events)
	t.s.SetMode(cluster, fleet.Enforce)
	t.settle()
	return slices.Clone(t.events[from:])
}
