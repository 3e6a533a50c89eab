package haircut

import (
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The causes of an excess.
const (
	NoWholeNode    = "no whole node"   // what of grants fills no whole node: nothing can back it
	NeverDelivered = "never delivered" // assigned above what is installed
	OverAssigned   = "over-assigned"   // assigned above what the policy would allow were every node healthy
	Quarantined    = "quarantined"     // nodes in suspect, quarantined or degraded
	Repair         = "repair"          // nodes in repairing, validating or probation
	InMaintenance  = "maintenance"
	Retired        = "retired"
	Recent         = "down within the dwell" // nodes that are back, but not for long enough
)

var causeOf = map[fleet.NodeState]string{
	fleet.Suspect: Quarantined, fleet.Quarantined: Quarantined, fleet.Degraded: Quarantined,
	fleet.Repairing: Repair, fleet.Validating: Repair, fleet.Probation: Repair,
	fleet.Maintenance: InMaintenance, fleet.Retired: Retired,
}

// causesOf splits an excess of GPUs by cause. First comes what fills no whole node (at most
// fractions). Then come, in nodes, what was assigned beyond the nodes, what was assigned
// beyond the policy, and what failing nodes took, pro rata to the nodes in each state.
// The parts sum to the excess.
func causesOf(p *fleet.Partition, gpus, fractions int, n nodes) []fleet.CutCause {
	var list []fleet.CutCause
	if fractions = min(gpus, fractions); fractions > 0 {
		list = append(list, fleet.CutCause{Cause: NoWholeNode, GPUs: fractions})
	}
	excess := (gpus - fractions) / p.GPUsPerNode
	add := func(cause string, nodes int) {
		if nodes > 0 {
			list = append(list, fleet.CutCause{Cause: cause, GPUs: nodes * p.GPUsPerNode})
			excess -= nodes
		}
	}
	add(NeverDelivered, min(excess, n.assigned-n.installed))
	add(OverAssigned, min(excess, min(n.assigned, n.installed)-n.allowed/1000))
	names := []string{Quarantined, Repair, InMaintenance, Retired}
	for i, n := range Apportion(down(p, names), excess) {
		add(names[i], n)
	}
	add(Recent, excess)
	return list
}

// down counts the nodes that are not whole, by cause.
func down(p *fleet.Partition, names []string) []int {
	counts := make([]int, len(names))
	for _, n := range p.Nodes {
		for i, name := range names {
			if causeOf[n.State] == name {
				counts[i]++
			}
		}
	}
	return counts
}
