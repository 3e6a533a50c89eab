package kube

import (
	"slices"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

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
