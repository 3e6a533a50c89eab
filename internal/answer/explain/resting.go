package explain

import (
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// resting says that the workload would start now, but was evicted so often within an hour that it
// waits before it starts again on room that others may take, or evicts others for such room.
func (q *question) resting() (Blocker, bool) {
	if !q.pl.KeptByRest(q.it) {
		return Blocker{}, false
	}
	times, rests := evictedLately(q.w, q.now), q.w.Rests(q.now)
	text := "It was evicted %d times within an hour, so until the first of them is an hour old it evicts no other work for room that it would borrow. It starts sooner where room is free."
	if rests {
		text = "It was evicted %d times within an hour. Room is free, but others may take it back at any time, so it rests first."
	}
	b := block(reason.Resting, q.p, map[string]int{"needs": q.gpus, "evictions": times}, nil, text, times)
	if rests && !q.w.Flexes() {
		b.Text += " It starts sooner where its quota's own backing has room, behind more important work of its quota."
	}
	until := q.w.SparesUntil()
	if rests {
		until = q.w.RestsUntil()
	}
	return b.until(Next{until, "its rest is over"}), true
}

// evictedLately counts the workload's evictions within the last hour, as far as it remembers them.
func evictedLately(w *fleet.Workload, now fleet.Instant) (times int) {
	for _, at := range w.Evicted.All() {
		if now.Sub(at) < fleet.RestWindow {
			times++
		}
	}
	return times
}
