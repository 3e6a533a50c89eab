package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// find looks for nodes for everything a claim needs, with the chosen victims
// gone. The nodes it finds stay given in the scratch arrays until release.
func (pl *Planner) find(c *claim) ([]fleet.Spot, bool) {
	if len(c.needs) == 1 {
		nodes, ok := pl.findPool(c, c.needs[0])
		return asSpots(c.needs[0], nodes), ok
	}
	tries := manyTries
	for _, list := range orders(c.needs) {
		if spots, ok := pl.findFrom(c, list, &tries); ok {
			return spots, true
		}
	}
	return pl.findJointly(c)
}

// manyTries bounds how many islands are tried for the pools of one claim.
const manyTries = 200

// orders lists the orders in which few needs may choose their nodes, the given one
// first: what is small and choosy may take the room that something large needs.
func orders(list []need) [][]need {
	all := [][]need{list}
	if len(list) > 3 {
		return all
	}
	for i := range list {
		rest := slices.Delete(slices.Clone(list), i, i+1)
		all = append(all, append([]need{list[i]}, rest...))
		slices.Reverse(rest)
		all = append(all, append([]need{list[i]}, rest...))
	}
	return all
}

// findFrom finds nodes for needs in turn: in the best island for the first, or, if
// the rest then finds none, in the next best.
func (pl *Planner) findFrom(c *claim, list []need, tries *int) ([]fleet.Spot, bool) {
	if len(list) == 0 {
		return nil, true
	}
	nd := list[0]
	for _, nodes := range pl.alternatives(c, nd) {
		if *tries--; *tries < 0 {
			return nil, false
		}
		pl.takeAll(c, nodes, nd.pool)
		if rest, ok := pl.findFrom(c, list[1:], tries); ok {
			return append(asSpots(nd, nodes), rest...), true
		}
		pl.ungive(c, nodes, nd.pool)
	}
	return nil, false
}

// alternatives lists places for one pool's replicas, best first.
func (pl *Planner) alternatives(c *claim, nd need) [][]int {
	if nd.replicas <= 0 {
		return [][]int{nil}
	}
	var list [][]int
	if nd.beside < 0 {
		list = pl.byScore(c, nd)
	}
	if nd.beside >= 0 || nd.reach == fleet.ReachAny {
		if nodes, ok := pl.findPool(c, nd); ok {
			pl.ungive(c, nodes, nd.pool)
			list = append(list, nodes)
		}
	}
	if nd.reach == fleet.ReachAny && nd.beside < 0 {
		if nodes, ok := pl.spread(c, nd); ok {
			pl.ungive(c, nodes, nd.pool)
			list = append(list, nodes)
		}
	}
	return list
}

func asSpots(nd need, nodes []int) []fleet.Spot {
	if len(nodes) == 0 {
		return nil
	}
	return []fleet.Spot{{Pool: nd.pool, Nodes: nodes}}
}

// findPool looks for nodes for one pool's replicas, within its reach.
func (pl *Planner) findPool(c *claim, nd need) ([]int, bool) {
	if nd.replicas <= 0 {
		return nil, true
	}
	if nd.beside >= 0 {
		return pl.besides(c, nd)
	}
	if nodes := pl.bestIsland(c, nd); nodes != nil {
		pl.takeAll(c, nodes, nd.pool)
		return nodes, true
	}
	if nd.reach != fleet.ReachAny {
		return nil, false
	}
	return pl.spread(c, nd)
}

// besides finds nodes where the rest of the gang stands: in its island, or its rack.
func (pl *Planner) besides(c *claim, nd need) ([]int, bool) {
	n := pl.p.Nodes[nd.beside]
	list := pl.candidates(c, nd, n.Island)
	if nd.reach == fleet.ReachRack {
		list = slices.DeleteFunc(list, func(x candidate) bool { return x.rack != n.Rack })
	}
	nodes := pl.pick(c, list, n.Island, nd.replicas)
	if len(nodes) < nd.replicas {
		return nil, false
	}
	pl.takeAll(c, nodes, nd.pool)
	return nodes, true
}

// spread puts replicas into the islands that take most of them, so into the fewest.
func (pl *Planner) spread(c *claim, nd need) ([]int, bool) {
	var all []int
	for left := nd; left.replicas > 0; left.replicas = nd.replicas - len(all) {
		var most []int
		for i := range pl.p.Islands {
			if !c.mayUse(i) || min(pl.slotsOnFlex(c, left, i), left.replicas) <= len(most) {
				continue
			}
			if nodes := pl.fill(c, left, i, left.replicas); len(nodes) > len(most) {
				most = nodes
			}
		}
		if len(most) == 0 {
			pl.ungive(c, all, nd.pool)
			return nil, false
		}
		pl.takeAll(c, most, nd.pool)
		all = append(all, most...)
	}
	return all, true
}

