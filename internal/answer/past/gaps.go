package past

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mostGaps is how many gaps are remembered; the oldest are forgotten first.
const mostGaps = 1000

// skipDowntime leaves a time in which no server ran out of all that is summed: what stood then is
// not known. The record that tells of it is the first after that time.
func (b *Book) skipDowntime(at int64, r event.Record) {
	for _, e := range r.Events {
		if e, ok := e.(event.ServerStarted); ok {
			if from := max(b.At, int64(e.Since)/1e6); from < at {
				b.leaveOut(from, at)
			}
		}
	}
}

// leaveOut moves every sum, and every workload that runs, over a stretch of time.
func (b *Book) leaveOut(from, to int64) {
	for _, meters := range []map[string]*Meter{b.Islands, b.Partitions, b.Quotas, b.Losses, b.Waited} {
		for _, m := range meters { // each by itself: the order does not matter
			m.pass(from)
			m.At = max(m.At, to)
		}
	}
	for _, j := range b.Jobs {
		j.pass(from)
		j.At = to
		if j.Since != 0 {
			j.Since += fleet.Instant((to - from) * 1e6) // so that it has not run meanwhile
		}
	}
	b.Gaps = append(b.Gaps, Window{from, to})
	if n := len(b.Gaps) - mostGaps; n > 0 {
		b.Gaps = slices.Clone(b.Gaps[n:])
	}
}

// GapsIn are the times within a window in which no server ran: nothing of them is counted.
func (b *Book) GapsIn(w Window) []Window {
	var list []Window
	for _, g := range b.Gaps {
		if from, to := max(g.From, w.From), min(g.To, w.To); from < to {
			list = append(list, Window{from, to})
		}
	}
	return list
}

// lived is how long a window is without its gaps.
func (b *Book) lived(from, to int64) int64 {
	length := to - from
	for _, g := range b.GapsIn(Window{from, to}) {
		length -= g.To - g.From
	}
	return max(0, length)
}
