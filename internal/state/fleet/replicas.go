package fleet

import (
	"fmt"
	"slices"
	"sort"
)

// This file is the one place where replicas take and give back GPUs. Each
// change takes the node out of all counts, changes it, and counts it again.

// Spot is a pool's replicas on nodes, one replica per mention of a node. Order
// names the order to leave that they obey; 0 says nothing of orders.
type Spot struct {
	Pool  int    `json:"pool"`
	Nodes []int  `json:"nodes"`
	Order uint64 `json:"order,omitempty"`
}

func (s Spot) String() string {
	if s.Order == 0 {
		return fmt.Sprintf("{%d %v}", s.Pool, s.Nodes)
	}
	return fmt.Sprintf("{%d %v by order %d}", s.Pool, s.Nodes, s.Order)
}

// Count is the number of replicas in the spots.
func Count(spots []Spot) int {
	t := 0
	for _, s := range spots {
		t += len(s.Nodes)
	}
	return t
}

// Place gives replicas of a workload room on nodes, reserved or running.
func (s *State) Place(w *Workload, p *Partition, spots []Spot, phase Phase, holds HeldAs) {
	if w.partition == nil {
		s.enter(w, p)
	}
	for _, spot := range spots {
		for _, node := range spot.Nodes {
			r := Replica{Node: node, Phase: phase, HeldAs: holds}
			w.Replicas[spot.Pool] = append(w.Replicas[spot.Pool], r)
			w.account.countReplica(r, 1)
			w.holdsBy(spot.Pool, r, 1)
			p.settle(node, Resident{w, spot.Pool, phase})
			if w.account != nil {
				p.Islands[p.Nodes[node].Island].came++
			}
		}
	}
	if phase == Reserved {
		w.Reserved = s.Number()
		s.lookAtReservation(w)
	}
	s.lookAtGrowth(w, spots)
	p.queued(w.Tree())
	w.unalign()
	p.Touch()
}

// unalign says that the backing is to be looked at where work in quota comes,
// goes or holds its GPUs in another way. Where every grant is backed whole and
// none declares a gang, that changes no backing, except for what is idle where work of its account stands uncovered:
// it leaves no island in which guaranteed work of its account stands.
func (w *Workload) unalign() {
	p := w.partition
	if w.account == nil {
		return
	}
	p.unaligned = p.unaligned || p.declared > 0 || p.short > 0
	p.straying = p.straying || w.account.over > 0
}

// enter makes a workload stand in a partition, from its first replica to its last.
func (s *State) enter(w *Workload, p *Partition) {
	w.Where, w.partition, w.LookedAt = p.ID, p, 0
	if w.Flexes() {
		at := sort.Search(len(p.flexWork), func(i int) bool { return p.flexWork[i].ID >= w.ID })
		p.flexWork = insert(p.flexWork, at, w)
		p.notePassing(w)
		f := p.flexUse(w.Namespace)
		f.work = insertByID(f.work, w)
		return
	}
	w.account = p.EnsureAccount(w.Target)
	w.account.addWork(w)
}

func (s *State) exit(w *Workload) {
	p := w.partition
	w.leavesNoMore()
	if w.account != nil {
		w.account.dropWork(w)
	} else {
		p.flexWork = removeByID(p.flexWork, w)
		p.forgetPassing(w)
		f := p.flexUse(w.Namespace)
		f.work = removeByID(f.work, w)
	}
	w.Where, w.partition, w.account = "", nil, nil
}

func (a *Account) addWork(w *Workload) {
	key := KeyOf(w, w.BaseRank(), false)
	at := sort.Search(len(a.work), func(i int) bool { return !KeyOf(a.work[i], a.work[i].BaseRank(), false).Before(key) })
	a.work = insert(a.work, at, w)
	a.touch()
}

func (a *Account) dropWork(w *Workload) {
	a.work = remove(a.work, func(x *Workload) bool { return x == w })
}

func insert[T any](list []T, at int, x T) []T {
	list = append(list, x)
	copy(list[at+1:], list[at:])
	list[at] = x
	return list
}

// Mending counts the nodes that are reserved for gangs of which other replicas run: they are swapped in when these start.
func (w *Workload) Mending() int {
	on := map[int]bool{}
	for i, replicas := range w.Replicas {
		if w.Pools[i].Elastic || !slices.ContainsFunc(replicas, func(r Replica) bool { return r.Phase == Running }) {
			continue
		}
		for _, r := range replicas {
			if r.Phase == Reserved {
				on[r.Node] = true
			}
		}
	}
	return len(on)
}

