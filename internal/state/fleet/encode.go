package fleet

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Encode writes the state as bytes; equal states give equal bytes.
func (s *State) Encode() ([]byte, error) { return json.Marshal(s) }

// Decode reads a state that Encode wrote.
func Decode(data []byte) (*State, error) {
	s := NewState()
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	s.Rebuild()
	s.Share()
	return s, nil
}

// Rebuild derives every index from what the state encodes.
func (s *State) Rebuild() {
	s.partitions, s.quotas = map[string]*Partition{}, map[string]*Quota{}
	s.clusters, s.names = map[string]*Cluster{}, make(map[fullName]*Workload, len(s.Workloads))
	s.keys, s.dirty, s.alarms = map[string]KeyUse{}, map[*Partition]bool{}, nil
	s.rests, s.heard, s.shared = nil, s.Time, newShared()
	s.rebuildLives()
	s.endsAt = 0
	s.shapes, s.nowhere, s.alive = map[shapeKey]int{}, map[uint64]*Workload{}, nil
	if s.Workloads == nil {
		s.Workloads = map[uint64]*Workload{}
	}
	if s.Buffers == nil {
		s.Buffers = map[string]Buffer{}
	}
	for _, c := range s.Clusters {
		s.clusters[c.Name] = c
	}
	for _, q := range s.Quotas {
		s.quotas[q.Path] = q
	}
	for _, p := range s.Partitions {
		p.rebuild(s)
		s.partitions[p.ID] = p
	}
	for _, u := range s.Keys {
		s.keys[u.Key] = u
	}
	for _, id := range sortedIDs(s.Workloads) {
		s.reattach(s.Workloads[id])
	}
	s.settleHighs()
	if s.attention = (attention{}); s.Maintained != nil {
		s.lookAtAll()
		s.wakeMaintenance(s.Time)
	}
}

func (p *Partition) rebuild(s *State) {
	p.forecastAt, p.news = 0, news{}
	p.state, p.byName, p.accounts = s, make(map[string]int, len(p.Nodes)), map[string]*Account{}
	p.tally, p.flex, p.flexWork, p.passed, p.worklists = Tally{}, map[string]*FlexUse{}, nil, nil, worklists{}
	p.names, p.flexWaits = nil, nil
	p.grantsMoved, p.probations, p.suspects, p.leavings, p.away, p.endings = true, 0, 0, 0, 0, 0
	p.trees, p.waits, p.unsettled = map[string]*Tree{}, nil, nil
	p.changed, p.idled, p.expired = nil, nil, false
	p.Memories.Placement, p.Memories.Maintenance, p.Memories.Core = nil, nil, nil
	p.overs, p.gangless, p.short, p.declared = 0, 0, 0, 0
	for _, i := range p.Islands {
		i.nodes, i.whole, i.planned, i.unscheduled, i.backedNodes = nil, 0, 0, 0, 0
		i.room, i.rooms, i.spare = 0, make([]int, p.GPUsPerNode+1), nil
	}
	for k, n := range p.Nodes {
		p.byName[n.Name] = k
		i := p.Islands[n.Island]
		i.nodes = append(i.nodes, k)
		n.residents, n.inUse, n.staying, n.owner = nil, 0, 0, nil
		p.contribute(n, 1)
	}
	p.recountDowns()
	for _, a := range p.Accounts {
		a.attach(p)
	}
	for _, a := range p.Accounts {
		p.alarmTemporary(a.Temporary)
	}
	p.alarms(s)
	p.undiagnose(s)
	for _, h := range s.Holds {
		if h.Partition != p.ID {
			continue
		}
		s.alarm(p, h.Until, ofMetal)
		if h.Inside() {
			p.EnsureAccount(h.Quota).earmark(h)
		}
	}
	p.Unalign()
}

// reattach gives a decoded workload its place in every index.
func (s *State) reattach(w *Workload) {
	w.partition, w.account, w.queued, w.watchedAt = nil, nil, nil, nil
	w.shape, w.treeEnds, w.stands, w.leaves, w.returns, w.restEnds = 0, 0, 0, false, false, 0
	if w.Replicas == nil {
		w.Replicas = make([][]Replica, len(w.Pools))
	}
	if old := s.names[w.fullName()]; old == nil || old.ID < w.ID {
		s.names[w.fullName()] = w
	}
	if !w.State.Ended() {
		s.lives(w)
	}
	if p := s.partitions[w.Where]; p != nil {
		s.enter(w, p)
		for i, replicas := range w.Replicas {
			for _, r := range replicas {
				p.settle(r.Node, Resident{w, i, r.Phase})
				w.account.countReplica(r, 1)
				w.holdsBy(i, r, 1)
			}
		}
		if w.Started != 0 {
			s.alarmsOf(w)
		}
		s.restoreOrders(w)
	}
	if w.Failure != nil && w.Failure.Cause == "" && s.partitions[w.Failure.Where] != nil {
		s.partitions[w.Failure.Where].await(w)
	}
	s.requeue(w)
	s.alarmsOfRest(w, s.Time)
	s.watch(w)
}

func sortedIDs(m map[uint64]*Workload) []uint64 {
	ids := make([]uint64, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
