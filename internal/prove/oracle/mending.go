package oracle

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Laws of §6: when a node fails.
var mendingLaws = []Law{
	{"mended-in-island", "a gang that loses a node is mended from a free or flex node of its island (§6)", eachPart(mended)},
	{"mended-close", "a lost replica is replaced in the failed node's island, where backing covers it and a node is free (§6)", mendedClose},
	{"mended-before-lesser", "mending takes less important work of the same quota, and what its backing does not cover beside the whole gang, before the gang goes back to its queue (§6)", eachPart(lesser)},
	{"mend-victims", "a mend takes free nodes, then flex, then in-quota work; on flex free nodes only (§6)", mendVictims},
	{"elastic-runs-on", "elastic pools lose the replica and run on (§6)", eachPart(runsOn)},
}

// lost is the nodes that left service by this record, other than for planned work: that stops gangs whole (§8).
func (m Moment) lost(p *Part) map[int]bool {
	nodes := map[int]bool{}
	was := m.Before.Part(p.ID)
	for i, n := range p.Nodes {
		if was != nil && i < len(was.Nodes) && was.Nodes[i].State.Keeps() && !n.State.Keeps() && n.State != fleet.Maintenance {
			nodes[i] = true
		}
	}
	return nodes
}

// returned finds gangs of one pool that ran on nodes which were lost, and went back to their queue.
func (m Moment) returned(p *Part, look func(old, now *Job, island, lost int)) {
	lost := m.lost(p)
	for _, old := range m.Before.Jobs {
		now := m.After.Job(old.ID)
		if old.At != p.ID || old.State != fleet.RunningW || now == nil || len(old.Pools) != 1 || old.Pools[0].Elastic || old.Pools[0].Min < 2 ||
			p.tightFor(old) || old.Pools[0].Reach != fleet.ReachIsland || now.State != fleet.Pending && now.State != fleet.Evicting || now.Evictions > old.Evictions || m.stopped(old.ID) {
			continue
		}
		n := 0
		for _, u := range old.Units {
			if lost[u.Node] {
				n++
			}
		}
		if n > 0 && n < len(old.Units) { // of one that lost every node nothing runs on
			look(old, now, p.Nodes[old.Units[0].Node].Island, n)
		}
	}
}

// stopped says whether a gang was stopped as a whole for planned work on its nodes: one stop serves a failure too (§8).
func (m Moment) stopped(id uint64) bool {
	return slices.ContainsFunc(m.Record.Events, func(e event.Event) bool {
		r, ok := e.(event.GangReturned)
		return ok && r.ID == id && r.Stop
	})
}

func mended(m Moment, p *Part, s *said) {
	if p.Stale || len(m.lost(p)) == 0 {
		return
	}
	m.returned(p, func(old, _ *Job, island, lost int) {
		if m.tookOver(old) {
			return
		}
		free := 0
		for i, n := range p.Nodes {
			if n.Island != island || !n.Whole() || slices.ContainsFunc(old.Units, func(u Unit) bool { return u.Node == i }) {
				continue
			}
			busy := slices.ContainsFunc(p.Units, func(u Unit) bool { return u.Node == i && (!u.Job.Flexes() || old.Flexes()) })
			was := slices.ContainsFunc(m.Before.Part(p.ID).Units, func(u Unit) bool { return u.Node == i && (!u.Job.Flexes() || old.Flexes()) })
			if !busy && !was {
				free++
			}
		}
		if free >= lost {
			s.add("%s lost %d nodes of %s and went back to its queue, beside %d nodes without in-quota work", old.Name, lost, p.Islands[island], free)
		}
	})
}

// tookOver says whether work that would have evicted a gang, had it been mended, got nodes that it left by the same record: a
// mend is no reason to evict (decision record 0006).
func (m Moment) tookOver(old *Job) bool {
	return slices.ContainsFunc(m.Record.Events, func(e event.Event) bool {
		got, ok := e.(event.ReplicasPlaced)
		if !ok || got.ID == old.ID || got.Partition != old.At || !old.standsOn(got.Spots) {
			return false
		}
		j := m.After.Job(got.ID)
		return j != nil && (m.comesBefore(j, old) || m.hasShareLeft(j, old))
	})
}

// comesBefore says whether a workload is more important work of a gang's tree.
func (m Moment) comesBefore(j, old *Job) bool {
	return !j.Flexes() && j.Tree == old.Tree && Above(j, gets(m, j), old, old.Base())
}