// Start makes every reserved replica of a workload run.
func (s *State) Start(w *Workload) {
	p := w.partition
	for i := range w.Replicas {
		for j := range w.Replicas[i] {
			if r := &w.Replicas[i][j]; r.Phase == Reserved {
				p.unsettle(r.Node, Resident{w, i, Reserved})
				r.Phase = Running
				w.holdsBy(i, *r, 1)
				p.settle(r.Node, Resident{w, i, Running})
			}
		}
	}
	if w.Started != 0 && !w.Flexes() {
		s.lookOn(w) // what has grown may give others back
	}
	p.queued(w.Tree())
	p.worked(Flex)
	p.Touch()
}

// Leave turns running replicas into leaving ones.
func (s *State) Leave(w *Workload, spots []Spot) { s.leave(w, spots, Running) }

// Unreserve takes reserved replicas away.
func (s *State) Unreserve(w *Workload, spots []Spot) { s.leave(w, spots, Reserved) }

// LeaveAll makes everything of the workload leave that stays.
func (s *State) LeaveAll(w *Workload) {
	s.Unreserve(w, w.Spots(func(r Replica) bool { return r.Phase == Reserved }))
	s.Leave(w, w.Spots(func(r Replica) bool { return r.Phase == Running }))
}

func (s *State) leave(w *Workload, spots []Spot, phase Phase) {
	var roomed []int
	s.lookOn(w)
	s.each(w, spots, func(pool, at int) {
		r := &w.Replicas[pool][at]
		roomed = w.partition.addRoomed(roomed, r.Node)
		w.account.countReplica(*r, -1)
		w.partition.unsettle(r.Node, Resident{w, pool, r.Phase})
		if r.Phase == Reserved {
			w.Replicas[pool] = append(w.Replicas[pool][:at], w.Replicas[pool][at+1:]...)
			return
		}
		r.Phase, r.Order = Leaving, s.Number()
		w.partition.settle(r.Node, Resident{w, pool, Leaving})
	}, func(ph Phase) bool { return ph == phase })
	s.after(w, roomed)
}

// Drop takes replicas away at once, whatever their phase: leaving ones first.
func (s *State) Drop(w *Workload, spots []Spot) { s.after(w, s.drop(w, spots, nil)) }

// Lose takes replicas away from a node that is about to take nothing new: their room
// comes free for no work, except where SetNode then says so.
func (s *State) Lose(w *Workload, spots []Spot, at Instant) {
	w.loses(spots, at)
	s.drop(w, spots, nil)
	w.misses(spots)
	s.after(w, nil)
}

// Unfit takes running replicas away that could not start where they were to: their room is
// free for others. A gang of which others stand misses them, as it misses those that it lost with a node.
func (s *State) Unfit(w *Workload, spots []Spot) {
	roomed := s.drop(w, spots, func(ph Phase) bool { return ph == Running })
	w.misses(spots)
	s.after(w, roomed)
}

// misses remembers the nodes of replicas that a gang lost.
func (w *Workload) misses(spots []Spot) {
	for _, spot := range spots {
		if !w.Pools[spot.Pool].Elastic {
			w.Lost = FewOf(append(slices.Clip(w.Lost.All()), spot.Nodes...))
		}
	}
}

// drop takes replicas away, of those that are fit (nil: all). It lists the islands in which room came free.
func (s *State) drop(w *Workload, spots []Spot, fit func(Phase) bool) (roomed []int) {
	s.lookOn(w)
	s.each(w, spots, func(pool, at int) {
		r := w.Replicas[pool][at]
		if r.Phase != Leaving {
			roomed = w.partition.addRoomed(roomed, r.Node)
		}
		w.account.countReplica(r, -1)
		w.holdsBy(pool, r, -1)
		w.partition.unsettle(r.Node, Resident{w, pool, r.Phase})
		w.Replicas[pool] = append(w.Replicas[pool][:at], w.Replicas[pool][at+1:]...)
	}, fit)
	return roomed
}

// addRoomed adds the island of a node to those in which room came free, if there is any on the node.
func (p *Partition) addRoomed(islands []int, node int) []int {
	if n := p.Nodes[node]; n.usable && !slices.Contains(islands, n.Island) {
		return append(islands, n.Island)
	}
	return islands
}

// after follows replicas that went, or were told to go; roomed: the islands in which room came free.
// The room of who was on the way out has been others' since the order, and a node that is
// not usable has none. Then it is the business of their own tree alone.
func (s *State) after(w *Workload, roomed []int) {
	p := w.partition
	if p == nil {
		return
	}
	w.unalign()
	w.carriedOut()
	switch {
	case w.GPUs() == 0:
		s.exit(w)
	case w.stays():
		p.restand(w) // its replicas have other places on their lists now
	}
	if len(roomed) > 0 {
		p.freedIn(w.Tree(), roomed)
		return
	}
	p.worked(w.Tree())
	p.Touch()
}

// each finds a replica for every mention of a node in the spots: the last one
// of its pool on that node which is fit; where an order is named one that obeys
// it, else leaving ones before others.
func (s *State) each(w *Workload, spots []Spot, do func(pool, at int), fit func(Phase) bool) {
	for _, spot := range spots {
		for _, node := range spot.Nodes {
			if at := w.lastOn(spot, node, fit); at >= 0 {
				do(spot.Pool, at)
			}
		}
	}
}

