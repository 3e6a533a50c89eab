package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// placeOnFree makes a plan of room that is free for a claim: no work leaves for it.
func (pl *Planner) placeOnFree(c *claim) (Plan, bool) {
	spots, ok := pl.find(c)
	if !ok {
		return Plan{}, false
	}
	plan := pl.finish(c, spots, nil)
	pl.release(c, spots)
	return plan, true
}

// finish makes a plan of spots that were found: room that is still in use, or
// that would be taken from what is kept for others, is reserved.
func (pl *Planner) finish(c *claim, spots []fleet.Spot, victims []Victim) Plan {
	plan := Plan{Kind: Place, Workload: c.w, Spots: spots, Holds: c.holds, Victims: victims, Reserved: len(victims) > 0 || c.awaitsLeavers}
	for _, spot := range spots {
		for _, node := range spot.Nodes {
			n := pl.p.Nodes[node]
			plan.Reserved = plan.Reserved || n.InUse()+reservedOn(n)+pl.extra[node] > n.Good() || pl.outlasted(c, node)
		}
	}
	return plan
}

// reservedOn is the number of GPUs of a node that are reserved and not in use yet.
func reservedOn(n *fleet.Node) int {
	gpus := 0
	for _, r := range n.Residents() {
		if r.Phase == fleet.Reserved {
			gpus += r.GPUs()
		}
	}
	return gpus
}
