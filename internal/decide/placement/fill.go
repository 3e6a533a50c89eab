package placement

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// candidate is a node that can take at least one replica.
type candidate struct {
	node, slots int
	kind        nodeKind
	rack        int
	rating      int // less is better
}

// fill picks nodes of an island for up to so many replicas: one mention of a
// node per replica. It takes nodes in order of rating within the claim's limits.
func (pl *Planner) fill(c *claim, nd need, island, replicas int) []int {
	if nodes := pl.fillWhole(c, &nd, island, replicas); nodes != nil {
		return nodes
	}
	return pl.fillByRating(c, nd, island, replicas)
}

// fillByRating is fill where each node must be looked at.
func (pl *Planner) fillByRating(c *claim, nd need, island, replicas int) []int {
	list := pl.candidates(c, nd, island)
	if nd.reach == fleet.ReachRack {
		return pl.fillRack(c, list, island, replicas)
	}
	if pl.p.Islands[island].Racks > 1 && replicas > 1 {
		rateRacks(list, replicas)
	}
	return pl.pick(c, list, island, replicas)
}

func (pl *Planner) candidates(c *claim, nd need, island int) []candidate {
	list := pl.list[:0]
	for _, node := range pl.p.Islands[island].Nodes() {
		room := pl.room(node)
		if room < nd.gpus || pl.shuns && pl.disturbed(c, node) {
			continue
		}
		kind := pl.kindAsHeld(c, node)
		if kind == nodeClosed {
			continue
		}
		if kind != nodeCounted && pl.extra[node] > 0 {
			kind = nodeCounted // this claim has opened it already
		}
		if slots := pl.slotsIn(&nd, node, room); slots > 0 {
			n := pl.p.Nodes[node]
			list = append(list, candidate{node, slots, kind, n.Rack, pl.rate(c, node, n, kind, room)})
		}
	}
	pl.list = list
	return list
}

// rate orders the nodes of an island. In-quota work fills nodes that its quota
// has already, the fullest first, and opens the emptiest. Flex work takes nodes
// that quota cannot stand on first, then the fullest. Nodes that work is
// still leaving come after those that are free, but those that the claim's own
// victims leave come first: so a GPU that is held and reserved counts once. Of nodes that it
// would open, those come last on which planned work is ahead.
func (pl *Planner) rate(c *claim, node int, n *fleet.Node, kind nodeKind, room int) int {
	if pl.roomiestFirst && kind != nodeCounted {
		return 2*n.GPUs - room // what is free of limits comes first
	}
	if pl.roomiestFirst || pl.freed[node] > 0 || c.awaitsLeavers && leftBy(n, c.account.Tree()) {
		return n.GPUs - room
	}
	leaving := 0
	if left(n, room) {
		leaving = 1
	}
	switch {
	case c.account == nil:
		return pl.rateForFlex(c, node, n, room)*2 + leaving
	case kind == nodeCounted:
		return (2*n.GPUs+1-n.OfQuota())*2 + quotaLeaves(n) // as if no flex were there
	case pl.disturbed(c, node):
		return (8*n.GPUs-n.Room())*2 + leaving
	}
	return (4*n.GPUs-n.Room())*2 + leaving
}

// rateForFlex is what rate says of a node for flex work, what still leaves it aside.
func (pl *Planner) rateForFlex(c *claim, node int, n *fleet.Node, room int) int {
	switch {
	case n.Leaving && !pl.endsBefore(c, n.Goes):
		return 8*n.GPUs + room // other nodes first: it would have to leave this one
	case !n.Whole():
		return room
	case n.Owner() != nil:
		return 4*n.GPUs + room // the quota there will want its whole node
	case pl.disturbed(c, node):
		return 2*n.GPUs + 2 + room
	}
	return n.GPUs + 1 + room
}

// quotaLeaves is 1 if in-quota work is on its way out of a node, else 0.
func quotaLeaves(n *fleet.Node) int {
	leaves := func(r fleet.Resident) bool { return r.Phase == fleet.Leaving && r.Workload.Account() != nil }
	if n.InUse() > n.Staying() && slices.ContainsFunc(n.Residents(), leaves) {
		return 1
	}
	return 0
}

// compareNodes orders nodes that are rated alike. Those that the quota has already go by
// its work there, not by their names: which of several free nodes it once opened depends
// on flex work, and what it does on them must not.
func (pl *Planner) compareNodes(a, b *candidate) int {
	if a.kind == nodeCounted && b.kind == nodeCounted && pl.p.Nodes[a.node].Owner() != nil {
		if order := compareQuotaWork(pl.p.Nodes[a.node], pl.p.Nodes[b.node]); order != 0 {
			return order
		}
	}
	return a.node - b.node
}

