package fleet

import "sort"

// worklists are the few workloads of a partition that placement must look at
// again and again. They are those with reserved room, those that miss replicas of a
// gang, those with elastic pools below max, and those with replicas on their
// way out. Each list is in order of ID.
type worklists struct{ reserving, broken, growing, leaving []*Workload }

// watch puts the workload on exactly the lists it belongs on.
func (s *State) watch(w *Workload) {
	if w.watchedAt != nil {
		w.watchedAt.shifted++ // which workload waits for which may have changed
		w.watchedAt.unwatch(w)
		w.watchedAt = nil
	}
	p := w.partition
	if p == nil {
		return
	}
	w.watchedAt = p
	if returns := w.returnsAtAll(); returns != w.returns {
		w.returns = returns
		p.queued(w.Tree())
	}
	if w.Flexes() && !w.State.Ended() && w.Moves == nil { // who is evicted asks again: shares stay as they are
		w.stands = w.Asks()
		p.flexUse(w.Namespace).standing += w.stands
	}
	if w.leaving() > 0 {
		if w.account != nil {
			w.leavesTree = w.account.root
			w.leavesTree.leaving++
		}
		p.worklists.leaving = insertByID(p.worklists.leaving, w)
	}
	if w.State.Ended() {
		return
	}
	if w.reserves() {
		p.worklists.reserving = insertByID(p.worklists.reserving, w)
	}
	if w.State == Mending || w.State == RunningW && w.lacks() {
		p.worklists.broken = insertByID(p.worklists.broken, w)
	}
	if w.State == RunningW && w.grows() {
		p.worklists.growing = insertByID(p.worklists.growing, w)
	}
}

func (p *Partition) unwatch(w *Workload) {
	if w.stands > 0 {
		p.flexUse(w.Namespace).standing -= w.stands
		w.stands = 0
	}
	p.worklists.reserving = removeByID(p.worklists.reserving, w)
	p.worklists.broken = removeByID(p.worklists.broken, w)
	p.worklists.growing = removeByID(p.worklists.growing, w)
	p.worklists.leaving = removeByID(p.worklists.leaving, w)
	if w.leavesTree != nil {
		w.leavesTree.leaving--
		w.leavesTree = nil
	}
}

func (w *Workload) reserves() bool {
	for i := range w.Pools {
		if w.InPhase(i, Reserved) > 0 {
			return true
		}
	}
	return false
}

// Returns says whether all of the workload is on its way back to its queue. One that was
// told again to leave is not: it is not known when it will be there.
func (w *Workload) Returns() bool {
	return w.State == Evicting && w.Moves == nil && !w.Overdue()
}

// Rejoins says whether a pool leaves a running workload and will wait to join it again.
func (w *Workload) Rejoins(pool int) bool {
	return w.State == RunningW && w.InPhase(pool, Leaving) > 0 && w.Stays(pool) < w.Pools[pool].Min && !w.Overdue()
}

func (w *Workload) returnsAtAll() bool {
	if w.Flexes() || w.leaving() == 0 {
		return false
	}
	for i := range w.Pools {
		if w.Rejoins(i) {
			return true
		}
	}
	return w.Returns()
}

// lacks says whether a gang stands here without being whole.
func (w *Workload) lacks() bool {
	for i, pool := range w.Pools {
		if n := w.Stays(i); !pool.Elastic && n > 0 && n < pool.Min {
			return true
		}
	}
	return false
}

func (w *Workload) grows() bool {
	for i, pool := range w.Pools {
		if n := w.Stays(i); pool.Elastic && n >= pool.Min && n < pool.Max {
			return true
		}
	}
	return false
}

func insertByID(list []*Workload, w *Workload) []*Workload {
	at := sort.Search(len(list), func(i int) bool { return list[i].ID >= w.ID })
	return insert(list, at, w)
}

func removeByID(list []*Workload, w *Workload) []*Workload {
	at := sort.Search(len(list), func(i int) bool { return list[i].ID >= w.ID })
	if at < len(list) && list[at] == w {
		return append(list[:at], list[at+1:]...)
	}
	return list
}

// Reserving lists the workloads with reserved room here.
func (p *Partition) Reserving() []*Workload { return p.worklists.reserving }

// Broken lists the workloads here that miss replicas of a gang.
func (p *Partition) Broken() []*Workload { return p.worklists.broken }

// Growing lists the workloads here with an elastic pool between min and max.
func (p *Partition) Growing() []*Workload { return p.worklists.growing }

// Leaving lists the workloads here with replicas on their way out.
func (p *Partition) Leaving() []*Workload { return p.worklists.leaving }

// Tried says whether placement has found no room for a waiting unit since
// anything changed that it could concern.
func (p *Partition) Tried(it *Waiting) bool { return it.tried == p.stampOf(it) }

// SetTried remembers that placement found no room for a waiting unit, which
// must be an item of one of the partition's queues. It is a cache: forgetting it
// costs time and changes no decision.
func (p *Partition) SetTried(it *Waiting) { it.tried = p.stampOf(it) }

// FlexStamp grows with everything that could change what is fair on flex or what stands there.
func (p *Partition) FlexStamp() uint64 { return p.epoch + p.leftFlex + 1 }

// FlexAsleep says whether no unit that waits for flex could start when flex was last
// looked at, and nothing has changed since that could concern them.
func (p *Partition) FlexAsleep() bool { return p.flexAsleep == p.FlexStamp() }

// SleepFlex says that no unit that waits for flex can start until something changes.
func (p *Partition) SleepFlex() { p.flexAsleep = p.FlexStamp() }

// FlexVersionOf grows with every change of a namespace's flex work, and of what time does to it.
func (p *Partition) FlexVersionOf(namespace string) uint64 {
	if f := p.flex[namespace]; f != nil {
		return f.version + p.aged
	}
	return p.aged
}

// Shifted grows with every change of what stands on nodes, and of their states.
func (p *Partition) Shifted() uint64 { return p.shifted }

// Grown and SetGrown are Tried and SetTried for the growth of elastic pools.
func (p *Partition) Grown(w *Workload) bool { return w.grown == p.stamp(w) }

// SetGrown remembers that placement found no room for the workload to grow.
func (p *Partition) SetGrown(w *Workload) { w.grown = p.stamp(w) }

// stamp grows with the partition's epoch and with every departure from the
// queues that the workload could stand behind in, and every placement from them. Both only grow, so equal sums
// mean that neither has.
func (p *Partition) stamp(w *Workload) uint64 {
	if w.account != nil {
		return p.epoch + w.account.root.left + w.account.root.queued + 1
	}
	return p.epoch + p.leftFlex + 1
}

// stampOf is stamp for a waiting unit: only what may bring what it lacks counts, and
// so does everything where the head of a queue depends on which nodes are healthy. What is told apart
// has stamps that cannot meet: a unit may be asked in one way, and not in the other.
func (p *Partition) stampOf(it *Waiting) uint64 {
	if it.account == nil {
		return p.FlexStamp()
	}
	t := it.account.root
	others := t.left
	if it.readsQueue {
		others += 1<<61 + t.queued
	}
	switch {
	case t.readers > 0 || it.lacks == LacksRoom:
		return p.epoch + others + 1
	case it.lacks == LacksNodes:
		return 1<<62 + p.bare + t.own + others
	}
	return 2<<62 + p.wide + t.own + others
}
