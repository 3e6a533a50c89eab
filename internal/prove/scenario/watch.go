package scenario

import (
	"context"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Watcher sees each record and the state after it, before anything else happens.
// The state is the engine's own: a watcher reads it, and keeps none of it.
type Watcher func(event.Record, *fleet.State)

// Watch tells the story of a file as Run does, with a watcher that looks on.
func Watch(ctx context.Context, f *File, w Watcher) (Report, error) {
	return (&telling{file: f, watch: w}).reported(ctx)
}
