package forecast

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Together forecasts several workloads of which only one is to be: the same work, asked about
// in several places. All go the same paths. One that starts leaves again at once, so that the
// others start as if it had not been there. Work that it evicted has to start anew. So
// in-quota work and flex work, which gives way to it, are better asked about apart.
// It costs about as much as When does for one of them. The state is not changed.
func Together(s *fleet.State, list []*fleet.Workload, now fleet.Instant, o Options) []Answer {
	out := make([]Answer, len(list))
	var ids []uint64
	var waiting []*fleet.Workload
	for i, w := range list {
		grounds, ready := notReady(s, w)
		if !ready {
			out[i] = unknown(grounds...)
			continue
		}
		ids, waiting = append(ids, w.ID), append(waiting, w)
	}
	if len(ids) == 0 {
		return out
	}
	part := around(s, waiting, o.Most)
	if part == nil {
		for i := range out {
			out[i] = unknown(Ground{Kind: TooFar})
		}
		return out
	}
	f := newForecast(part, ids, max(now, s.Time), o.withDefaults(s, now))
	f.apart = true
	f.walk()
	latest := f.latest()
	for i, w := range list {
		if slices.Contains(ids, w.ID) {
			out[i] = f.shared(w.ID, latest)
		}
	}
	return out
}

// latest is when each starts if everything uses all of its declared time.
func (f *forecast) latest() map[uint64]fleet.Instant {
	asked := map[uint64]bool{}
	for _, id := range f.ids {
		if f.ask(id).Answer.Known {
			asked[id] = true
		}
	}
	if len(asked) == 0 {
		return nil
	}
	p, _ := f.path(declared{}, asked, false)
	return p.starts
}

// shared is the answer about one of several workloads.
func (f *forecast) shared(id uint64, latest map[uint64]fleet.Instant) Answer {
	a := f.ask(id).Answer
	if a.Known {
		a.Latest, a.RestsOn = latest[id], f.grounds[id][f.middle(id)]
	}
	return a
}
