package fleet

import "slices"

// This file puts back what the record on its way has changed, so that its decisions can
// be made anew: what stands afterwards is what stood before, and what was derived
// from it is derived again.

// Kept is a workload as it was before something happened to it.
type Kept struct {
	w   *Workload
	was Workload
	dip *Dip // of its partition
}

// Keep remembers a workload as it is. What was kept here before is forgotten.
func (k *Kept) Keep(w *Workload) {
	k.w, k.was, k.dip = w, *w, nil
	if w.partition != nil {
		k.dip = w.partition.Dip
	}
	k.was.Replicas = w.copies()
	k.was.Orders = w.Orders.Clone()
}

// ID is the workload's.
func (k *Kept) ID() uint64 { return k.was.ID }

// PutBack makes a workload what it was when it was kept. The alarms that it was given since
// are taken back: each would lead to the same decision, and to another alarm, without end.
func (s *State) PutBack(k *Kept) {
	w, was := k.w, k.was
	s.lookOn(w)
	s.silenceSince(w, &was)
	s.unqueue(w)
	if w.watchedAt != nil {
		w.watchedAt.changes.OnNodes++
		w.watchedAt.unwatch(w)
	}
	if p := w.partition; p != nil {
		s.drop(w, w.Spots(func(Replica) bool { return true }), nil)
		s.exit(w)
		p.Freed()
	}
	was.partition, was.account, was.watchedAt, was.leaves = nil, nil, nil, false
	was.queued, was.restood, was.returns, was.Scratch, was.restEnds = w.queued, w.restood+1, w.returns, w.Scratch, w.restEnds
	was.stands, was.Replicas = 0, make([][]Replica, len(k.was.Replicas))
	for pool, replicas := range k.was.Replicas {
		was.Replicas[pool] = replicas[:0:0] // as nil as it was: so it is encoded
	}
	*w = was
	if p := k.was.partition; p != nil {
		p.Dip = k.dip
		s.enter(w, p)
		for pool, replicas := range k.was.Replicas {
			for _, r := range replicas {
				s.stand(w, pool, r)
			}
		}
		w.unalign()
		p.Freed()
		s.lookOn(w)
	}
	s.requeue(w)
	s.watch(w)
}

// silenceSince takes back the alarms of a start and of orders that a workload did not have
// before.
func (s *State) silenceSince(w, was *Workload) {
	if w.partition != nil && w.Started != was.Started {
		s.atAlarmsOf(w, s.silence)
	}
	for _, o := range w.Orders.All() {
		if !slices.Contains(was.Orders.All(), o) {
			s.silence(w.partition, o.Again, ofOrder)
		}
	}
}

// stand puts a replica of a workload where it stands, in the phase it has.
func (s *State) stand(w *Workload, pool int, r Replica) {
	w.Replicas[pool] = append(w.Replicas[pool], r)
	w.account.countReplica(r, 1)
	w.holdsBy(pool, r, 1)
	w.partition.settle(r.Node, Resident{w, pool, r.Phase})
}

// KeptBacking is what is promised of a partition, and what backs some of its quotas, as
// it was before it was decided anew.
type KeptBacking struct {
	p                       *Partition
	promisable, unsustained int
	regranted               bool
	dip                     *Dip
	pledges, long           Pledges
	islands                 []Island
	accounts                []Account
}

// KeepBacking remembers what is promised of the partition, and what backs some quotas.
func (p *Partition) KeepBacking(quotas []string) KeptBacking {
	k := KeptBacking{
		p: p, promisable: p.Promisable, unsustained: p.Unsustained, regranted: p.Regranted, dip: p.Dip,
		pledges: p.Pledges.clone(), long: p.LongPledges.clone(),
	}
	for _, i := range p.Islands {
		k.islands = append(k.islands, Island{Share: i.Share, Pledges: i.Pledges.clone()})
	}
	for _, quota := range quotas {
		a := p.EnsureAccount(quota)
		k.accounts = append(k.accounts, Account{Quota: quota, Backing: slices.Clone(a.Backing), GangMissing: a.GangMissing, GangIsland: a.GangIsland})
	}
	return k
}

// PutBackBacking makes what backs the quotas what it was when it was kept. Whether it
// is right is to be looked at again.
func (s *State) PutBackBacking(k KeptBacking) {
	p := k.p
	for _, a := range k.accounts {
		for i, nodes := range a.Backing {
			p.SetBacking(a.Quota, i, nodes)
		}
		p.SetGang(a.Quota, a.GangMissing, a.GangIsland)
	}
	for i, was := range k.islands {
		p.Islands[i].Share, p.Islands[i].Pledges = was.Share, was.Pledges
	}
	p.Promisable, p.Unsustained, p.Regranted, p.Dip = k.promisable, k.unsustained, k.regranted, k.dip
	p.Pledges, p.LongPledges = k.pledges, k.long
	p.Unalign()
	p.Freed()
}
