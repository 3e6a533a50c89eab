package kube

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// change is what a node is put into.
type change struct {
	state fleet.NodeState
	dead  int
	why   string
}

// nodeStates lists the commands that put nodes into the states that the cluster
// shows, on a cluster where nothing is decided.
func nodeStates(s *fleet.State, cluster string, nodes []translate.Node, now fleet.Instant) []core.Command {
	shown := map[string]*translate.Node{}
	for i := range nodes {
		shown[nodes[i].Name] = &nodes[i]
	}
	changes := map[change][]string{}
	for _, p := range s.Partitions {
		if p.Cluster != cluster {
			continue
		}
		for _, n := range p.Nodes {
			if to, news := shownState(s, n, shown[n.Name], now); news {
				changes[to] = append(changes[to], n.Name)
			}
		}
	}
	commands := make([]core.Command, 0, len(changes))
	for to, names := range changes {
		slices.Sort(names)
		commands = append(commands, core.SetNodes{Names: names, State: to.state, Dead: to.dead, Signal: to.why})
	}
	slices.SortFunc(commands, func(a, b core.Command) int {
		return cmp.Compare(a.(core.SetNodes).Names[0], b.(core.SetNodes).Names[0])
	})
	return commands
}

// shownState is the state that the cluster shows of a node, and whether that is
// news. What a person keeps is left alone.
func shownState(s *fleet.State, n *fleet.Node, is *translate.Node, now fleet.Instant) (to change, news bool) {
	to = change{state: fleet.Quarantined, why: "the cluster has no such node any more"}
	if is != nil {
		to.state, to.dead, to.why = is.State(s.HealthPolicy().Rules, now)
	}
	if to.dead >= n.GPUs {
		to.dead = 0
	}
	kept := n.StateOwner == fleet.ByOperator || n.StateOwner == fleet.ByMaintenance
	return to, !kept && (n.State != to.state || n.Dead != to.dead)
}
