package fleet

import (
	"slices"
	"time"
)

// A workload that was evicted RestAfter times within RestWindow rests: until the first of those
// evictions is RestWindow old it starts only as guaranteed. To start it sooner on room that others
// may take would most likely be its next eviction. After SparesAfter evictions it already spares
// others: it evicts no work for room that it would borrow (decision record 0017).
const (
	SparesAfter = 2
	RestAfter   = 3
	RestWindow  = time.Hour
)

// WasEvicted counts an eviction of the whole workload. The list of moments is never changed once it
// is there, so copies of the workload share it.
func (w *Workload) WasEvicted(at Instant) {
	keep := w.Evicted[max(0, len(w.Evicted)-RestAfter+1):]
	w.Evicted = append(slices.Clone(keep), at)
	w.Evictions++
}

// RestsUntil is the end of the workload's rest, which may be over; 0: it was not evicted often
// enough to rest.
func (w *Workload) RestsUntil() Instant { return w.oldWhen(RestAfter) }

// SparesUntil is the end of the time in which the workload evicts no work for room that it would
// borrow, which may be over; 0: it was not evicted often enough.
func (w *Workload) SparesUntil() Instant { return w.oldWhen(SparesAfter) }

// oldWhen is when the first of the workload's last n evictions is RestWindow old; 0: there are not
// as many, or they did not happen within that time.
func (w *Workload) oldWhen(n int) Instant {
	if len(w.Evicted) < n {
		return 0
	}
	list := w.Evicted[len(w.Evicted)-n:]
	if end := list[0].Add(RestWindow); list[n-1] < end {
		return end
	}
	return 0
}

// Rests says whether the workload may start only as guaranteed at a moment.
func (w *Workload) Rests(now Instant) bool { return now < w.RestsUntil() }

// Spares says whether the workload evicts no work for room that it would borrow at a moment.
func (w *Workload) Spares(now Instant) bool { return now < w.SparesUntil() }

// alarmsOfRest asks for a look at the end of a waiting workload's rest, wherever it waits.
func (s *State) alarmsOfRest(w *Workload, now Instant) {
	if w.State != Pending {
		return
	}
	for _, end := range []Instant{w.RestsUntil(), w.SparesUntil()} {
		for _, spot := range w.queued {
			if now < end {
				s.alarm(spot.partition, end, ofRest)
			}
		}
	}
}
