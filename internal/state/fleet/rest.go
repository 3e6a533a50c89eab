package fleet

import (
	"container/heap"
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
	list := w.Evicted.All()
	keep := list[max(0, len(list)-RestAfter+1):]
	w.Evicted = FewOf(append(slices.Clone(keep), at))
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
	list := w.Evicted.All()
	if len(list) < n {
		return 0
	}
	list = list[len(list)-n:]
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

// Rest says how a waiting unit is kept back because its workload was evicted again and again. Units of one
// shape that are kept back alike are of one kind: see queue.
type Rest uint8

// The rests of a unit.
const (
	Rested  Rest = iota // it is not kept back
	Sparing             // it evicts no work for room that it would borrow
	Resting             // it starts only as guaranteed
)

// RestAt is how the workload is kept back at a moment. On flex nothing is borrowed, so there it spares nothing.
func (w *Workload) RestAt(now Instant) Rest {
	switch {
	case w.Rests(now):
		return Resting
	case w.Spares(now) && !w.Flexes():
		return Sparing
	}
	return Rested
}

// restEnd is a moment at which a waiting workload is kept back less.
type restEnd struct {
	at Instant
	id uint64
}

type restEnds []restEnd

func (r restEnds) Len() int           { return len(r) }
func (r restEnds) Less(i, j int) bool { return r[i].at < r[j].at }
func (r restEnds) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *restEnds) Push(x any)        { *r = append(*r, x.(restEnd)) }
func (r *restEnds) Pop() any {
	last := len(*r) - 1
	x := (*r)[last]
	*r = (*r)[:last]
	return x
}

// awaitRest remembers the next moment at which a workload that waits is kept back less.
func (s *State) awaitRest(w *Workload) {
	end := w.RestsUntil()
	if end <= s.heard {
		end = w.SparesUntil()
	}
	if end > s.heard && w.restEnds != end {
		w.restEnds = end
		heap.Push(&s.rests, restEnd{end, w.ID})
	}
}

// rise files the units of workloads whose rest is over up to a moment, or less strict, among those that are kept back as
// they are now.
func (s *State) rise(now Instant) {
	s.heard = max(s.heard, now)
	for len(s.rests) > 0 && s.rests[0].at <= now {
		end := heap.Pop(&s.rests).(restEnd)
		if w := s.Workloads[end.id]; w != nil && w.restEnds == end.at {
			w.restEnds = 0
			s.refile(w)
		}
	}
}

// refile files the units of a workload's lowest-rank pools anew. They are asked again, and so is what hangs on who else
// waits beside them: one that rested headed no borrowers and no flex. It frees no room, so it concerns no others.
func (s *State) refile(w *Workload) {
	key := KeyOf(w, w.BaseRank(), false)
	for _, spot := range w.queued {
		if it := spot.queue.all.find(&Waiting{Workload: w, Pool: Base, Key: key}); spot.pool == Base && it != nil {
			spot.queue.unfile(it)
			it.rest, it.Memo = w.RestAt(s.heard), Memo{}
			spot.queue.file(it)
			spot.partition.queued(w.Tree())
			spot.partition.Touch()
		}
	}
	if w.State == Pending {
		s.awaitRest(w)
	}
}

// Heard is up to when what time brings was heard: see Ring. Waiting units are filed as they are kept back then.
func (s *State) Heard() Instant { return s.heard }