func (w *Workload) lastOn(spot Spot, node int, fit func(Phase) bool) int {
	found := -1
	for i := len(w.Replicas[spot.Pool]) - 1; i >= 0; i-- {
		r := w.Replicas[spot.Pool][i]
		if r.Node != node || (fit != nil && !fit(r.Phase)) || (spot.Order != 0 && r.Order != spot.Order) {
			continue
		}
		if r.Phase == Leaving {
			return i
		}
		if found < 0 {
			found = i
		}
	}
	return found
}

// settle puts a resident on a node; residents stand in order of workload, pool and phase.
func (p *Partition) settle(node int, r Resident) {
	n := p.Nodes[node]
	p.contribute(n, -1)
	at := sort.Search(len(n.residents), func(i int) bool { return !n.residents[i].before(r) })
	n.residents = insert(n.residents, at, r)
	n.recount()
	p.contribute(n, 1)
	p.reflex(r)
}

// reflex says that flex is to be looked at again where work in quota came or
// went: what is left for flex has changed. What derives from the work that stays
// does not care for what is on its way out; see State.after.
func (p *Partition) reflex(r Resident) {
	if r.Workload.account != nil {
		p.changes.Flex++
	}
	if r.Phase != Leaving {
		p.restand(r.Workload)
	}
}

// restand says that the staying work of an account, or a namespace, changed.
func (p *Partition) restand(w *Workload) {
	w.restood++
	if w.account != nil {
		w.account.touch()
		return
	}
	p.flexUse(w.Namespace).version++
}

func (p *Partition) unsettle(node int, r Resident) {
	n := p.Nodes[node]
	p.contribute(n, -1)
	at := sort.Search(len(n.residents), func(i int) bool { return !n.residents[i].before(r) })
	n.residents = append(n.residents[:at], n.residents[at+1:]...)
	n.recount()
	p.contribute(n, 1)
	p.reflex(r)
}

func (r Resident) before(o Resident) bool {
	switch {
	case r.Workload.ID != o.Workload.ID:
		return r.Workload.ID < o.Workload.ID
	case r.Pool != o.Pool:
		return r.Pool < o.Pool
	}
	return r.Phase < o.Phase
}

// recount derives the node's own figures from its residents.
func (n *Node) recount() {
	n.inUse, n.staying, n.ofQuota, n.owner = 0, 0, 0, nil
	for _, r := range n.residents {
		if r.Phase != Reserved {
			n.inUse += r.GPUs()
		}
		if r.Phase != Leaving {
			n.staying += r.GPUs()
			if a := r.Workload.account; a != nil {
				n.owner = a
				n.ofQuota += r.GPUs()
			}
		}
	}
}

// SetHolds says how replicas from..to−1 of a pool hold their GPUs.
func (s *State) SetHolds(w *Workload, pool, from, to int, holds HeldAs) {
	w.partition.keepHeld(w, pool, func() { w.setHolds(s, pool, from, to, holds) })
	w.restood++
	if w.account != nil {
		w.account.touch()
	}
	w.unalign()
	w.partition.changes.OnNodes++
	w.partition.worked(w.Tree())
	w.partition.Touch()
}

func (w *Workload) setHolds(s *State, pool, from, to int, holds HeldAs) {
	for i := from; i < to; i++ {
		if was := w.Replicas[pool][i].HeldAs; was == HoldsUnprotected || holds == HoldsUnprotected {
			s.lookOn(w)
			w.partition.freed(w.Tree()) // work that nothing covers may be evicted by other trees
		}
		w.account.countReplica(w.Replicas[pool][i], -1)
		w.holdsBy(pool, w.Replicas[pool][i], -1)
		w.Replicas[pool][i].HeldAs = holds
		w.account.countReplica(w.Replicas[pool][i], 1)
		w.holdsBy(pool, w.Replicas[pool][i], 1)
	}
}

// Resize gives a pool another size. What of it stays above the size must be told to
// leave besides.
func (s *State) Resize(w *Workload, pool, low, high int) {
	s.Change(w, func(w *Workload) {
		w.Pools = slices.Clone(w.Pools) // copies of the state, and drivers, share it
		w.Pools[pool].Min, w.Pools[pool].Max = low, high
	})
	if w.partition != nil {
		w.partition.restand(w) // other replicas are surplus now
		w.unalign()
	}
}

// FinishPool takes a pool out of a workload that stands nowhere: all of it has finished.
func (s *State) FinishPool(w *Workload, pool int) {
	s.Change(w, func(w *Workload) {
		w.Pools = slices.Delete(slices.Clone(w.Pools), pool, pool+1)
		w.Replicas = make([][]Replica, len(w.Pools))
	})
}
