package fleet

import "sort"

// worklists are the few workloads of a partition that placement must look at
// again and again. They are those with reserved room, those that miss replicas of a
// gang, those with elastic pools below max, and those with replicas on their
// way out; of these, those that were retargeted are listed apart. Each list is in order of ID.
type worklists struct{ reserving, broken, growing, leaving, moving []*Workload }

// watch puts the workload on exactly the lists it belongs on.
func (s *State) watch(w *Workload) {
	if w.watchedAt != nil {
		w.watchedAt.changes.OnNodes++ // which workload waits for which may have changed
		w.watchedAt.unwatch(w)
		w.watchedAt = nil
	}
	p := w.partition
	if p == nil {
		return
	}
	w.watchedAt = p
	if returns := w.Moves == nil && (w.returnsToTree() != "" || w.ReturnsToFlex()); returns != w.returns {
		w.returns = returns
		p.queued(w.Tree())
	}
	if w.Flexes() && !w.State.Ended() && w.Moves == nil { // who is evicted asks again: shares stay as they are
		w.stands = int32(w.Asks())
		p.flexUse(w.Namespace).standing += int(w.stands)
	}
	if w.leaving() > 0 {
		if w.account != nil {
			w.leaves = true
			w.account.root.leaving++
		}
		p.worklists.leaving = insertByID(p.worklists.leaving, w)
		if w.Moves != nil {
			p.worklists.moving = insertByID(p.worklists.moving, w)
			p.queuedAnywhere()
		}
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
		p.flexUse(w.Namespace).standing -= int(w.stands)
		w.stands = 0
	}
	p.worklists.reserving = removeByID(p.worklists.reserving, w)
	p.worklists.broken = removeByID(p.worklists.broken, w)
	p.worklists.growing = removeByID(p.worklists.growing, w)
	p.worklists.leaving = removeByID(p.worklists.leaving, w)
	if moving := removeByID(p.worklists.moving, w); len(moving) < len(p.worklists.moving) {
		p.worklists.moving = moving
		p.queuedAnywhere()
	}
	w.leavesNoMore()
}

// queuedAnywhere notes in all trees and on flex that work on its way to another queue comes there, or does not. To which
// queue it was on its way before, it does not know any more.
func (p *Partition) queuedAnywhere() {
	p.queued(Flex)
	for _, t := range p.Trees() {
		p.queued(t.name)
	}
}

// leavesNoMore takes the workload from its tree's count of leavers, where it still has an account.
func (w *Workload) leavesNoMore() {
	if w.leaves {
		w.leaves = false
		w.account.root.leaving--
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

// Returns says whether all of the workload is on its way back to its queue, or to the one that it was retargeted to.
// One that was told again to leave is not: it is not known when it will be there.
func (w *Workload) Returns() bool {
	return w.State == Evicting && !w.Overdue()
}

// goesTo is the target for which what leaves the nodes of the workload will wait in the partition where it stands: its own, or that
// to which it was retargeted; "": none there.
func (w *Workload) goesTo() string {
	switch {
	case w.Moves == nil:
		return w.Target
	case w.Moves.Partition != "" && w.Moves.Partition != w.partition.ID:
		return ""
	}
	return w.Moves.Target
}

// ReturnsTo is the account for which what leaves the nodes of the workload will wait in the partition where it stands: its own,
// or that of the quota to which it was retargeted. It is nil on flex, and where that quota has none here for it.
func (w *Workload) ReturnsTo() *Account {
	if w.Moves == nil {
		return w.account
	}
	if a := w.partition.accounts[w.goesTo()]; a != nil && !a.Ending {
		return a
	}
	return nil
}

// ReturnsToFlex says whether all of the workload is on its way to the queue of flex in the partition where it stands: back to
// it, or by a retarget.
func (w *Workload) ReturnsToFlex() bool { return w.Returns() && w.goesTo() == Flex }

// Rejoins says whether a pool leaves a running workload and will wait to join it again.
func (w *Workload) Rejoins(pool int) bool {
	return w.State == RunningW && w.InPhase(pool, Leaving) > 0 && w.Stays(pool) < w.Pools[pool].Min && !w.Overdue()
}

// returnsToTree is the tree with a queue to which something of the workload is on its way, or "".
func (w *Workload) returnsToTree() string {
	if w.leaving() == 0 || w.Flexes() && w.Moves == nil {
		return ""
	}
	a, returns := w.ReturnsTo(), w.Returns()
	for i := range w.Pools {
		returns = returns || w.Rejoins(i)
	}
	if a == nil || !returns {
		return ""
	}
	return a.tree
}

// lacks says whether a gang stands here without being whole.
func (w *Workload) lacks() bool {
	for i := range w.Pools {
		if w.Stays(i) > 0 && w.Misses(i) > 0 {
			return true
		}
	}
	return false
}

// Misses is how many replicas a gang needs to be whole; of an elastic pool none.
func (w *Workload) Misses(pool int) int {
	if w.Pools[pool].Elastic {
		return 0
	}
	return max(0, w.Pools[pool].Min-w.Stays(pool))
}

// IsMended says whether what a gang of the workload misses was lost while it ran. Of one that has yet to start
// it is room that was reserved, which is given up.
func (w *Workload) IsMended() bool { return w.State == Mending || w.State == RunningW }

func (w *Workload) grows() bool {
	for i := range w.Pools {
		if w.MayGrow(i) > 0 {
			return true
		}
	}
	return false
}

// MayGrow is by how many replicas an elastic pool may grow. What leaves it still counts, for it holds its GPUs until it has left:
// a pool never holds more than its max.
func (w *Workload) MayGrow(pool int) int {
	p, stays := w.Pools[pool], w.Stays(pool)
	if !p.Elastic || stays < p.Min {
		return 0
	}
	return max(0, p.Max-stays-w.InPhase(pool, Leaving))
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

// Moving lists those among them that were retargeted.
func (p *Partition) Moving() []*Workload { return p.worklists.moving }

// FlexVersionOf grows with every change of a namespace's flex work, and of what time does to it.
func (p *Partition) FlexVersionOf(namespace string) uint64 {
	if f := p.flex[namespace]; f != nil {
		return f.version + p.changes.Ages
	}
	return p.changes.Ages
}

// Shifted grows with every change of what stands on nodes, and of their states.
func (p *Partition) Shifted() uint64 { return p.changes.OnNodes }
