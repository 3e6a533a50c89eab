package explain

import "github.com/muster-fleet/muster/internal/answer/reason"

// resting says that the workload would start now, but was evicted so often within an hour that it
// waits before it starts again on room that others may take.
func (q *question) resting() (Blocker, bool) {
	if !q.pl.KeptByRest(q.it) {
		return Blocker{}, false
	}
	times := len(q.w.Evicted)
	b := block(reason.Resting, q.p, map[string]int{"needs": q.gpus, "evictions": times}, nil,
		"It was evicted %d times within an hour. Room is free, but others may take it back at any time, so it rests first.", times)
	if !q.w.Flexes() {
		b.Text += " It starts sooner where its quota's own backing has room."
	}
	return b.until(Next{q.w.RestsUntil(), "its rest is over"}), true
}
