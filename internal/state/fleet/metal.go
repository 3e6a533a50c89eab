package fleet

import (
	"slices"
	"sort"
)

// This file changes what a partition is made of: islands, nodes, grants and backing.

// AddIsland adds an island without nodes, in order of name.
func (p *Partition) AddIsland(name string, racks int) {
	at, _ := p.Island(name)
	p.Islands = append(p.Islands, nil)
	copy(p.Islands[at+1:], p.Islands[at:])
	p.Islands[at] = &Island{Name: name, Racks: max(1, racks), rooms: make([]int, p.GPUsPerNode+1)}
	for _, n := range p.Nodes {
		if n.Island >= at {
			n.Island++
		}
	}
	p.Unalign()
	for _, t := range p.trees {
		t.backing, t.touched = insertZero(t.backing, at), insertZero(t.touched, at)
	}
	for _, a := range p.Accounts {
		a.Backing = insertZero(a.Backing, at)
		a.touched = insertZero(a.touched, at)
		for x, i := range a.islands {
			if i >= at {
				a.islands[x]++
			}
		}
		if a.Gang > 0 && a.GangIsland >= at {
			a.GangIsland++
		}
	}
}

func insertZero(xs []int, at int) []int {
	xs = append(xs, 0)
	copy(xs[at+1:], xs[at:])
	xs[at] = 0
	return xs
}

// AddNode adds a healthy node.
func (p *Partition) AddNode(name string, island, rack int, at Instant) {
	p.pledge(at)
	n := &Node{Name: name, Island: island, Rack: rack, GPUs: p.GPUsPerNode, State: Healthy, Since: at, Born: at}
	p.byName[name] = len(p.Nodes)
	p.Islands[island].nodes = append(p.Islands[island].nodes, len(p.Nodes))
	p.Nodes = append(p.Nodes, n)
	p.contribute(n, 1)
	p.remember(island, at)
	p.forecasting(at)
	p.Unalign()
}

// SetNode puts a node into a state, and keeps the stretches of downtime that
// the dwell remembers: time in probation counts as up. A node that comes back from
// suspect straight to healthy leaves no trace, nor does planned work (semantics §2, §8).
func (p *Partition) SetNode(node int, state NodeState, dead int, signal string, at Instant) {
	n := p.Nodes[node]
	if p.Pledges.Next <= HourOf(at) {
		p.forgetDowns(at) // once an hour is enough
	}
	p.pledge(at)
	p.contribute(n, -1)
	p.trace(node, n.State, state, at)
	p.state.look = true
	usable, whole := n.UsableGPUs(), n.Whole()
	n.State, n.Dead, n.Signal, n.Since = state, dead, signal, at
	p.contribute(n, 1)
	p.remember(n.Island, at)
	p.breakPledges(n.Island)
	if state == Probation {
		p.state.alarm(p, p.state.ProbationEnds(n), ofMetal)
	}
	p.unaligned = true
	if n.UsableGPUs() > usable || n.Whole() && !whole || n.UsableGPUs() > 0 && state != Healthy {
		p.renewed() // also where some of what it lost was usable: see Lose
	} else {
		p.worn()
	}
}

func up(s NodeState) bool { return s == Healthy || s == Probation }

func (p *Partition) trace(node int, from, to NodeState, at Instant) {
	open := sort.Search(len(p.Downs), func(i int) bool { return p.Downs[i].Node >= node })
	for open < len(p.Downs) && p.Downs[open].Node == node && p.Downs[open].To != Never {
		open++
	}
	has := open < len(p.Downs) && p.Downs[open].Node == node
	switch {
	case up(from) && !up(to):
		p.Downs = append(p.Downs, Down{})
		copy(p.Downs[open+1:], p.Downs[open:])
		p.Downs[open] = Down{node, at, Never}
		p.countDown(node, 1, at)
	case has && !up(from) && up(to) && p.Nodes[node].Planned,
		from == Suspect && to == Healthy && has && p.Downs[open].From == p.Nodes[node].Since:
		p.Downs = append(p.Downs[:open], p.Downs[open+1:]...)
		p.recountDowns()
	case !up(from) && up(to) && has:
		p.Downs[open].To = at
		p.countDown(node, -1, at)
		p.state.alarm(p, at.Add(p.state.Policy.Dwell), ofMetal)
	}
}

// EnsureAccount finds or makes the account of a quota.
func (p *Partition) EnsureAccount(quota string) *Account {
	if a := p.accounts[quota]; a != nil {
		return a
	}
	a := &Account{Quota: quota, Backing: make([]int, len(p.Islands))}
	p.Accounts = append(p.Accounts, a)
	sort.Slice(p.Accounts, func(i, j int) bool { return p.Accounts[i].Quota < p.Accounts[j].Quota })
	a.attach(p)
	p.enqueueTarget(quota)
	return a
}

