package fleet

import (
	"iter"
	"maps"
	"slices"
)

// Fork copies the state with all that is derived from it and all that has been
// found out about it: which units found no room and need not be asked again, which
// alarms have rung. What is decided on the copy is what would be decided on the
// state itself, at the same cost; Clone forgets all that, as a restart does. Only
// the keys of old commands stay behind.
func (s *State) Fork() *State { return s.fork(0) }

// fork copies the state; of each kind of a queue the first units, most; 0: all.
func (s *State) fork(most int) *State { return s.forkBy(&fork{Arena: &Arena{}, most: most}) }

func (s *State) forkBy(f *fork) *State {
	f.begin()
	c := *s
	f.to, c.trials, c.shared = &c, nil, shared{}
	c.Buffers, c.shapes, c.EndedOrder = maps.Clone(s.Buffers), maps.Clone(s.shapes), nil
	c.Keys, c.keys = nil, map[string]KeyUse{}
	c.Clusters, c.Quotas, c.Incidents = clonePointers(s.Clusters), clonePointers(s.Quotas), clonePointers(s.Incidents)
	c.Holds, c.Subscriptions = copied(f.holds, s.Holds), clonePointers(s.Subscriptions)
	c.Haircuts, c.spent = cloneHaircuts(s.Haircuts), nil
	c.clusters, c.quotas = named(c.Clusters, func(x *Cluster) string { return x.Name }), named(c.Quotas, func(x *Quota) string { return x.Path })
	c.Requests, c.Bindings, c.Tokens = cloneRequests(s.Requests), clonePointers(s.Bindings), clonePointers(s.Tokens)
	c.SignOffs, c.Proposals = slices.Clone(s.SignOffs), clonePointers(s.Proposals)
	c.Maintained, c.Acknowledged = s.Maintained.clone(), slices.Clone(s.Acknowledged)
	s.sleepingLives(&c)
	f.workloads(s)
	f.fill(s, s.Partitions)
	c.alarms, c.rests = slices.Clone(s.alarms), slices.Clone(s.rests)
	for i := range c.alarms {
		c.alarms[i].partition = f.partitions[c.alarms[i].partition]
	}
	return &c
}

// fill makes the copies of partitions, and tells the copied workloads where they are.
func (f *fork) fill(s *State, list []*Partition) {
	c := f.to
	for _, p := range list {
		f.declare(p)
	}
	c.Partitions = each(f.partitions, list)
	c.partitions = named(c.Partitions, func(p *Partition) string { return p.ID })
	for _, p := range list {
		f.fillPartition(p)
	}
	for was, is := range f.work {
		f.places(was, is)
	}
	c.dirty = make(map[*Partition]bool, len(s.dirty))
	for p, d := range s.dirty {
		if twin := f.partitions[p]; twin != nil {
			c.dirty[twin] = d
		}
	}
}

func (f *fork) begin() {
	f.partitions, f.trees = map[*Partition]*Partition{}, map[*Tree]*Tree{}
	f.accounts, f.holds = map[*Account]*Account{}, map[*Hold]*Hold{}
}

// fork is a copy on its way: whose copy is who.
type fork struct {
	*Arena
	to         *State
	partitions map[*Partition]*Partition
	trees      map[*Tree]*Tree
	accounts   map[*Account]*Account
	holds      map[*Hold]*Hold
	work       map[*Workload]*Workload
	most       int         // of each kind of a queue so many units are copied; 0: all
	sparse     bool        // see ForkTrial: not all work is copied,
	some       []*Workload // but this, where all partitions are;
	left       []*Workload // and this waits, and is not
}

// copied copies things, and notes whose copy is who.
func copied[T any](twins map[*T]*T, list []*T) []*T {
	out := clonePointers(list)
	for i, x := range list {
		twins[x] = out[i]
	}
	return out
}

// each lists the copies of things; a list that is none stays none.
func each[T any](twins map[*T]*T, list []*T) []*T {
	if list == nil {
		return nil
	}
	out := make([]*T, len(list))
	for i, x := range list {
		out[i] = twins[x]
	}
	return out
}

func named[T any](list []*T, name func(*T) string) map[string]*T {
	out := make(map[string]*T, len(list))
	for _, x := range list {
		out[name(x)] = x
	}
	return out
}

