package forecast

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// History is what is known of how long things really take: which part of its
// declared maximum run time work uses, by namespace and by target, and how long
// nodes are out of service. It is read once and used by any number of forecasts.
type History struct {
	all        *habit
	namespaces map[string]*habit
	targets    map[string]*habit
	repairs    map[string]*outages // by partition
}

// Most of what is remembered, and the least.
const (
	mostEnded  = 4000 // workloads that ended last
	fewRepairs = 5    // repairs from which a partition's other repairs are forecast
)

// Learn reads a history from what a state remembers: its ended and its running
// workloads, and the nodes that were down.
func Learn(s *fleet.State, now fleet.Instant) *History {
	h := &History{all: &habit{}, namespaces: map[string]*habit{}, targets: map[string]*habit{}, repairs: map[string]*outages{}}
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
	r := reading{value: share(until.Sub(w.Started), w.MaxRuntime), open: open}
	h.all.add(w.MaxRuntime, r)
	of(h.namespaces, w.Namespace).add(w.MaxRuntime, r)
	of(h.targets, w.Target).add(w.MaxRuntime, r)
}

func of(habits map[string]*habit, key string) *habit {
	if habits[key] == nil {
		habits[key] = &habit{}
	}
	return habits[key]
}

// outages is how long nodes of a partition are out of service.
type outages struct {
	ended   int
	learned curve
}

func (h *History) noteRepairs(p *fleet.Partition, now fleet.Instant) {
	o := &outages{}
	var list []reading
	for _, d := range p.Downs {
		if d.To <= now {
			o.ended++
		}
		list = append(list, reading{value: int64(min(d.To, now).Sub(d.From)), open: d.To > now})
	}
	o.learned = newCurve(list)
	h.repairs[p.ID] = o
}

// close draws the curves.
func (h *History) close() {
	h.all.learn()
	for _, habits := range []map[string]*habit{h.namespaces, h.targets} {
		for _, x := range habits {
			if x.ended >= fewest {
				x.learn()
			}
		}
	}
}

// habitOf is the closest habit with experience: the namespace's, the target's,
// everybody's.
func (h *History) habitOf(w *fleet.Workload) curve {
	class := lengthClass(w.MaxRuntime)
	for _, x := range []*habit{h.namespaces[w.Namespace], h.targets[w.Target]} {
		if x != nil && x.ended >= fewest {
			return x.learned[class]
		}
	}
	return h.all.learned[class]
}

// runtime is how long a workload runs in all at the quantile p, given that it has run
// for some time already. ok is false if that cannot be known. Such a workload declares no
// maximum, or has outrun it and all that was ever seen.
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
