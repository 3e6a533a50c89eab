package forecast

import "github.com/muster-fleet/muster/internal/fleet"

// Book keeps forecasts until it is known what came of them, and how far they were off.
type Book struct{}

func (b *Book) correct(a Answer, w *fleet.Workload, now fleet.Instant) Answer { return a }
