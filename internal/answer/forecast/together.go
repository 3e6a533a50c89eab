package forecast

import "github.com/muster-fleet/muster/internal/state/fleet"

// Together forecasts alternatives: workloads of which only one will be submitted, such as the
// same work asked about in several places. The answers have the order of the list.
//
// All alternatives are simulated on the same paths, which costs about as much as one call of
// When. One that starts leaves at once, so that it takes no room from the others; but work
// that it evicted does not come back at once. So do not mix in-quota work and flex work in
// one call: in-quota work evicts flex work. The state is not changed.
func Together(s *fleet.State, list []*fleet.Workload, now fleet.Instant, o Options) []Answer {
	out := make([]Answer, len(list))
	var ready []*fleet.Workload
	for i, w := range list {
		if grounds, ok := notReady(s, w); !ok {
			out[i] = unknown(grounds...)
		} else {
			ready = append(ready, w)
		}
	}
	if len(ready) == 0 {
		return out
	}
	part := func() *fleet.State { return around(s, ready, o.Most) }
	base := prepared(part, part, max(now, s.Time))
	if base == nil {
		for i := range out {
			out[i] = unknown(Ground{Kind: TooFar})
		}
		return out
	}
	answers := alternatives(base, ready, max(now, s.Time), o.withDefaults(s, now))
	for i, w := range list {
		if a, ok := answers[w.ID]; ok {
			out[i] = a
		}
	}
	return out
}

// alternatives answers for each workload by its ID.
func alternatives(base *fleet.State, list []*fleet.Workload, now fleet.Instant, o Options) map[uint64]Answer {
	ids := make([]uint64, len(list))
	for i, w := range list {
		ids[i] = w.ID
	}
	f := newForecast(base, ids, now, o)
	f.apart = true
	f.walk()
	latest, answers := f.latest(), map[uint64]Answer{}
	for _, id := range ids {
		answers[id] = f.alternative(id, latest)
	}
	return answers
}

// latest is when each alternative with a forecast starts if all work uses all of its declared
// maximum run time.
func (f *forecast) latest() map[uint64]fleet.Instant {
	known := map[uint64]bool{}
	for _, id := range f.ids {
		if f.ask(id).Answer.Known {
			known[id] = true
		}
	}
	if len(known) == 0 {
		return nil
	}
	p, _ := f.path(declared{}, known, false)
	return p.starts
}

// alternative is the answer about one alternative. What it rests on is taken from the path
// on which it starts at the median.
func (f *forecast) alternative(id uint64, latest map[uint64]fleet.Instant) Answer {
	a := f.ask(id).Answer
	if a.Known {
		a.Latest, a.RestsOn = latest[id], f.grounds[id][f.middle(id)]
	}
	return a
}
