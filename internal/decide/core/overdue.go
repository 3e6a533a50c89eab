package core

import (
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// maxRepeat bounds the time between two repetitions of an order to leave.
const maxRepeat = time.Hour

// repeat gives orders again that were not reported as carried out: first when
// the report is as late as the reports of a stale cluster would be, then twice as
// long after each time. It frees nothing: two copies never run. Where
// reports have stopped it waits until they come again.
func (t *turn) repeat(p *fleet.Partition) {
	if c := t.s.Cluster(p.Cluster); c != nil && c.Stale {
		return
	}
	for _, w := range p.Late(t.now) {
		for _, o := range slices.Clone(w.Orders.All()) {
			if o.Again <= t.now {
				t.emit(event.ReplicasOverdue{
					ID: w.ID, Order: o.Number, Until: o.Until, For: o.For, Times: o.Repeats + 1, Again: t.now.Add(t.pause(o)),
				})
			}
		}
	}
}

func (t *turn) pause(o fleet.Order) time.Duration {
	first := t.s.Policy.Silence()
	return max(first, min(maxRepeat, first<<min(o.Repeats+1, 10)))
}