// bestIsland finds nodes in the island that takes all replicas and suits best, or none.
// In-quota work goes where the largest gang stays possible, flex work where it
// is least likely to be evicted; ties go to the tighter island, then by name.
func (pl *Planner) bestIsland(c *claim, nd need) []int {
	if c.account == nil && nd.reach != fleet.ReachRack {
		return pl.bestFlexIsland(c, nd)
	}
	if c.island >= 0 {
		nodes, _, _ := pl.inIsland(c, nd, c.island)
		return nodes
	}
	var best []int
	var bestScore [4]int
	for i := range pl.p.Islands {
		nodes, score, ok := pl.inIsland(c, nd, i)
		if ok && (best == nil || less(score, bestScore)) {
			best, bestScore = nodes, score
		}
	}
	return best
}

// bestFlexIsland is bestIsland for flex work, which may stand on any usable node:
// an island's room says whether it takes all replicas and how it suits. One that
// takes them on what is free now comes before one where others must leave first.
func (pl *Planner) bestFlexIsland(c *claim, nd need) []int {
	best, bestWaits := -1, false
	var bestScore [4]int
	for i := range pl.p.Islands {
		if !c.mayUse(i) || pl.slotsOnFlex(c, nd, i) < nd.replicas {
			continue
		}
		waits, score := pl.waitsIn(nd, i), pl.score(c, i, nil, nd.gpus*nd.replicas)
		if best < 0 || bestWaits && !waits || bestWaits == waits && less(score, bestScore) {
			best, bestWaits, bestScore = i, waits, score
		}
	}
	if best < 0 {
		return nil
	}
	return pl.fill(c, nd, best, nd.replicas)
}

// waitsIn says whether an island takes all replicas only once work has left that
// is on the way out.
func (pl *Planner) waitsIn(nd need, island int) bool {
	if len(pl.p.Leaving()) == 0 {
		return false
	}
	slots := 0
	for _, node := range pl.p.Islands[island].Nodes() {
		n, room := pl.p.Nodes[node], pl.room(node)
		if n.State.Usable() && (pl.freed[node] > 0 || !left(n, room)) {
			slots += max(0, room) / nd.gpus
		}
	}
	return slots < nd.replicas
}

// byScore lists the nodes found in each island, or rack, that takes all replicas, best first.
func (pl *Planner) byScore(c *claim, nd need) [][]int {
	var list [][]int
	var scores [][4]int
	add := func(nodes []int, score [4]int) {
		at := len(list)
		for at > 0 && less(score, scores[at-1]) {
			at--
		}
		list, scores = slices.Insert(list, at, nodes), slices.Insert(scores, at, score)
	}
	for i, island := range pl.p.Islands {
		if nodes, score, ok := pl.inIsland(c, nd, i); ok {
			add(nodes, score)
		}
		for rack := 0; nd.reach == fleet.ReachRack && rack < island.Racks && c.mayUse(i); rack++ {
			list := slices.DeleteFunc(pl.candidates(c, nd, i), func(x candidate) bool { return x.rack != rack })
			if nodes := pl.pick(c, list, i, nd.replicas); len(nodes) == nd.replicas {
				add(nodes, pl.score(c, i, nodes, nd.gpus*nd.replicas))
			}
		}
	}
	return list
}

// inIsland finds nodes for all replicas in one island, and says how it suits.
func (pl *Planner) inIsland(c *claim, nd need, island int) (nodes []int, score [4]int, ok bool) {
	if !c.mayUse(island) || c.nodesAtMost(island) < pl.nodesFor(nd) {
		return nil, score, false
	}
	nodes = pl.fill(c, nd, island, nd.replicas)
	if len(nodes) < nd.replicas {
		return nil, score, false
	}
	return nodes, pl.score(c, island, nodes, nd.gpus*nd.replicas), true
}

func less(a, b [4]int) bool { return slices.Compare(a[:], b[:]) < 0 }

// score rates an island for a claim of so many GPUs; less is better. Flex work
// stands on what quota does not count on first.
func (pl *Planner) score(c *claim, island int, nodes []int, gpus int) [4]int {
	if c.account == nil {
		room, backed := pl.roomIn(island), pl.p.Islands[island].Unscheduled()
		onBacked := min(gpus, max(0, gpus-(room-backed*pl.p.GPUsPerNode)))
		return [4]int{onBacked, backed, room, 0}
	}
	opens := 0
	seen := map[int]bool{}
	for _, n := range nodes {
		if !seen[n] && pl.extra[n] == 0 && pl.kindOf(c, n) != nodeCounted {
			seen[n] = true
			opens++
		}
	}
	largest := c.limit(island) - opens
	for i := range c.own {
		if i != island {
			largest = max(largest, c.limit(i))
		}
	}
	return [4]int{opens, -largest, pl.disturbedOf(c, nodes), c.limit(island)}
}
