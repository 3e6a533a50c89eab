package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// fillWhole is fill for in-quota replicas that take whole nodes, where all are wanted: nodes that
// are free come first, by name, so that a look at others can end once there are enough. It
// finds none, and leaves the question to fill, where anything else decides what comes first.
func (pl *Planner) fillWhole(c *claim, nd *need, island, replicas int) []int {
	if !pl.wantsWhole(c, nd, island, replicas) {
		return nil
	}
	nodes := make([]int, 0, replicas)
	for _, node := range pl.p.Islands[island].Nodes() {
		if !pl.standsFree(node) || pl.disturbed(c, node) || pl.slotsIn(nd, node, nd.gpus) == 0 {
			continue
		}
		if nodes = append(nodes, node); len(nodes) == replicas {
			return nodes
		}
	}
	return nil
}

// wantsWhole says whether the name alone decides among the free nodes of an island: no victim and nothing
// that was given changes what is free, racks do not matter, and the limits allow all replicas.
func (pl *Planner) wantsWhole(c *claim, nd *need, island, replicas int) bool {
	switch {
	case c.account == nil, nd.gpus != pl.p.GPUsPerNode, pl.p.Islands[island].Slots(nd.gpus) < replicas:
		return false
	case nd.reach == fleet.ReachRack, replicas > 1 && pl.p.Islands[island].Racks > 1:
		return false
	case !pl.untouched(island), pl.roomiestFirst, c.awaitsLeavers:
		return false
	}
	return replicas > 0 && replicas <= min(c.own[island], c.tree[island])
}

// standsFree says whether quota may stand on a node on which nothing stands, nor leaves.
func (pl *Planner) standsFree(node int) bool {
	n := pl.p.Nodes[node]
	return n.InUse() == 0 && n.Staying() == 0 && n.CountsWhole() && n.Counted() == pl.p.GPUsPerNode
}
