package fleet

import "slices"

// ForkAhead is ForkOf without what waits behind the first units of each kind, most of each: it
// costs what the fleet costs, however much waits. Decisions look at the first of each kind, so
// what is decided on the copy is what would be decided on the state, unless more of a kind
// start than were copied, or work is meant that waits nowhere yet.
func (s *State) ForkAhead(list []*Partition, most int) *State {
	return s.part(list, s.workloadsAhead(list, most), most)
}

// mostAhead is how many units of one queue ForkAhead copies, of whatever kinds.
const mostAhead = 4096

// workloadsAhead lists the workloads that stand in some partitions, and the first that wait
// there, most of each kind, in order of ID.
func (s *State) workloadsAhead(list []*Partition, most int) (work []*Workload) {
	add := func(units []*Waiting) {
		for _, it := range units {
			work = append(work, it.Workload)
		}
	}
	for _, p := range list {
		work = append(work, p.flexWork...)
		for _, name := range p.flexWaits {
			add(p.flex[name].queue.ahead(most))
		}
		for _, a := range p.Accounts {
			work = append(work, a.work...)
			add(a.queue.ahead(most))
		}
	}
	return eachOnce(work)
}

// ahead lists the first units of each kind, in order; at least one where one waits.
func (q *queue) ahead(most int) (list []*Waiting) {
	for _, first := range q.firsts {
		for it, n := first, 0; it != nil && n < most && len(list) < mostAhead; n++ {
			list = append(list, it)
			it = q.kinds[it.kind].after(it)
		}
	}
	slices.SortFunc(list, compareWaiting)
	return list
}

// queueAhead gives a copied queue the first units of each kind.
func (f *fork) queueAhead(q *queue) {
	units := q.ahead(f.most)
	twins, own := make(map[*Waiting]*Waiting, len(units)), make([]Waiting, len(units))
	firsts := q.firsts
	q.all, q.kinds, q.firsts = sortedQueue{}, nil, nil
	for i, it := range units {
		own[i] = *it
		f.unit(twins, it, &own[i])
		q.all.push(&own[i])
		if q.kinds == nil {
			q.kinds = map[kind]*sortedQueue{}
		}
		if q.kinds[it.kind] == nil {
			q.kinds[it.kind] = &sortedQueue{}
		}
		q.kinds[it.kind].push(&own[i])
	}
	for _, first := range firsts {
		if twin := twins[first]; twin != nil {
			q.firsts = append(q.firsts, twin)
		}
	}
}

// push adds a unit behind all others.
func (r *sortedQueue) push(it *Waiting) {
	r.size++
	if last := len(r.pieces) - 1; last >= 0 && len(r.pieces[last]) < pieceMost/2 {
		r.pieces[last] = append(r.pieces[last], it)
		return
	}
	r.pieces = append(r.pieces, append(make([]*Waiting, 0, pieceMost/2), it))
}
