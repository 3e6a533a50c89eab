package fleet

import "slices"

// ForkAhead is Fork without what waits behind the first units of each kind, most of each: it
// costs what the fleet costs, however much waits. Decisions look at the first of each kind, so
// what is decided on the copy is what would be decided on the state. That holds for fewer than
// AheadDepth starts of a kind, and for work that is copied: not what waits far behind, or nowhere yet.
func (s *State) ForkAhead(most int) *State { return s.fork(most) }

// TryAhead is ForkAhead in the place of the copy that it made before, which must not be looked at any more. It is for what
// is tried on the copy and over before the state is changed: people change quotas all day, and each try would cost megabytes.
func (s *State) TryAhead(most int) *State {
	if s.trials == nil {
		s.trials = &Arena{}
	}
	s.trials.empty()
	return s.forkBy(&fork{Arena: s.trials, most: most})
}

// ForgetSpare gives back what copies of a state do not have: the memory in which TryAhead makes its own, and the texts and pools
// that new workloads would share.
func (s *State) ForgetSpare() { s.trials, s.shared = nil, shared{} }

// mostAhead is how many units of one queue ForkAhead copies: of many kinds fewer of each.
const mostAhead = 4096

// AheadDepth is how many units of each kind ForkAhead copies at least, where so many wait.
func (s *State) AheadDepth(most int) int {
	depth := most
	for _, p := range s.Partitions {
		for _, name := range p.flexWaits {
			depth = min(depth, p.flex[name].queue.depth(most))
		}
		for _, a := range p.Accounts {
			depth = min(depth, a.queue.depth(most))
		}
	}
	return depth
}

// depth is how many units of each kind are copied.
func (q *queue) depth(most int) int {
	return min(most, max(2, mostAhead/max(1, len(q.firsts))))
}

// workloadsAhead copies the workloads that stand somewhere, and those of the first units.
func (f *fork) workloadsAhead(s *State) {
	var work []*Workload
	add := func(units []*Waiting) {
		for _, it := range units {
			work = append(work, it.Workload)
		}
	}
	for _, p := range s.Partitions {
		work = append(work, p.flexWork...)
		for _, name := range p.flexWaits {
			add(p.flex[name].queue.firstOfKinds(f.most))
		}
		for _, a := range p.Accounts {
			work = append(work, a.work...)
			add(a.queue.firstOfKinds(f.most))
		}
	}
	work = eachOnce(work)
	f.copies(len(work), slices.Values(work))
	f.living(work)
	f.rename(s)
}

// firstOfKinds lists the first units of each kind, and the last of all: in no order, and that one
// perhaps twice.
func (q *queue) firstOfKinds(most int) (list []*Waiting) {
	for _, first := range q.firsts {
		// Of those that rest it takes all: which of them comes next is a matter of when its rest ends.
		for it, n := first, 0; it != nil && (n < q.depth(most) || first.rest != Rested); n++ {
			list = append(list, it)
			it = q.kinds[it.kind].after(it)
		}
	}
	if last := q.all.last(); last != nil {
		list = append(list, last)
	}
	return list
}

// ahead lists the first units of each kind, and the last of all, in order.
func (q *queue) ahead(most int) []*Waiting {
	list := q.firstOfKinds(most)
	slices.SortFunc(list, compareWaiting)
	return slices.Compact(list)
}

// queueOf gives a copied queue some units of the original's alone, in order.
func (f *fork) queueOf(q *queue, units []*Waiting) {
	twins, own := make(map[*Waiting]*Waiting, len(units)), make([]Waiting, len(units))
	if q.all, q.kinds, q.firsts = (sortedQueue{}), nil, nil; len(units) > 0 {
		q.kinds = map[kind]*sortedQueue{}
	}
	for i, it := range units {
		own[i] = *it
		f.unit(twins, it, &own[i])
		q.all.push(&own[i])
		if q.kinds[it.kind] == nil {
			q.kinds[it.kind], q.firsts = &sortedQueue{}, append(q.firsts, &own[i])
		}
		q.kinds[it.kind].push(&own[i])
	}
}

// push adds a unit behind all others.
func (r *sortedQueue) push(it *Waiting) {
	r.count(it, 1)
	if last := len(r.pieces) - 1; last >= 0 && len(r.pieces[last]) < pieceMost/2 {
		r.pieces[last] = append(r.pieces[last], it)
		return
	}
	r.pieces = append(r.pieces, append(make([]*Waiting, 0, pieceMost/2), it))
}
