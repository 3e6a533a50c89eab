package fleet

import (
	"cmp"
	"slices"
)

// Alive lists the workloads that have not ended, in order of ID. The state keeps the list: who is given it changes
// nothing of it. Of all that a state knows most has ended long ago.
func (s *State) Alive() []*Workload { return s.alive }

// lives lists a workload among those that have not ended. A new one comes last.
func (s *State) lives(w *Workload) {
	if at, found := s.aliveAt(w.ID); !found {
		s.alive = slices.Insert(s.alive, at, w)
	}
}

// livesNoMore takes a workload from that list.
func (s *State) livesNoMore(w *Workload) {
	if at, found := s.aliveAt(w.ID); found {
		s.alive = slices.Delete(s.alive, at, at+1)
	}
}

func (s *State) aliveAt(id uint64) (int, bool) {
	return slices.BinarySearchFunc(s.alive, id, func(w *Workload, id uint64) int { return cmp.Compare(w.ID, id) })
}

// living lists the copies of those of some workloads that have not ended, in the order in which they come.
func (f *fork) living(list []*Workload) {
	f.to.alive = make([]*Workload, 0, len(list)+1) // one more is about to come
	for _, w := range list {
		if !w.State.Ended() {
			f.to.alive = append(f.to.alive, f.work[w])
		}
	}
}
