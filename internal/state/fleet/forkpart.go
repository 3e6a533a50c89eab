package fleet

import (
	"cmp"
	"container/heap"
	"maps"
	"slices"
)

// excerpt says what a copy of a part of the fleet does not know: nil in a whole one.
type excerpt struct {
	quotas map[string][]*Partition // with accounts in partitions that were left out: of these nothing but the names is read
}

// ForkOf is Fork for some partitions alone, with what stands and waits there: it costs
// what they cost, however large the fleet is. Partitions do not look at each other, but
// for a workload that leaves the choice of its partition: where the copy comes to
// decide about one that is Elsewhere too, the whole fleet may decide otherwise.
func (s *State) ForkOf(list []*Partition) *State {
	if len(list) == len(s.Partitions) {
		return s.Fork()
	}
	return s.part(&fork{Arena: &Arena{}}, list, s.workloadsIn(list))
}

// part copies some partitions with some of their work.
func (s *State) part(f *fork, list []*Partition, work []*Workload) *State {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *Partition) int { return cmp.Compare(a.ID, b.ID) })
	in := map[*Partition]bool{}
	for _, p := range list {
		in[p] = true
	}
	f.begin()
	c := State{
		Seq: s.Seq, Time: s.Time, Policy: s.Policy, Buffers: maps.Clone(s.Buffers), Health: s.Health,
		NextHold: s.NextHold, NextID: s.NextID, LastRequest: s.LastRequest,
		Clusters: clonePointers(s.Clusters), Quotas: clonePointers(s.Quotas), Incidents: clonePointers(s.Incidents),
		Subscriptions: clonePointers(s.Subscriptions), Requests: cloneRequests(s.Requests), Haircuts: cloneHaircuts(s.Haircuts),
		Bindings: clonePointers(s.Bindings), Tokens: clonePointers(s.Tokens),
		SignOffs: slices.Clone(s.SignOffs), Proposals: clonePointers(s.Proposals), LastProposal: s.LastProposal,
		index:      index{shapes: map[shapeKey]int{}, shaped: s.shaped + len(s.shapes), keys: map[string]KeyUse{}},
		unlearning: s.unlearning, endsAt: s.endsAt, excerpt: s.without(in), Maintained: s.Maintained.clone(),
		Acknowledged: slices.Clone(s.Acknowledged), attention: attention{plans: s.plans},
	}
	f.to, c.LastLife = &c, s.LastLife
	c.rests, c.heard = slices.Clone(s.rests), s.heard
	s.sleepingLives(&c)
	c.Holds = copied(f.holds, heldIn(s, in))
	c.clusters, c.quotas = named(c.Clusters, func(x *Cluster) string { return x.Name }), named(c.Quotas, func(x *Quota) string { return x.Path })
	f.copies(len(work), slices.Values(work))
	f.living(work)
	f.rename(s)
	f.fill(s, list)
	for _, a := range s.alarms {
		if in[a.partition] {
			c.alarms = append(c.alarms, alarm{a.at, f.partitions[a.partition], a.of})
		}
	}
	heap.Init(&c.alarms)
	return &c
}

// Elsewhere says whether a workload may also stand in a part of the fleet that this
// copy does not know.
func (s *State) Elsewhere(w *Workload) bool {
	if s.excerpt == nil {
		return false
	}
	return w.Moves != nil || w.Partition == "" && w.Flexes() || s.Roams(w)
}

// Roams says whether a workload's quota has an account in a partition that this copy does
// not know, and where the workload may stand.
func (s *State) Roams(w *Workload) bool {
	return s.excerpt != nil && slices.ContainsFunc(s.excerpt.quotas[w.Target], w.May)
}

// Excerpt says whether the state is a copy of a part of the fleet.
func (s *State) Excerpt() bool { return s.excerpt != nil }

// without lists what an excerpt of some partitions does not know.
func (s *State) without(in map[*Partition]bool) *excerpt {
	x := &excerpt{map[string][]*Partition{}}
	for _, p := range s.Partitions {
		if in[p] {
			continue
		}
		for _, a := range p.Accounts {
			x.quotas[a.Quota] = append(x.quotas[a.Quota], p)
		}
	}
	return x
}

// heldIn lists the holds in some partitions.
func heldIn(s *State, in map[*Partition]bool) (list []*Hold) {
	for _, h := range s.Holds {
		if in[s.Partition(h.Partition)] {
			list = append(list, h)
		}
	}
	return list
}

// workloadsIn lists the workloads that stand or wait in some partitions, and those that have
// nowhere to wait yet, in order of ID.
func (s *State) workloadsIn(list []*Partition) []*Workload {
	work := slices.Collect(maps.Values(s.nowhere))
	for _, p := range list {
		work = p.flexWorkloads(work)
		for _, a := range p.Accounts {
			work = a.workloads(work)
		}
	}
	return eachOnce(work)
}

// rename lets the copies go by the names of the originals.
func (f *fork) rename(s *State) {
	f.to.names = emptied(&f.names, len(f.work))
	for was, is := range f.work {
		if key := was.fullName(); s.names[key] == was {
			f.to.names[key] = is
		}
	}
}