// hasShareLeft says whether flex work stays within its namespace's share, and another one's gang, were it mended, would be
// above its own and has run for its minimum time.
func (m Moment) hasShareLeft(j, old *Job) bool {
	if !j.Flexes() || !old.Flexes() || j.Space == old.Space || m.After.At.Sub(old.Started) < m.After.Policy.FlexRun() {
		return false
	}
	p := m.After.Part(old.At)
	used, share := p.space(j.Space)
	_, its := p.space(old.Space)
	return used <= share && m.Before.Part(old.At).stays(old.Space) > its
}

// standsOn says whether some unit of a workload is on a node among the spots.
func (j *Job) standsOn(list []fleet.Spot) bool {
	return slices.ContainsFunc(j.Units, func(u Unit) bool {
		return slices.ContainsFunc(list, func(s fleet.Spot) bool { return slices.Contains(s.Nodes, u.Node) })
	})
}

func lesser(m Moment, p *Part, s *said) {
	if p.Stale || len(m.lost(p)) == 0 {
		return
	}
	m.returned(p, func(old, now *Job, island, lost int) {
		if old.Flexes() || slices.ContainsFunc(old.Units, func(u Unit) bool { return u.Holds != fleet.HoldsGuaranteed }) {
			return
		}
		pushed := p.pushedBy(old, now)
		less := func(u Unit) bool {
			return u.Job.Target == old.Target && u.Job != now && (Above(old, old.Base(), u.Job, u.Job.Pools[u.Pool].Rank) || pushed[u.Job.ID])
		}
		room := 0
		for i, n := range p.Nodes {
			if n.Island != island || !n.Whole() {
				continue
			}
			here := p.of(func(u Unit) bool { return u.Node == i && !u.Job.Flexes() })
			if len(here) > 0 && !slices.ContainsFunc(here, func(u Unit) bool { return !less(u) || !u.Stays() || u.Phase != fleet.Running }) {
				room++
			}
		}
		q := p.Quota(old.Target)
		before := map[int]bool{} // what stays of the quota and comes first
		for _, u := range p.Units {
			if u.Job.Target == old.Target && u.Job != now && !less(u) {
				before[u.Node] = true
			}
		}
		if room >= lost && q != nil && q.Backing[island] >= len(old.Units)+len(before) {
			s.add("%s lost %d nodes of %s and went back to its queue, beside %d nodes with work of %s that comes after it", old.Name, lost, p.Islands[island], room, old.Target)
		}
	})
}

// pushedBy finds the work of a gang's quota, by ID, that is of one gang, equally important, younger, and not covered by the
// quota's backing beside all that comes before it and the whole gang.
func (p *Part) pushedBy(old, now *Job) map[uint64]bool {
	pushed, q := map[uint64]bool{}, p.Quota(old.Target)
	if q == nil || q.Held {
		return pushed
	}
	for _, v := range p.of(func(u Unit) bool { return u.Job.Target == old.Target && u.Job != now && u.Stays() }) {
		j := v.Job
		if len(j.Pools) > 1 || j.Pools[0].Elastic || j.Priority != old.Priority || !Ahead(old, old.Base(), j, j.Base()) {
			continue
		}
		gpus := old.Pools[0].Min * old.Pools[0].GPUs
		for _, u := range p.Units {
			if u.Job.Target == old.Target && u.Job != now && u.Stays() && !Ahead(j, j.Base(), u.Job, u.Job.Pools[u.Pool].Rank) {
				gpus += u.GPUs()
			}
		}
		pushed[j.ID] = gpus > q.Backed()*p.PerNode
	}
	return pushed
}

// mendedClose looks at replicas that replace lost ones of gangs that may reach anywhere.
func mendedClose(m Moment) []string {
	var s said
	for _, e := range m.Record.Events {
		e, ok := e.(event.ReplicasPlaced)
		if !ok || !e.Mend {
			continue
		}
		j, old, p := m.After.Job(e.ID), m.Before.Job(e.ID), m.After.Part(e.Partition)
		if j == nil || old == nil || j.Flexes() || p.Stale || p.tightFor(j) || len(j.Pools) != 1 || j.Pools[0].Elastic || j.Pools[0].Reach != fleet.ReachAny || j.Pools[0].GPUs != p.PerNode {
			continue
		}
		m.closer(p, j, old, &s)
	}
	return s
}

