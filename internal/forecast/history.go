package forecast

import (
	"time"

	"github.com/muster-fleet/muster/internal/fleet"
)

// History is what is known of how long things really take: which part of its
// declared maximum run time work uses, by namespace and by target, and how long
// nodes are out of service. It is read once and used by any number of forecasts.
type History struct {
	all        *habit
	namespaces map[string]*habit
	targets    map[string]*habit
	repairs    map[string]*habit // by partition
}

// Most of what is remembered, and the least that counts as experience.
const (
	mostEnded  = 4000 // workloads that ended last
	fewest     = 20   // ends that make a namespace's habit one of its own
	prior      = 10   // readings, beside the real ones, of work that uses all it declared
	fewRepairs = 5    // repairs from which a partition's other repairs are forecast
)

// unit is all of a declared maximum run time; shares of it are counted in it.
const unit = 10_000

// habit is a distribution on its way.
type habit struct {
	readings []reading
	ended    int
	learned  *curve
}

func (h *habit) add(r reading) {
	h.readings = append(h.readings, r)
	if !r.open {
		h.ended++
	}
}

// Learn reads a history from what a state remembers: its ended and its running
// workloads, and the nodes that were down.
func Learn(s *fleet.State, now fleet.Instant) *History {
	h := &History{all: &habit{}, namespaces: map[string]*habit{}, targets: map[string]*habit{}, repairs: map[string]*habit{}}
	last := s.EndedOrder[max(0, len(s.EndedOrder)-mostEnded):]
	for _, id := range last {
		if w := s.Workloads[id]; w != nil {
			h.note(w, w.Ended, false)
		}
	}
	for _, w := range s.Workloads {
		if !w.State.Ended() {
			h.note(w, now, true)
		}
	}
	for _, p := range s.Partitions {
		h.noteRepairs(p, now)
	}
	h.close()
	return h
}

// note takes in how much of its maximum a workload has used. What was evicted
// and resumed does not say: a part of it ran before.
func (h *History) note(w *fleet.Workload, until fleet.Instant, open bool) {
	if w.MaxRuntime <= 0 || w.Started == 0 || w.Evictions > 0 && w.CheckpointEvery > 0 {
		return
	}
	r := reading{share(until.Sub(w.Started), w.MaxRuntime), open}
	h.all.add(r)
	of(h.namespaces, w.Namespace).add(r)
	of(h.targets, w.Target).add(r)
}

// share is a time as a part of the declared maximum, in units.
func share(ran, most time.Duration) int64 {
	ran = max(0, ran)
	if most > 1<<40 { // about 18 minutes: whole multiples of it are exact enough, and cannot overflow
		return int64(ran/1024) * unit / int64(most/1024)
	}
	return int64(min(ran, 1<<48)) * unit / int64(most)
}

func of(habits map[string]*habit, key string) *habit {
	if habits[key] == nil {
		habits[key] = &habit{}
	}
	return habits[key]
}

func (h *History) noteRepairs(p *fleet.Partition, now fleet.Instant) {
	for _, d := range p.Downs {
		r := reading{int64(min(d.To, now).Sub(d.From)), d.To > now}
		of(h.repairs, p.ID).add(r)
	}
}

// close draws the curves.
func (h *History) close() {
	believe(h.all)
	for _, habits := range []map[string]*habit{h.namespaces, h.targets} {
		for _, x := range habits {
			believe(x)
		}
	}
	for _, x := range h.repairs {
		c := newCurve(x.readings)
		x.learned = &c
	}
}

// believe draws a curve from what was seen, and beside it from work that uses all it
// declared: where nothing was seen, the declaration is all that is known.
func believe(x *habit) {
	list := x.readings
	for range prior {
		list = append(list, reading{value: unit})
	}
	c := newCurve(list)
	x.learned = &c
}

// habitOf is the closest habit with experience: the namespace's, the target's,
// everybody's.
func (h *History) habitOf(w *fleet.Workload) *curve {
	for _, x := range []*habit{h.namespaces[w.Namespace], h.targets[w.Target]} {
		if x != nil && x.ended >= fewest {
			return x.learned
		}
	}
	return h.all.learned
}

// runtime is how long a workload runs in all at the quantile p, given that it has run
// for some time already; ok is false if nobody can know: it declares no maximum,
// or has outrun it and all that was ever seen.
func (h *History) runtime(w *fleet.Workload, ran time.Duration, p int64) (total time.Duration, ok bool) {
	if w.MaxRuntime <= 0 {
		return 0, false
	}
	part, ok := h.habitOf(w).beyond(share(ran, w.MaxRuntime), p)
	switch {
	case ok:
		return max(ran, scale(w.MaxRuntime, part)), true
	case ran < w.MaxRuntime:
		return w.MaxRuntime, true
	}
	return 0, false
}

// scale is this many units of a time.
func scale(d time.Duration, units int64) time.Duration {
	return d/unit*time.Duration(units) + d%unit*time.Duration(units)/unit
}

// repair is how long a node of a partition is out of service in all, given how
// long it has been; ok is false where too few have come back to say.
func (h *History) repair(p *fleet.Partition, down time.Duration, q int64) (total time.Duration, ok bool) {
	x := h.repairs[p.ID]
	if x == nil || x.ended < fewRepairs {
		return 0, false
	}
	value, ok := x.learned.beyond(int64(down), q)
	return time.Duration(value), ok
}
