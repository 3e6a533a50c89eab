package fleet

// attention is what planned work is to look at again. It is derived: a state that was loaded or copied has all of it
// looked at.
type attention struct {
	look  bool               // something changed: in all, or in a partition (Partition.look)
	all   bool               // what concerns every rollout
	wakes map[string]Instant // by rollout: when time alone may change what it does; "": what concerns every rollout
	asked Instant            // last moment that was asked for, see WakeMaintenance
}

// lookAt says that something changed in a partition that planned work there may act on.
func (s *State) lookAt(p *Partition) {
	if s.look = true; p != nil {
		p.look = true
	} else {
		s.all = true
	}
}

// lookAtAll says that something changed that any rollout may act on.
func (s *State) lookAtAll() { s.look, s.all = true, true }

// Looks says whether something changed that maintenance may act on.
func (s *State) Looks() bool { return s.look }

// LooksAtAll says whether something changed that any rollout may act on, or the moment for that has come.
func (s *State) LooksAtAll(now Instant) bool { return s.all || s.Due("", now) }

// Due says whether the moment has come from which on time alone may change what a rollout does. Of one that was never
// looked at it has.
func (s *State) Due(rollout string, now Instant) bool {
	at, known := s.wakes[rollout]
	return !known || at <= now
}

// WakeOf is the moment that was asked for a rollout, or the past.
func (s *State) WakeOf(rollout string) Instant { return s.wakes[rollout] }

// Looked says that maintenance has looked at all that changed, and found nothing to do; it asks for a look at moments,
// by rollout.
func (s *State) Looked(wakes map[string]Instant) {
	s.look, s.all, s.wakes = false, false, wakes
	first := Never
	for _, at := range wakes {
		first = min(first, at)
	}
	for _, p := range s.Partitions {
		p.look = false
	}
	s.wakeMaintenance(first)
}

func (s *State) wakeMaintenance(at Instant) {
	if at != Never && at != s.asked {
		s.asked = at
		s.alarm(nil, at, ofVisit)
	}
}

// Looks says whether something changed in the partition that planned work may act on.
func (p *Partition) Looks() bool { return p.look }