func (m Moment) closer(p *Part, j, old *Job, s *said) {
	lost := m.lost(p)
	left, came := make([]int, len(p.Islands)), make([]int, len(p.Islands))
	for _, u := range old.Units {
		if lost[u.Node] {
			left[p.Nodes[u.Node].Island]++
		}
	}
	for _, u := range fresh(m, j) {
		came[p.Nodes[u.Node].Island]++
	}
	_, backing := p.trees()
	kin := p.of(func(u Unit) bool { return u.Job.Tree == j.Tree && u.Stays() })
	touched := p.touched(kin).perIsland(p)
	for i := range p.Islands {
		if came[i] >= left[i] || touched[i] >= backing[j.Tree][i] {
			continue
		}
		for n, node := range p.Nodes {
			if node.Island == i && node.Whole() && !slices.ContainsFunc(p.Units, func(u Unit) bool { return u.Node == n }) {
				s.add("%s lost a node of %s and was mended in another island, beside %s, which is free and inside the tree's backing", j.Name, p.Islands[i], node.Name)
				return
			}
		}
	}
}

func runsOn(m Moment, p *Part, s *said) {
	lost := m.lost(p)
	for _, old := range m.Before.Jobs {
		now := m.After.Job(old.ID)
		if now == nil || old.At != p.ID || old.State != fleet.RunningW || len(old.Pools) != 1 || !old.Pools[0].Elastic || now.State != fleet.Pending || now.Evictions > old.Evictions {
			continue
		}
		left := 0
		for _, u := range old.Units {
			if !lost[u.Node] && u.Phase == fleet.Running && p.Nodes[u.Node].State.Keeps() {
				left++
			}
		}
		if left >= old.Pools[0].Min && left > 0 && len(lost) > 0 {
			s.add("%s lost nodes, had %d replicas left of at least %d, and went back to its queue", old.Name, left, old.Pools[0].Min)
		}
	}
}

// mendVictims looks at what was evicted for a replica that replaces a lost one.
func mendVictims(m Moment) []string {
	var s said
	for _, e := range m.evictions() {
		if e.Owner == nil || e.Part.Stale || !m.mends(e.Owner.ID) || m.steps(e.Owner.ID) != 1 {
			continue
		}
		if e.Owner.Flexes() {
			s.add("%s was evicted for a mend of %s, which is on flex", e.Victim.Name, e.Owner.Name)
			continue
		}
		if e.Victim.Late || e.Was != nil && e.Was.Late {
			continue // past its declared maximum it is the first victim of whatever it delays (§5)
		}
		if e.Victim.Flexes() || e.Part.tightFor(e.Owner) || len(e.Owner.Pools) != 1 || e.Owner.Pools[0].GPUs != e.Part.PerNode || e.Owner.Pools[0].Reach != fleet.ReachIsland {
			continue
		}
		island := e.Part.Nodes[e.Owner.Units[0].Node].Island
		if !e.Part.covers(e.Owner.Tree, island, e.Before) {
			continue
		}
		for i, n := range e.Part.Nodes {
			held := func(u Unit) bool { return u.Node == i && !u.Job.Flexes() }
			if n.Whole() && n.Island == island && !slices.ContainsFunc(e.Part.Units, held) && !slices.ContainsFunc(e.Before.Units, held) {
				s.add("%s of %s was evicted for a mend of %s, beside %s, on which no in-quota work stands", e.Victim.Name, e.Victim.Target, e.Owner.Name, n.Name)
				break
			}
		}
	}
	return s
}

// mends says whether a workload got room by the record for replicas that it lost.
func (m Moment) mends(id uint64) bool {
	return slices.ContainsFunc(m.Record.Events, func(e event.Event) bool {
		p, ok := e.(event.ReplicasPlaced)
		return ok && p.ID == id && p.Mend
	})
}

// steps is how often the record gave a workload room.
func (m Moment) steps(id uint64) (n int) {
	for _, e := range m.Record.Events {
		if p, ok := e.(event.ReplicasPlaced); ok && p.ID == id {
			n++
		}
	}
	return n
}

// covers says whether a tree's backing covers one node more in an island than its
// work touched on nodes in service, before a record.
func (p *Part) covers(tree string, island int, before *Part) bool {
	_, backing := p.trees()
	nodes := map[int]bool{}
	for _, u := range before.Units {
		if u.Job.Tree == tree && u.Stays() && p.Nodes[u.Node].Island == island && p.Nodes[u.Node].State.Keeps() {
			nodes[u.Node] = true
		}
	}
	return island < len(backing[tree]) && len(nodes) < backing[tree][island]
}
