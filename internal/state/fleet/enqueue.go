package fleet

import "slices"

// Which queues a workload waits in: one for each partition that it may stand in, or one for
// each pool that has not joined yet. queue.go says how one queue is ordered.

// requeue puts the workload into exactly the queues in which it waits.
func (s *State) requeue(w *Workload) {
	s.unqueue(w)
	if w.State.Ended() {
		return
	}
	if w.State == Pending {
		key := KeyOf(w, w.BaseRank(), false)
		for _, p := range s.Partitions {
			if !w.Paused && w.MayStandIn(p) {
				s.enqueue(w, p, Base, key)
			}
		}
		if len(w.queued) == 0 {
			s.nowhere[w.ID] = w
		}
		return
	}
	if w.State == RunningW {
		s.enqueueJoins(w)
	}
}

// enqueueJoins queues the pools that have fewer replicas than their min: those
// of higher rank that have not joined yet, and elastic ones that lost replicas. A
// gang that stands without being whole is mended instead.
func (s *State) enqueueJoins(w *Workload) {
	for i, p := range w.Pools {
		broken := !p.Elastic && w.Stays(i) > 0
		if w.Stays(i) < p.Min && w.InPhase(i, Leaving) == 0 && !broken {
			s.enqueue(w, w.partition, i, KeyOf(w, p.Rank, false))
		}
	}
}

func (s *State) enqueue(w *Workload, p *Partition, pool int, key Key) {
	q := p.queueOf(w)
	it := Waiting{Workload: w, Pool: pool, Key: key}
	if pool == Base {
		it.shape = s.shapeOf(w)
		it.rest = w.RestAt(s.heard)
		s.awaitRest(w)
		p.ask(w, 1)
	}
	if w.Flexes() || p.passes(w.Tree(), &it) {
		p.queued(w.Tree())
	}
	q.add(it)
	p.note(p.trees[w.Tree()])
	w.queued = append(w.queued, queueSpot{q, pool, p})
	p.Touch()
}

// passes says whether a unit comes before others that wait in its tree: a new
// head may lift a bar for those behind it. (On flex, who asks changes what is fair for all.)
func (p *Partition) passes(tree string, it *Waiting) bool {
	t := p.trees[tree]
	if t == nil {
		return false
	}
	last := func(a *Account) bool { return it.Before(a.queue.all.last()) }
	return slices.ContainsFunc(t.waits, last) || (t.leaving > 0 || len(p.Moving()) > 0) && p.passesReturning(t, it)
}

// passesReturning says whether a unit comes before work that is on its way to a queue of its tree.
func (p *Partition) passesReturning(t *Tree, it *Waiting) bool {
	return slices.ContainsFunc(p.Leaving(), func(w *Workload) bool {
		return w.returnsToTree() == t.name && it.Key.Before(w.lastKey())
	})
}

// lastKey is the key of a workload's least important pool.
func (w *Workload) lastKey() Key {
	rank := 0
	for _, p := range w.Pools {
		rank = max(rank, p.Rank)
	}
	return KeyOf(w, rank, false)
}

// queueOf is the queue in which a workload waits for room in the partition.
func (p *Partition) queueOf(w *Workload) *queue {
	if w.Flexes() {
		return &p.flexUse(w.Namespace).queue
	}
	return &p.accounts[w.Target].queue
}

func (s *State) unqueue(w *Workload) {
	delete(s.nowhere, w.ID)
	for _, spot := range w.queued {
		rank := w.BaseRank()
		if spot.pool != Base {
			rank = w.Pools[spot.pool].Rank
		}
		if spot.pool == Base {
			spot.partition.ask(w, -1)
		}
		spot.queue.remove(Waiting{Workload: w, Pool: spot.pool, Key: KeyOf(w, rank, false)})
		spot.partition.queued(w.Tree())
		spot.partition.Touch()
	}
	w.queued = w.queued[:0]
}

// requeueTarget lets workloads that already wait for a quota wait in its new
// account too, or no longer in one that ends, and those for flex in a new partition. What is on its way there
// is on its way to another account.
func (p *Partition) requeueTarget(quota string) {
	for _, id := range sortedIDs(p.state.Workloads) {
		switch w := p.state.Workloads[id]; {
		case w.Target == quota && w.State == Pending:
			p.state.requeue(w)
			p.state.alarmsOfRest(w, p.state.Time)
		case w.Moves != nil && w.Moves.Target == quota && w.watchedAt == p:
			p.state.watch(w)
		}
	}
}