func (a *Account) attach(p *Partition) {
	a.partition, a.tree = p, TreeOf(a.Quota)
	a.touched = make([]int, len(p.Islands))
	a.over, a.backedNodes = 0, sum(a.Backing)
	a.usage, a.stays, a.gpusAs = 0, 0, [5]int{}
	a.loose, a.work, a.queue = 0, nil, queue{account: a}
	a.islands, a.insideHolds = nil, nil
	p.accounts[a.Quota] = a
	a.join()
	p.gangless += min(1, a.GangMissing)
	p.short += a.short()
	p.declared += min(1, a.Gang)
	for i := range p.Islands {
		a.count(i, 1)
	}
}

// SetGrant makes the grant of a quota this many GPUs.
func (p *Partition) SetGrant(quota string, gpus, gang int, overcommit bool) {
	a := p.EnsureAccount(quota)
	p.short -= a.short()
	p.declared -= min(1, a.Gang)
	p.Regranted = p.Regranted || a.GrantNodes() != gpus/p.GPUsPerNode || a.Gang != gang
	a.Grant, a.Gang, a.Overcommit = gpus, gang, overcommit
	p.short += a.short()
	p.declared += min(1, a.Gang)
	p.grantsMoved = true
	p.Unalign()
}

// SetBacking makes this many nodes of an island back a quota.
func (p *Partition) SetBacking(quota string, island, nodes int) {
	a := p.EnsureAccount(quota)
	p.short -= a.short()
	more := nodes > a.Backing[island]
	a.count(island, -1)
	a.back(nodes - a.Backing[island])
	a.Backing[island] = nodes
	a.count(island, 1)
	p.short += a.short()
	a.touch()
	p.changes.OnNodes++
	p.rebacked(a.root, more)
}

// SetGang says what a quota's declared gang lacks in its best island; 0: nothing.
func (p *Partition) SetGang(quota string, missing, island int) {
	a := p.EnsureAccount(quota)
	p.gangless -= min(1, a.GangMissing)
	a.GangMissing, a.GangIsland = missing, island
	p.gangless += min(1, missing)
}

// count adds what backs the account in an island, and what it touches there, to
// (sign 1) or takes it from (−1) the figures that follow from both.
func (a *Account) count(island, sign int) {
	i, backed, touched := a.partition.Islands[island], a.Backing[island], a.touched[island]
	a.root.backing[island] += sign * backed
	i.backedNodes += sign * backed
	i.unscheduled += sign * max(0, backed-touched)
	if sign > 0 {
		a.stand(island, backed > 0 || touched > 0)
	}
	if touched > backed {
		a.stray(0, sign)
		a.partition.overs += sign
		a.partition.straying = true
	}
}

// stand keeps the list of islands in which something backs the account, or it touches something.
func (a *Account) stand(island int, stands bool) {
	at, listed := slices.BinarySearch(a.islands, island)
	switch {
	case stands && !listed:
		a.islands = slices.Insert(a.islands, at, island)
	case !stands && listed:
		a.islands = slices.Delete(a.islands, at, at+1)
	}
}

// Unalign says that the backing may no longer be what it should be.
func (p *Partition) Unalign() {
	p.unaligned = true
	p.renewed()
}

// Unaligned says whether the backing may no longer be what it should be, and Aligned that it is.
func (p *Partition) Unaligned() bool {
	return p.unaligned || p.straying && p.couldFollow() || p.couldReunite()
}

// couldFollow says whether idle backing of some account could move to where
// its own work stands uncovered, so that nothing else is worth looking at.
func (p *Partition) couldFollow() bool {
	for _, a := range p.Accounts {
		if a.over > 0 && a.idles() && a.strays() {
			return true
		}
	}
	return false
}

// idles notes that work of a tree has come to a node or left it, so that another part of
// the backing is idle: what came may leave so little idle that one island has room for it.
func (p *Partition) idles(t *Tree) {
	if !t.idled {
		t.idled = true
		p.idled = append(p.idled, t)
	}
}

// couldReunite says whether idle backing of a tree whose work came or left lies in
// several islands, one of which has room for all of it.
func (p *Partition) couldReunite() bool {
	for _, t := range p.idled {
		if slices.ContainsFunc(t.accounts, (*Account).inPieces) {
			return true
		}
	}
	p.lookedAtIdle()
	return false
}

// lookedAtIdle forgets whose work came or left: what is idle of their backing was looked at.
func (p *Partition) lookedAtIdle() {
	for _, t := range p.idled {
		t.idled = false
	}
	p.idled = p.idled[:0]
}

