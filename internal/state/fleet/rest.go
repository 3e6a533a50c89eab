package fleet

import (
	"slices"
	"time"
)

// A workload that was evicted RestAfter times within RestWindow rests: until the first of those
// evictions is RestWindow old it starts only as guaranteed. To start it sooner on room that others
// may take would most likely be its next eviction (decision record 0017).
const (
	RestAfter  = 3
	RestWindow = time.Hour
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
func (w *Workload) RestsUntil() Instant {
	if len(w.Evicted) < RestAfter {
		return 0
	}
	first, last := w.Evicted[0], w.Evicted[len(w.Evicted)-1]
	if end := first.Add(RestWindow); last < end {
		return end
	}
	return 0
}

// Rests says whether the workload may start only as guaranteed at a moment.
func (w *Workload) Rests(now Instant) bool { return now < w.RestsUntil() }

// alarmsOfRest asks for a look at the end of a waiting workload's rest, wherever it waits.
func (s *State) alarmsOfRest(w *Workload, now Instant) {
	if w.State != Pending || !w.Rests(now) {
		return
	}
	for _, spot := range w.queued {
		s.alarm(spot.partition, w.RestsUntil(), ofRest)
	}
}