// compareQuotaWork compares the in-quota work that stays on two nodes, by ID and pool.
func compareQuotaWork(a, b *fleet.Node) int {
	stays := func(r fleet.Resident) bool { return r.Phase != fleet.Leaving && r.Workload.Account() != nil }
	x, y := a.Residents(), b.Residents()
	for {
		i, j := slices.IndexFunc(x, stays), slices.IndexFunc(y, stays)
		if i < 0 || j < 0 {
			return cmp.Compare(i, j)
		}
		if order := cmp.Or(cmp.Compare(x[i].Workload.ID, y[j].Workload.ID), cmp.Compare(x[i].Pool, y[j].Pool)); order != 0 {
			return order
		}
		x, y = x[i+1:], y[j+1:]
	}
}

// left says whether work still has to leave before all the room of a node is free.
func left(n *fleet.Node, room int) bool { return n.InUse()+n.GPUs-n.Good() > n.GPUs-room }

// pick takes candidates in order until there are enough replicas or a limit is
// reached. Where the limit on nodes is what ends it, those with the most room are
// opened first.
func (pl *Planner) pick(c *claim, list []candidate, island, replicas int) []int {
	own, tree := unlimited, unlimited
	if c.account != nil {
		own, tree = c.own[island], c.tree[island]
		if own < 0 || tree < 0 {
			return nil // what stands here is more than the backing covers: so would the newcomer be
		}
	}
	if first := pl.first(list); first >= 0 && list[first].slots >= replicas && !list[first].beyond(own, tree) {
		return slices.Repeat([]int{list[first].node}, replicas) // most work is small: no need to sort
	}
	slices.SortFunc(list, pl.compareCandidates)
	nodes, limited := take(list, replicas, own, tree)
	if len(nodes) < replicas && limited {
		slices.SortStableFunc(list, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(min(a.kind, nodeLater), min(b.kind, nodeLater)), cmp.Compare(b.slots, a.slots))
		})
		if more, _ := take(list, replicas, own, tree); len(more) > len(nodes) {
			return more
		}
	}
	return nodes
}

// compareCandidates orders candidates by rating, then as compareNodes does.
func (pl *Planner) compareCandidates(a, b candidate) int {
	if a.rating != b.rating {
		return cmp.Compare(a.rating, b.rating)
	}
	return pl.compareNodes(&a, &b)
}

// first is the index of the candidate that comes first; -1: there is none.
func (pl *Planner) first(list []candidate) int {
	if len(list) == 0 {
		return -1
	}
	best, least := 0, list[0].rating
	for i := 1; i < len(list); i++ {
		if is := list[i].rating; is < least || is == least && pl.compareNodes(&list[i], &list[best]) < 0 {
			best, least = i, is
		}
	}
	return best
}

// beyond says whether a candidate's node lies beyond limits on a quota's own nodes and on its tree's.
func (c candidate) beyond(own, tree int) bool {
	return (c.kind == nodeLater || c.kind == nodeOpen) && own <= 0 || c.kind == nodeOpen && tree <= 0
}

// take takes candidates in order within limits on nodes, and says whether a limit kept one out.
func take(list []candidate, replicas, own, tree int) (nodes []int, limited bool) {
	nodes = make([]int, 0, replicas)
	for _, cand := range list {
		if len(nodes) == replicas {
			break
		}
		if cand.beyond(own, tree) {
			limited = true
			continue
		}
		if cand.kind != nodeCounted {
			own--
		}
		if cand.kind == nodeOpen {
			tree--
		}
		for s := 0; s < cand.slots && len(nodes) < replicas; s++ {
			nodes = append(nodes, cand.node)
		}
	}
	return nodes, limited
}

// rackWeight puts racks before everything but what rate says of a single node.
const rackWeight = 1 << 16

// rateRacks rates the candidates so that a gang stands in as few racks as it
// can: the tightest rack that takes it whole, else the roomiest racks first.
func rateRacks(list []candidate, replicas int) {
	slots := map[int]int{}
	for _, c := range list {
		slots[c.rack] += c.slots
	}
	for i := range list {
		room := slots[list[i].rack]
		rank := 2*rackWeight - min(room, rackWeight)
		if room >= replicas {
			rank = min(room, rackWeight)
		}
		list[i].rating += rank*1024 + list[i].rack
	}
}

// fillRack fills the rack that takes most, the tightest among those that take all.
func (pl *Planner) fillRack(c *claim, list []candidate, island, replicas int) []int {
	byRack := map[int][]candidate{}
	for _, cand := range list {
		byRack[cand.rack] = append(byRack[cand.rack], cand)
	}
	var best []int
	tightest := 0
	for rack := 0; rack < pl.p.Islands[island].Racks; rack++ {
		nodes := pl.pick(c, byRack[rack], island, replicas)
		if len(nodes) > len(best) || (len(nodes) == len(best) && len(nodes) > 0 && len(byRack[rack]) < tightest) {
			best, tightest = nodes, len(byRack[rack])
		}
	}
	return best
}

// leftBy says whether work of a tree is on its way out of a node.
func leftBy(n *fleet.Node, tree string) bool {
	return slices.ContainsFunc(n.Residents(), func(r fleet.Resident) bool {
		a := r.Workload.Account()
		return a != nil && a.Tree() == tree && r.Phase == fleet.Leaving
	})
}
