package fleet

import "slices"

// ForkTrial is ForkOf into an arena, for what is tried on the copy. It has no ended work that holds nothing any more, of
// which only the past asks, and no waiting work that a function names (nil: none): as if that had never come. Of a long queue
// most waits in trees that a trial does not concern, and what is not copied costs next to nothing.
func (s *State) ForkTrial(list []*Partition, leave func(*Workload) bool, a *Arena) *State {
	a.empty()
	f := &fork{Arena: a, sparse: true}
	if len(list) < len(s.Partitions) {
		work := f.without(s.workloadsIn(list), leave)
		s.part(f, list, work)
	} else {
		list, f.some = s.Partitions, f.without(s.lasting(), leave)
		s.forkBy(f)
		for _, p := range f.to.Partitions {
			p.failures = nil // a trial is not asked why something failed
		}
	}
	f.forget(list)
	return f.to
}

// lasting lists the workloads that have not ended, in order of ID, and those that still hold something.
func (s *State) lasting() []*Workload {
	work := slices.Clone(s.alive)
	for _, id := range s.EndedOrder {
		if w := s.Workloads[id]; w != nil && w.partition != nil {
			work = append(work, w)
		}
	}
	return work
}

// without is a list of workloads without those that wait and are to be left out, which it notes.
func (f *fork) without(work []*Workload, leave func(*Workload) bool) []*Workload {
	if leave == nil {
		return work
	}
	return remove(work, func(w *Workload) bool {
		left := w.State == Pending && leave(w)
		if left {
			f.left = append(f.left, w)
		}
		return left
	})
}

// workloadsLasting copies workloads that lasting lists, or some of them.
func (f *fork) workloadsLasting(s *State) {
	f.copies(len(f.some), slices.Values(f.some))
	f.living(f.some)
	f.rename(s)
	if s.EndedOrder == nil {
		return
	}
	f.to.EndedOrder = []uint64{}
	for _, w := range f.some {
		if w.State.Ended() {
			f.to.EndedOrder = append(f.to.EndedOrder, w.ID)
		}
	}
}

// kept lists the units of a queue whose workloads are copied; all says whether these are all of it.
func (f *fork) kept(q *queue) (units []*Waiting, all bool) {
	for it := range q.all.each() {
		if f.work[it.Workload] != nil {
			units = append(units, it)
		}
	}
	return units, len(units) == q.all.size
}

// forget brings the copies of partitions to where they would be, had the workloads that were left out left their queues.
func (f *fork) forget(list []*Partition) {
	for _, w := range f.left {
		for _, spot := range w.queued {
			if p := f.partitions[spot.partition]; p != nil {
				p.ask(w, -1)
				p.queued(w.Tree())
				p.Touch()
				f.readsLess(spot.queue.account, w)
			}
		}
	}
	if len(f.left) > 0 {
		f.idle(list)
	}
}

// readsLess counts a workload out that waits for an account no more; nil: it waited for flex.
func (f *fork) readsLess(a *Account, w *Workload) {
	if a != nil && w.ReadsMetal() {
		f.trees[a.root].readers--
	}
}

// idle tells partitions in which queues nothing waits any more.
func (f *fork) idle(list []*Partition) {
	for _, p := range list {
		for _, a := range p.Accounts {
			if q := &f.accounts[a].queue; a.queue.all.size > 0 && q.all.size == 0 {
				q.idle()
			}
		}
		for _, name := range p.flexWaits {
			if q := &f.partitions[p].flex[name].queue; q.all.size == 0 {
				q.idle()
			}
		}
	}
}