// workloads copies workloads, which do not know their places in the copy yet.
func (f *fork) workloads(s *State) {
	if f.most > 0 {
		f.workloadsAhead(s)
		return
	}
	if f.sparse {
		f.workloadsLasting(s)
		return
	}
	f.copies(len(s.Workloads), maps.Values(s.Workloads))
	f.to.alive = each(f.work, s.alive)
	f.to.EndedOrder = slices.Clone(s.EndedOrder)
	f.to.names = emptied(&f.names, len(s.names))
	for name, w := range s.names {
		f.to.names[name] = f.work[w]
	}
}

// copies makes those of so many workloads.
func (f *fork) copies(n int, list iter.Seq[*Workload]) {
	f.work = emptied(&f.twins, n)
	f.to.Workloads, f.to.nowhere = emptied(&f.byID, n), emptied(&f.Arena.nowhere, 0)
	all, pools := f.Arena.work.take(n), 0
	for w := range list {
		pools += len(w.Replicas)
	}
	held := f.held.take(pools)
	for w := range list {
		all = append(all, *w)
		c := &all[len(all)-1]
		f.work[w], f.to.Workloads[w.ID] = c, c
		c.Scratch = nil
		if w.State == Pending && len(w.queued) == 0 {
			f.to.nowhere[w.ID] = c
		}
		from := len(held)
		for _, replicas := range w.Replicas {
			held = append(held, slices.Clone(replicas))
		}
		c.Replicas = held[from:len(held):len(held)]
		c.Orders = w.Orders.Clone()
		if w.Moves != nil {
			m := *w.Moves
			c.Moves = &m
		}
	}
}

// declare makes the copies of a partition, its trees and accounts, still empty.
func (f *fork) declare(p *Partition) {
	c := *p
	f.partitions[p] = &c
	c.state, c.Memories = f.to, p.Memories.fork()
	c.Accounts = copied(f.accounts, p.Accounts)
	c.accounts = named(c.Accounts, func(a *Account) string { return a.Quota })
	c.trees = make(map[string]*Tree, len(p.trees))
	for name, t := range p.trees {
		twin := *t
		f.trees[t], c.trees[name] = &twin, &twin
	}
}

// fillPartition fills the copy of a partition.
func (f *fork) fillPartition(p *Partition) {
	c := f.partitions[p]
	c.Islands = clonePointers(p.Islands)
	for _, i := range c.Islands {
		i.nodes, i.rooms, i.downs = slices.Clone(i.nodes), slices.Clone(i.rooms), i.downs.clone()
		i.spare = each(f.accounts, i.spare)
	}
	c.ownPast()
	c.Nodes, c.Health.Bursts = f.nodes(p.Nodes), clonePointers(p.Health.Bursts)
	c.ailing, c.near, c.stirred = slices.Clone(p.ailing), slices.Clone(p.near), slices.Clone(p.stirred)
	c.failures = remove(each(f.work, p.failures), func(w *Workload) bool { return w == nil }) // of some the state knows nothing any more
	c.Downs, c.downs = slices.Clone(p.Downs), p.downs.clone()
	c.byName = maps.Clone(p.byName)
	for _, t := range p.trees {
		f.tree(f.trees[t])
	}
	c.waits, c.changed = each(f.accounts, p.waits), each(f.trees, p.changed)
	c.unsettled, c.idled = each(f.trees, p.unsettled), each(f.trees, p.idled)
	c.flex = make(map[string]*FlexUse, len(p.flex))
	for name, u := range p.flex {
		c.flex[name] = f.flexUse(c, u)
	}
	c.flexWork, c.names, c.flexWaits = each(f.work, p.flexWork), slices.Clone(p.names), slices.Clone(p.flexWaits)
	if c.passed = nil; p.passed != nil {
		c.passed = make(map[uint64][]*Workload, len(p.passed))
	}
	for head, list := range p.passed {
		c.passed[head] = remove(each(f.work, list), func(w *Workload) bool { return w == nil })
	}
	w := p.worklists
	c.worklists = worklists{each(f.work, w.reserving), each(f.work, w.broken), each(f.work, w.growing), each(f.work, w.leaving), each(f.work, w.moving)}
	for _, a := range c.Accounts {
		f.account(c, a)
	}
}

