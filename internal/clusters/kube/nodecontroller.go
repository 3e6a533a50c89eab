package kube

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// nodeController observes the nodes of a cluster where Muster decides, and shows there
// the states in which Muster keeps them.
type nodeController struct {
	*shared
	lastSignal map[string]string // ID of the last signal, by node and check
}

// stateFromMarks lists the commands that put nodes into the states that the cluster shows,
// on a cluster where Muster decides. Conditions become signals, of which the health
// policy makes what it makes; only what others have marked on the node itself, and
// pods that are not Muster's, are taken as they are.
func (c *nodeController) stateFromMarks(s *fleet.State, p Snapshot) (commands []core.Command) {
	for _, n := range p.Nodes {
		part, at := s.FindNode(n.Name)
		if part == nil || part.Cluster != c.Translate.Cluster {
			continue
		}
		is := part.Nodes[at]
		if is.StateOwner != fleet.ByNobody && is.StateOwner != fleet.ByCluster {
			continue // automation, a person or a maintenance keeps it
		}
		if to, dead, why := markOf(n, is, p.Foreign[n.Name]); to != is.State || dead != is.Dead {
			commands = append(commands, core.SetNodes{Names: []string{n.Name}, State: to, Dead: dead, Signal: why})
		}
	}
	return append(commands, vanished(s, c.Translate.Cluster, p.Nodes)...)
}

// markOf is the state of a node by what is marked on it. GPUs that pods of others
// hold are taken out like dead ones where no quota's work is on the node; where some
// is, it stays, and the node takes nothing new: in both cases nothing is promised there.
func markOf(n translate.Node, is *fleet.Node, foreign int) (to fleet.NodeState, dead int, why string) {
	out := n.Dead + foreign
	inQuota := slices.ContainsFunc(is.Residents(), func(r fleet.Resident) bool { return !r.Workload.Flexes() && r.Phase != fleet.Leaving })
	switch {
	case n.Broken != "":
		return fleet.Quarantined, 0, "taint " + n.Broken
	case n.Dead >= n.GPUs:
		return fleet.Quarantined, 0, "no GPU is offered"
	case n.Cordoned != "":
		return fleet.Suspect, 0, n.Cordoned
	case foreign > 0 && (inQuota || out >= n.GPUs || is.InUse() > n.GPUs-out):
		return fleet.Suspect, 0, fmt.Sprintf("%d GPUs are held by pods that are not Muster's", foreign)
	case foreign > 0:
		return fleet.Degraded, out, fmt.Sprintf("%d GPUs are held by pods that are not Muster's", foreign)
	case n.Dead > 0:
		return fleet.Degraded, n.Dead, "some GPUs are not offered"
	case is.State == fleet.Quarantined && is.StateOwner == fleet.ByCluster:
		return fleet.Probation, 0, "who marked it has taken the mark away"
	case is.StateOwner == fleet.ByCluster || is.State == fleet.Suspect || is.State == fleet.Degraded:
		return fleet.Healthy, 0, "nothing is marked any more"
	}
	return is.State, is.Dead, ""
}

// vanished lists the commands that take nodes out of service which the cluster does
// not have any more, where Muster decides: nothing could bind to them. One that joins
// again comes back into probation. What a person or automation keeps is left alone.
func vanished(s *fleet.State, cluster string, nodes []translate.Node) (commands []core.Command) {
	there := map[string]bool{}
	for _, n := range nodes {
		there[n.Name] = true
	}
	for _, p := range s.Partitions {
		if p.Cluster != cluster {
			continue
		}
		var gone []string
		for _, n := range p.Nodes {
			kept := n.StateOwner != fleet.ByNobody && n.StateOwner != fleet.ByCluster
			if !there[n.Name] && !kept && n.State != fleet.Quarantined {
				gone = append(gone, n.Name)
			}
		}
		if len(gone) > 0 {
			slices.Sort(gone)
			commands = append(commands, core.SetNodes{Names: gone, State: fleet.Quarantined, Signal: "the cluster has no such node any more"})
		}
	}
	return commands
}

// signals lists what the conditions of nodes say and was not said before.
func (c *nodeController) signals(s *fleet.State, p Snapshot) []core.Command {
	var news []fleet.Signal
	for _, n := range p.Nodes {
		if part, _ := s.FindNode(n.Name); part == nil {
			continue // it is still being set up
		}
		for _, s := range n.Signals {
			key := n.Name + "/" + s.Check
			was, known := c.lastSignal[key]
			if known && was == s.ID || !known && s.Well {
				continue
			}
			c.lastSignal[key] = s.ID
			news = append(news, s)
		}
	}
	if len(news) == 0 {
		return nil
	}
	return []core.Command{core.TakeSignals{Signals: news}}
}
