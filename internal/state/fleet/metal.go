package fleet

import "sort"

// This file changes what a partition is made of: islands and nodes.

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
		a.touch() // its work stands in islands with other numbers now
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
	p.state.plans++
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
	out, traced := n.outByPlan(), p.traced(node)
	if state == Healthy && n.State != Healthy && n.State != Suspect {
		n.Leaving, n.Goes = false, 0 // whether it may leave is asked again: others may not be there now
	}
	p.trace(node, n.State, state, !out && !n.outByPlanIn(state), at)
	p.lookAtChange(node, state)
	usable, whole, from := n.UsableGPUs(), n.Whole(), n.State
	if from == Healthy && state == Suspect {
		p.beginDip(at)
	}
	n.State, n.Dead, n.Signal, n.Since = state, dead, signal, at
	p.contribute(n, 1)
	if traced || out && !n.outByPlan() {
		p.replan(node, out)
	}
	if from == Suspect {
		p.endDip(state)
	}
	p.remember(n.Island, at)
	p.breakPledges(n.Island)
	if state == Probation {
		p.state.alarm(p, p.state.ProbationEnds(n), ofMetal)
	}
	p.unaligned = true
	p.ground++
	if n.UsableGPUs() > usable || n.Whole() && !whole || n.UsableGPUs() > 0 && state != Healthy {
		p.roomier() // also where some of what it lost was usable: see Lose
	} else {
		p.worn()
	}
}

// lookAtChange says that a node comes to another state. In service or in planned work it concerns its island and how many
// nodes may be out; all else concerns the partition.
func (p *Partition) lookAtChange(node int, to NodeState) {
	if planned(p.Nodes[node].State) && planned(to) {
		p.state.lookAtNode(p, node)
	} else {
		p.state.lookAt(p)
	}
}

func planned(s NodeState) bool { return up(s) || s == Maintenance }

func up(s NodeState) bool { return s == Healthy || s == Probation }

// traced says whether some stretch of a node is kept.
func (p *Partition) traced(node int) bool {
	at := sort.Search(len(p.Downs), func(i int) bool { return p.Downs[i].Node >= node })
	return at < len(p.Downs) && p.Downs[at].Node == node
}

// replan counts the stretches anew where planned work takes a node that has some, or gives it back.
func (p *Partition) replan(node int, out bool) {
	if p.Nodes[node].outByPlan() != out && p.traced(node) {
		p.recountDowns()
	}
}

// trace notes that a node is not there to be promised any more, or is again. It counts only where no planned work has the node.
func (p *Partition) trace(node int, from, to NodeState, counts bool, at Instant) {
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
		p.countDown(node, 1, counts, at)
	case has && !up(from) && up(to) && p.Nodes[node].Planned,
		from == Suspect && to == Healthy && has && p.Downs[open].From == p.Nodes[node].Since:
		if p.Downs = append(p.Downs[:open], p.Downs[open+1:]...); counts {
			p.recountDowns()
		}
	case !up(from) && up(to) && has:
		p.Downs[open].To = at
		p.countDown(node, -1, counts, at)
		p.state.alarm(p, at.Add(p.state.Policy.Dwell), ofMetal)
	}
}