func (k *peaks) clone() peaks {
	c := *k
	c.steps, c.fell = slices.Clone(k.steps), slices.Clone(k.fell)
	return c
}

// nodes copies nodes with who is on them.
func (f *fork) nodes(list []*Node) []*Node {
	if list == nil {
		return nil
	}
	out, own, all := f.metal.take(len(list)), f.Arena.nodes.take(len(list)), 0
	for _, n := range list {
		own = append(own, *n)
		out, all = append(out, &own[len(own)-1]), all+len(n.residents)
	}
	residents := f.residents.take(all)
	for _, n := range out {
		n.owner, n.Health = f.accounts[n.owner], n.Health.clone()
		if n.residents == nil {
			continue
		}
		from := len(residents)
		for _, r := range n.residents {
			residents = append(residents, Resident{f.work[r.Workload], r.Pool, r.Phase})
		}
		n.residents = residents[from:len(residents):len(residents)]
	}
	return out
}

func (f *fork) tree(t *Tree) {
	t.accounts, t.waits = each(f.accounts, t.accounts), each(f.accounts, t.waits)
	t.backing, t.touched = slices.Clone(t.backing), slices.Clone(t.touched)
}

func (f *fork) account(p *Partition, a *Account) {
	a.partition, a.root = p, f.trees[a.root]
	a.Backing, a.islands, a.touched = slices.Clone(a.Backing), slices.Clone(a.islands), slices.Clone(a.touched)
	a.work, a.insideHolds = each(f.work, a.work), each(f.holds, a.insideHolds)
	a.Highs, a.spent = slices.Clone(a.Highs), false
	f.queue(&a.queue)
	a.queue.account = a
}

func (f *fork) flexUse(p *Partition, u *FlexUse) *FlexUse {
	c := *u
	c.work, c.importance = each(f.work, u.work), slices.Clone(u.importance)
	f.queue(&c.queue)
	c.queue.flex, c.queue.partition = &c, p
	return &c
}

// queue gives a copied queue units of its own.
func (f *fork) queue(q *queue) {
	if f.most > 0 {
		f.queueOf(q, q.ahead(f.most))
		return
	}
	if f.sparse {
		if units, all := f.kept(q); !all {
			f.queueOf(q, units)
			return
		}
	}
	twins, own := emptied(&f.waiting, q.all.size), f.units.take(q.all.size)
	for it := range q.all.each() {
		own = append(own, *it)
		f.unit(twins, it, &own[len(own)-1])
	}
	q.all = q.all.clone(twins)
	if q.kinds != nil {
		kinds := make(map[kind]*sortedQueue, len(q.kinds))
		for k, like := range q.kinds {
			c := like.clone(twins)
			kinds[k] = &c
		}
		q.kinds = kinds
	}
	q.firsts = each(twins, q.firsts)
}

// unit makes the copy of a waiting unit another workload's and another account's.
func (f *fork) unit(twins map[*Waiting]*Waiting, was, is *Waiting) {
	is.Workload, is.account = f.work[was.Workload], f.accounts[was.account]
	twins[was] = is
}

func (r *sortedQueue) clone(twins map[*Waiting]*Waiting) sortedQueue {
	c := sortedQueue{size: r.size, bases: r.bases}
	if r.pieces != nil {
		c.pieces = make([][]*Waiting, len(r.pieces))
	}
	for i, piece := range r.pieces {
		c.pieces[i] = each(twins, piece)
	}
	return c
}

// places tells a copied workload where it stands and waits.
func (f *fork) places(was, is *Workload) {
	is.partition, is.account = f.partitions[was.partition], f.accounts[was.account]
	is.watchedAt = f.partitions[was.watchedAt]
	is.queued = nil
	if was.queued != nil {
		is.queued = f.spots.take(len(was.queued))
	}
	for _, spot := range was.queued {
		if spot.partition = f.partitions[spot.partition]; spot.partition == nil {
			continue // a part of the fleet that is not copied
		}
		if a := spot.queue.account; a != nil {
			spot.queue = &f.accounts[a].queue
		} else {
			spot.queue = &spot.partition.flex[is.Namespace].queue
		}
		is.queued = append(is.queued, spot)
	}
}
