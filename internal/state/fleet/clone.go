package fleet

import (
	"maps"
	"slices"
)

// Clone copies the state, so that a what-if may change the copy. It copies what
// the state encodes and derives the rest, as a restart would.
func (s *State) Clone() *State {
	c := &State{
		Seq: s.Seq, Time: s.Time, Policy: s.Policy, Buffers: maps.Clone(s.Buffers),
		NextHold: s.NextHold, NextID: s.NextID,
		Clusters: clonePointers(s.Clusters), Quotas: clonePointers(s.Quotas), Holds: clonePointers(s.Holds),
		Health: s.Health, Incidents: clonePointers(s.Incidents), Haircuts: cloneHaircuts(s.Haircuts), Partitions: clonePointers(s.Partitions),
		Subscriptions: clonePointers(s.Subscriptions),
		Requests:      cloneRequests(s.Requests), LastRequest: s.LastRequest,
		Bindings: clonePointers(s.Bindings), Tokens: clonePointers(s.Tokens),
		SignOffs: slices.Clone(s.SignOffs), Proposals: clonePointers(s.Proposals), LastProposal: s.LastProposal,
		Blueprints: slices.Clone(s.Blueprints), Lives: cloneLives(s.Lives), LastLife: s.LastLife, Accounts: cloneAccounts(s.Accounts),
		Maintained: s.Maintained.clone(), Acknowledged: slices.Clone(s.Acknowledged),
		Workloads: make(map[uint64]*Workload, len(s.Workloads)),
		Keys:      slices.Clone(s.Keys), EndedOrder: slices.Clone(s.EndedOrder),
	}
	for _, p := range c.Partitions {
		p.detach()
	}
	for id, w := range s.Workloads {
		c.Workloads[id] = w.clone()
	}
	c.Rebuild()
	return c
}

func clonePointers[T any](list []*T) []*T {
	if list == nil {
		return nil
	}
	copied := make([]*T, len(list))
	for i, x := range list {
		y := *x
		copied[i] = &y
	}
	return copied
}

// detach gives a copied partition its own islands, nodes and accounts.
func (p *Partition) detach() {
	p.Islands, p.Nodes, p.Accounts = clonePointers(p.Islands), clonePointers(p.Nodes), clonePointers(p.Accounts)
	p.Downs = slices.Clone(p.Downs)
	p.Memories = Memories{Promise: forkOf(p.Memories.Promise)}
	p.ownPast()
	p.Health.Bursts = clonePointers(p.Health.Bursts)
	for _, n := range p.Nodes {
		n.Health = n.Health.clone()
	}
	for _, a := range p.Accounts {
		a.Backing, a.Highs = slices.Clone(a.Backing), slices.Clone(a.Highs)
	}
}

// ownPast gives a copied partition, which has islands of its own already, its own
// past and promises.
func (p *Partition) ownPast() {
	p.Pledges, p.LongPledges = p.Pledges.clone(), p.LongPledges.clone()
	for _, i := range p.Islands {
		i.Past, i.Pledges = slices.Clone(i.Past), i.Pledges.clone()
	}
}

func (w *Workload) clone() *Workload {
	c := *w
	c.Scratch = nil
	c.Replicas = w.copies()
	c.Orders = w.Orders.Clone()
	if w.Moves != nil {
		m := *w.Moves
		c.Moves = &m
	}
	return &c
}