// InPieces says whether idle backing of some account lies in several islands, one
// of which has room for all of it.
func (p *Partition) InPieces() bool {
	return slices.ContainsFunc(p.Accounts, (*Account).inPieces)
}

func (a *Account) inPieces() bool {
	if len(a.islands) < 2 {
		return false
	}
	pieces, sum := 0, 0
	for _, i := range a.islands {
		if n := a.idleIn(i); n > 0 {
			pieces, sum = pieces+1, sum+n
		}
	}
	if pieces < 2 {
		return false
	}
	for i, island := range a.partition.Islands {
		if island.whole-island.backedNodes+a.idleIn(i) >= sum {
			return true
		}
	}
	return false
}

// idleIn is the nodes of an island that back the account and that neither its
// work nor its declared gang needs.
func (a *Account) idleIn(island int) int {
	needs := a.touched[island]
	if a.Gang > 0 && a.GangMissing == 0 && a.GangIsland == island {
		needs = max(needs, a.Gang/a.partition.GPUsPerNode)
	}
	return max(0, a.Backing[island]-needs)
}

// idles says whether more nodes back the account in some island than it touches.
func (a *Account) idles() bool {
	for i, n := range a.Backing {
		if n > a.touched[i] {
			return true
		}
	}
	return false
}

// strays says whether work stands uncovered in an island that has healthy nodes to
// back it: ones that back no quota, or idle ones of others, which may give way.
func (a *Account) strays() bool {
	for i, island := range a.partition.Islands {
		if a.touched[i] > a.Backing[i] && (island.whole > island.backedNodes || a.othersIdle(i)) {
			return true
		}
	}
	return false
}

// othersIdle says whether backing of other accounts is idle in an island.
func (a *Account) othersIdle(island int) bool {
	return slices.ContainsFunc(a.partition.Accounts, func(b *Account) bool { return b != a && b.idleIn(island) > 0 })
}

// Aligned says that the backing is what it should be, until something changes.
func (p *Partition) Aligned() {
	p.unaligned, p.straying, p.grantsMoved = false, false, false
	p.lookedAtIdle()
}

// Touch says that something changed in the partition, though no room came free.
func (p *Partition) Touch() { p.state.dirty[p] = true }

// SetPolicy sets the fleet's policy.
func (s *State) SetPolicy(policy Policy) {
	s.Policy = policy
	s.Policy.Targets = policy.Targets.OrDefault() // a log of before there were targets names none
	s.unalignAll()
}

// SetBuffer sets the buffer policy of a scope.
func (s *State) SetBuffer(scope string, buffer Buffer) {
	s.Buffers[scope] = buffer
	s.unalignAll()
}

func (s *State) unalignAll() {
	for _, p := range s.Partitions {
		p.Unalign()
		p.alarms(s)
	}
	for _, id := range sortedIDs(s.Workloads) {
		if w := s.Workloads[id]; w.partition != nil && w.Started != 0 {
			s.alarmsOf(w)
		}
	}
}

// alarms asks for looks when probations and dwells end, as the policy now says.
func (p *Partition) alarms(s *State) {
	p.forecasting(s.Time)
	for _, n := range p.Nodes {
		if n.State == Probation {
			s.alarm(p, s.ProbationEnds(n), ofMetal)
		}
	}
	for _, d := range p.Downs {
		if d.To != Never {
			s.alarm(p, d.To.Add(s.Policy.Dwell), ofMetal)
		}
	}
}

// AddHold adds a hold.
func (s *State) AddHold(h Hold) {
	s.Holds = append(s.Holds, &h)
	s.NextHold = max(s.NextHold, h.ID+1)
	p := s.Partition(h.Partition)
	s.alarm(p, h.Until, ofMetal)
	if h.Inside() {
		a := p.EnsureAccount(h.Quota)
		a.earmark(&h)
		a.touch()
		p.freed(a.tree) // the holder need not wait for those ahead any more
	}
}

// EndHold leaves this many GPUs of a hold; none: it is gone.
func (s *State) EndHold(id uint64, left int) {
	for _, h := range s.Holds {
		if h.ID == id {
			h.GPUs = left
			s.unearmark(h)
		}
	}
	s.Holds = remove(s.Holds, func(h *Hold) bool { return h.GPUs == 0 })
}

// unearmark says that a hold inside a quota has become smaller, or is gone:
// others may start, and work that runs may come inside the backing.
func (s *State) unearmark(h *Hold) {
	if !h.Inside() {
		return
	}
	p := s.Partition(h.Partition)
	a := p.EnsureAccount(h.Quota)
	if h.GPUs == 0 {
		a.unearmark(h)
	}
	a.touch()
	p.freed(a.tree)
}
