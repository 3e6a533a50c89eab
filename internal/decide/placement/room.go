package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// This file is the overlay that every "does it fit without these?" is asked on: victims
// are taken out of the picture (evict, restore), and nodes are given to the newcomer
// (takeAll, ungive). The state itself is never changed.

// evict takes a unit out of the picture; restore puts it back.
func (pl *Planner) evict(u unit) { pl.shift(u, 1) }

func (pl *Planner) restore(u unit) { pl.shift(u, -1) }

func (pl *Planner) shift(u unit, sign int) {
	inQuota := sign
	if u.w.Flexes() {
		inQuota = 0
	}
	u.eachNode(func(node, gpus int) {
		pl.freed[node] += sign * gpus
		pl.gone[node] += inQuota
		pl.moved[pl.p.Nodes[node].Island] += sign
	})
	pl.vacate(&u, sign)
}

// untouched says whether an island is as it stands: no work is out of the
// picture there, and the newcomer has been given nothing.
func (pl *Planner) untouched(island int) bool { return pl.moved[island] == 0 && !pl.ignoreFlex }

// room is what a node has for a newcomer: usable GPUs that no replica means to keep.
func (pl *Planner) room(node int) int {
	n := pl.p.Nodes[node]
	if pl.ignoreFlex {
		return n.Counted() - n.OfQuota() + pl.freed[node] - pl.extra[node]
	}
	return n.Counted() - n.Staying() + pl.freed[node] - pl.extra[node]
}

// owner is the account whose in-quota work would stay on a node, or nil.
func (pl *Planner) owner(node int) *fleet.Account {
	n := pl.p.Nodes[node]
	if pl.gone[node] == 0 {
		return n.Owner()
	}
	staying := 0
	for _, r := range n.Residents() {
		if r.Workload.Account() != nil && r.Phase != fleet.Leaving {
			staying++
		}
	}
	if staying == pl.gone[node] {
		return nil
	}
	return n.Owner()
}

// kind of a node for a claim.
type nodeKind int

const (
	nodeClosed  nodeKind = iota // not for this claim
	nodeCounted                 // touched by its quota's earlier work: free of limits
	nodeLater                   // touched only by its quota's later work: counts against own
	nodeOpen                    // untouched: counts against own and tree
)

// kindOf says what a node is to a claim, with the chosen victims gone.
func (pl *Planner) kindOf(c *claim, node int) nodeKind {
	if pl.shuns && pl.disturbed(c, node) {
		return nodeClosed
	}
	return pl.kindAsHeld(c, node)
}

// kindAsHeld is kindOf whatever is planned on the node.
func (pl *Planner) kindAsHeld(c *claim, node int) nodeKind {
	n := pl.p.Nodes[node]
	if c.account == nil {
		if n.CountsUsable() {
			return nodeCounted
		}
		return nodeClosed
	}
	if !n.CountsWhole() {
		return nodeClosed
	}
	switch owner := pl.owner(node); {
	case owner == nil:
		return nodeOpen
	case owner != c.account:
		return nodeClosed
	case c.counted == nil || c.counted[node]:
		return nodeCounted
	case !c.covered.has(node):
		return nodeOpen // only what nothing covers stands there
	}
	return nodeLater
}

// opened counts a node against the limits of a claim.
func (pl *Planner) opened(c *claim, node, sign int) {
	if c.account == nil {
		return
	}
	i, kind := pl.p.Nodes[node].Island, pl.kindOf(c, node)
	c.opens[i] += sign
	if kind == nodeLater || kind == nodeOpen {
		c.own[i] -= sign
	}
	if kind == nodeOpen {
		c.tree[i] -= sign
	}
}

func (pl *Planner) takeAll(c *claim, nodes []int, pool int) {
	for _, node := range nodes {
		if pl.extra[node] == 0 {
			pl.opened(c, node, 1)
		}
		pl.extra[node] += c.w.Pools[pool].GPUs
		pl.note(c, node, pool, 1)
		pl.moved[pl.p.Nodes[node].Island]++
	}
}

func (pl *Planner) ungive(c *claim, nodes []int, pool int) {
	for _, node := range nodes {
		pl.extra[node] -= c.w.Pools[pool].GPUs
		pl.note(c, node, pool, -1)
		pl.moved[pl.p.Nodes[node].Island]--
		if pl.extra[node] == 0 {
			pl.opened(c, node, -1)
		}
	}
}

// give counts found spots into (sign 1) or out of (−1) what the claim has been given.
func (pl *Planner) give(c *claim, spots []fleet.Spot, sign int) {
	for _, spot := range spots {
		for _, node := range spot.Nodes {
			pl.extra[node] += sign * c.w.Pools[spot.Pool].GPUs
			pl.note(c, node, spot.Pool, sign)
			pl.moved[pl.p.Nodes[node].Island] += sign
		}
	}
}

// release gives found nodes back to the scratch arrays.
func (pl *Planner) release(c *claim, spots []fleet.Spot) {
	for _, spot := range spots {
		pl.ungive(c, spot.Nodes, spot.Pool)
	}
}

func (pl *Planner) roomIn(island int) int {
	if pl.untouched(island) {
		return pl.p.Islands[island].Room()
	}
	t := 0
	for _, n := range pl.p.Islands[island].Nodes() {
		t += max(0, pl.room(n))
	}
	return t
}

// slotsOnFlex is how many replicas the room of an island takes; for in-quota
// claims, which must look at each node, unlimited.
func (pl *Planner) slotsOnFlex(c *claim, nd need, island int) int {
	switch {
	case c.account != nil:
		return unlimited
	case pl.untouched(island) && nd.tight == nil:
		return pl.p.Islands[island].Slots(nd.gpus)
	}
	slots := 0
	for _, node := range pl.p.Islands[island].Nodes() {
		if pl.p.Nodes[node].CountsUsable() {
			slots += pl.slotsOn(&nd, node, pl.room(node))
		}
	}
	return slots
}

// nodesOf adds the nodes that a unit stands on to a list, each once.
func (pl *Planner) nodesOf(u *unit, list []int) []int {
	pl.mark++
	u.eachNode(func(node, _ int) {
		if pl.marks[node] != pl.mark {
			pl.marks[node] = pl.mark
			list = append(list, node)
		}
	})
	return list
}
