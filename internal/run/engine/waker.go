package engine

import (
	"strings"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// waker wakes the clusters that a record concerns. Those are the clusters on which a workload
// that it names stands after the record, or stood before it. A record that names no workload
// wakes none.
type waker struct {
	wake   func(cluster string)
	stands map[uint64]string // cluster by workload
}

func newWaker(wake func(string), s *fleet.State) *waker {
	w := &waker{wake: wake, stands: map[uint64]string{}}
	for id, is := range s.Workloads {
		w.note(id, is)
	}
	return w
}

// note remembers where a workload stands; it returns where it stood before and where it
// stands now, "" for nowhere.
func (w *waker) note(id uint64, is *fleet.Workload) (before, now string) {
	before = w.stands[id]
	if is != nil && is.At() != nil {
		now, _, _ = strings.Cut(is.Where, "/")
		w.stands[id] = now
	} else {
		delete(w.stands, id)
	}
	return before, now
}

// plan returns what wakes the clusters that a record is about.
func (w *waker) plan(r event.Record, s *fleet.State) func() {
	clusters := map[string]bool{}
	for _, e := range r.Events {
		if id := event.Workload(e); id != 0 {
			before, now := w.note(id, s.Workloads[id])
			clusters[before], clusters[now] = true, true
		}
	}
	delete(clusters, "")
	return func() {
		for cluster := range clusters { // each is woken for itself: their order says nothing
			w.wake(cluster)
		}
	}
}
