package core

import (
	"sort"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// setNodes puts nodes into a state, and takes with them the replicas that went
// down with their node.
func setNodes(s *fleet.State, r Request, c SetNodes, now fleet.Instant) ([]event.Event, *Refusal) {
	if refusal := checkNodeState(c); refusal != nil {
		return nil, refusal
	}
	if refusal := checkMoment(c.At, now); refusal != nil {
		return nil, refusal
	}
	if refusal := noNodes(s, c.Names); refusal != nil {
		return nil, refusal
	}
	owner := ownerOf(r.Actor)
	var events []event.Event
	seen := map[string]bool{}
	for _, name := range c.Names {
		if seen[name] {
			continue
		}
		seen[name] = true
		p, node := findNode(s, name)
		n := p.Nodes[node]
		if c.Dead >= n.GPUs {
			return nil, refuse(Invalid, "node %q has %s; with %d dead it is not degraded but out", name, text.Count(n.GPUs, "GPU"), c.Dead)
		}
		if n.State == c.State && n.Dead == c.Dead {
			events = append(events, owned(p, n, owner)...)
			continue
		}
		if refusal := outByFault(r, n, c.State); refusal != nil {
			return nil, refusal
		}
		if l := s.Life(p.Cluster); n.State == fleet.Retired && l != nil && l.Course.Emptied != 0 {
			return nil, refuse(WrongState, "node %s was released when cluster %s was retired; it does not come back", n.Name, p.Cluster)
		}
		to, until := onProbation(s, n, c.State, now)
		events = append(events, lost(p, node, to, c.Dead)...)
		events = append(events, event.NodeChanged{
			Partition: p.ID, Node: name, From: n.State, To: to, Dead: c.Dead, Signal: c.Signal, Owner: keeps(to, owner), Until: until,
		})
	}
	return events, nil
}

// onProbation is the state that a node comes to instead of another, and when its probation ends: one that is cordoned or
// drained in its probation goes on with the rest of it when it returns, as after a visit.
func onProbation(s *fleet.State, n *fleet.Node, to fleet.NodeState, now fleet.Instant) (state fleet.NodeState, until fleet.Instant) {
	aside := func(state fleet.NodeState) bool { return state == fleet.Suspect || state == fleet.Maintenance }
	switch {
	case aside(to) && n.State == fleet.Probation:
		return to, s.ProbationEnds(n)
	case aside(to) && aside(n.State):
		return to, n.Until
	case to == fleet.Healthy && aside(n.State) && n.Until > now:
		return fleet.Probation, n.Until
	}
	return to, 0
}

// outByFault refuses a person to cordon or drain a node that a fault has taken out of service: taking that back would
// return it without a validation. Stories and parts of Muster set states as they are.
func outByFault(r Request, n *fleet.Node, to fleet.NodeState) *Refusal {
	faulty := n.State == fleet.Quarantined || n.State == fleet.Repairing || n.State == fleet.Validating
	if r.Actor.Principal.Kind == "" || !faulty || to != fleet.Suspect && to != fleet.Maintenance {
		return nil
	}
	signal := ""
	if n.Signal != "" {
		signal = " (" + n.Signal + ")"
	}
	return refuse(WrongState, "%s is %s%s: nothing new starts there, and it returns to service once it is repaired and validated; muster describe node %s says more", n.Name, n.State, signal, n.Name)
}

func checkNodeState(c SetNodes) *Refusal {
	if refusal := checkTexts("a signal", c.Signal); refusal != nil {
		return refusal
	}
	known := false
	for _, s := range fleet.NodeStates() {
		known = known || s == c.State
	}
	switch {
	case !known:
		return refuse(Invalid, "%q is not a node state; the states are %v", c.State, fleet.NodeStates())
	case len(c.Names) == 0:
		return refuse(Invalid, "no node is named")
	case c.State == fleet.Degraded && c.Dead < 1:
		return refuse(Invalid, "a degraded node has 1 or more dead GPUs, not %d", c.Dead)
	case c.State != fleet.Degraded && c.Dead != 0:
		return refuse(Invalid, "dead GPUs belong to state degraded, not to %s", c.State)
	}
	return nil
}

// noNodes refuses names that no node has, all of them at once: a range may go beyond what there is.
func noNodes(s *fleet.State, names []string) *Refusal {
	var missing []string
	for _, name := range names {
		if p, _ := findNode(s, name); p == nil {
			missing = append(missing, name)
		}
	}
	switch len(missing) {
	case 0:
		return nil
	case 1:
		return noNode(s, missing[0])
	}
	return refuse(NoSuchNode, "there are no nodes %s; %s", clip(text.Few(text.Folded(missing), 4)), MeantNode(s, missing[0]))
}

// noNode refuses a name that no node has. Who names an island or a partition is told its nodes.
func noNode(s *fleet.State, name string) *Refusal {
	for _, p := range s.Partitions {
		for i, island := range p.Islands {
			if nodes := island.Nodes(); len(nodes) > 0 && (name == island.Name || name == p.ID+"/"+island.Name) {
				return refuse(NoSuchNode, "%q is no node, but island %s of %s; name its nodes, as in %s: muster node list %s shows the %d there are",
					name, p.Islands[i].Name, p.ID, p.Nodes[nodes[0]].Name, p.ID+"/"+island.Name, len(nodes))
			}
		}
		if len(p.Nodes) > 0 && (name == p.ID || name == p.Cluster) {
			return refuse(NoSuchNode, "%q is no node; name nodes, as in %s: muster node list shows those there are", name, p.Nodes[0].Name)
		}
	}
	return refuse(NoSuchNode, "there is no node %q; %s", clip(name), MeantNode(s, name))
}

func findNode(s *fleet.State, name string) (*fleet.Partition, int) {
	for _, p := range s.Partitions {
		if node, ok := p.Node(name); ok {
			return p, node
		}
	}
	return nil, -1
}

// lost lists the replicas that a node loses where it comes to a state with so many dead GPUs.
// These are all of them where nothing may stay; on a degraded node, which serves flex only, in-quota work and
// what no longer fits, the last in order first.
func lost(p *fleet.Partition, node int, to fleet.NodeState, dead int) []event.Event {
	n := p.Nodes[node]
	keep := 0
	if to.Keeps() {
		keep = n.GPUs - dead
	}
	residents := append([]fleet.Resident(nil), n.Residents()...)
	sort.SliceStable(residents, func(i, j int) bool { return stays(residents[i], residents[j]) })
	type part struct {
		id   uint64
		pool int
	}
	gone := map[part]int{}
	var order []part
	held := 0
	for _, r := range residents {
		serves := to != fleet.Degraded || r.Workload.Flexes() || r.Phase == fleet.Leaving
		if serves && held+r.GPUs() <= keep {
			held += r.GPUs()
			continue
		}
		key := part{r.Workload.ID, r.Pool}
		if gone[key] == 0 {
			order = append(order, key)
		}
		gone[key]++
	}
	var events []event.Event
	for _, key := range order {
		spot := fleet.Spot{Pool: key.pool}
		for range gone[key] {
			spot.Nodes = append(spot.Nodes, node)
		}
		events = append(events, event.ReplicasLost{ID: key.id, Spots: []fleet.Spot{spot}, Node: n.Name})
	}
	return events
}

// stays orders residents by which stays first on a node that gets smaller: quota
// before flex, then the quota's order.
func stays(a, b fleet.Resident) bool {
	if a.Workload.Flexes() != b.Workload.Flexes() {
		return b.Workload.Flexes()
	}
	ka := fleet.KeyOf(a.Workload, a.Workload.Pools[a.Pool].Rank, false)
	kb := fleet.KeyOf(b.Workload, b.Workload.Pools[b.Pool].Rank, false)
	return ka.Before(kb)
}
