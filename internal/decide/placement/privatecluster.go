package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// privateCluster is what a backing would be as a cluster of its own: so many
// nodes of each island, which of its healthy ones is open (semantics §3).
type privateCluster struct {
	gpus    int // of a node
	islands []privateIsland
}

// privateIsland has fresh nodes in racks, of which only so many may be opened.
type privateIsland struct {
	opens int
	racks []privateRack
}

// privateRack has whole nodes that are not in use, and what is left of those in use.
type privateRack struct {
	fresh int
	room  []int
}

func (pl *Planner) privateCluster(backing []int) *privateCluster {
	c := &privateCluster{gpus: pl.p.GPUsPerNode, islands: make([]privateIsland, len(backing))}
	for i, nodes := range backing {
		if nodes <= 0 {
			continue
		}
		island := pl.p.Islands[i]
		racks := make([]privateRack, island.Racks)
		for _, n := range island.Nodes() {
			if node := pl.p.Nodes[n]; node.Whole() {
				racks[node.Rack].fresh++
			}
		}
		c.islands[i] = privateIsland{nodes, racks}
	}
	return c
}

// use takes GPUs of a node.
func (c *privateCluster) use(n *fleet.Node, gpus int) {
	island := &c.islands[n.Island]
	if island.racks == nil {
		return
	}
	rack := &island.racks[n.Rack]
	island.opens--
	if !n.Whole() {
		return // it was never among the fresh ones, and takes nothing more
	}
	rack.fresh--
	rack.room = append(rack.room, max(0, n.Good()-gpus))
}

// packs says whether needs fit together: each takes the fullest nodes that have
// room, who has the least choice first; where that fails, every way is tried. What
// is not known in time does not count as fitting.
func (c *privateCluster) packs(list []need) bool {
	if !severalIn(list) {
		return c.packsInTurn(list)
	}
	p := c.packing(list)
	return c.packsInTurn(list) || p.pack() == isPacked
}

func (c *privateCluster) packsInTurn(list []need) bool {
	return !slices.ContainsFunc(list, func(nd need) bool { return !c.pack(nd) })
}

// packing is what needs ask for as a packing of the cluster as it is.
func (c *privateCluster) packing(list []need) *packing {
	p := &packing{needs: list, homes: slices.Repeat([]home{anywhere}, len(list)), own: make([]int, len(c.islands)), steps: packSteps}
	for i := range c.islands {
		p.own[i] = c.islands[i].opens
		for r, rack := range c.islands[i].racks {
			for _, room := range rack.room {
				p.bins = append(p.bins, bin{room: room, home: home{i, r}, kind: nodeCounted})
			}
			for range min(rack.fresh, max(0, p.own[i]), packReplicas+1) {
				p.bins = append(p.bins, bin{room: c.gpus, home: home{i, r}, kind: nodeOpen})
			}
		}
	}
	return p
}

func (c *privateCluster) pack(nd need) bool {
	left := nd.replicas
	for i := range c.islands {
		racks := len(c.islands[i].racks)
		switch nd.reach {
		case fleet.ReachAny:
			left = c.islands[i].fill(0, racks, nd.gpus, c.gpus, left)
		case fleet.ReachIsland:
			if c.tryFill(i, 0, racks, nd) {
				return true
			}
		case fleet.ReachRack:
			for r := range racks {
				if c.tryFill(i, r, r+1, nd) {
					return true
				}
			}
		}
	}
	return left == 0
}

// tryFill puts a need into racks from..to−1 of an island if they take it whole.
func (c *privateCluster) tryFill(island, from, to int, nd need) bool {
	try := c.islands[island].clone()
	if try.fill(from, to, nd.gpus, c.gpus, nd.replicas) > 0 {
		return false
	}
	c.islands[island] = try
	return true
}

func (i *privateIsland) clone() privateIsland {
	c := privateIsland{i.opens, slices.Clone(i.racks)}
	for r := range c.racks {
		c.racks[r].room = slices.Clone(c.racks[r].room)
	}
	return c
}

// fill puts replicas on nodes of racks from..to−1, the fullest first, and says how many are left over.
func (i *privateIsland) fill(from, to, gpus, whole, replicas int) int {
	for r := from; r < to; r++ {
		room := i.racks[r].room
		slices.Sort(room)
		for k := range room {
			for ; room[k] >= gpus && replicas > 0; replicas-- {
				room[k] -= gpus
			}
		}
	}
	for r := from; r < to; r++ {
		rack := &i.racks[r]
		for ; replicas > 0 && i.opens > 0 && rack.fresh > 0 && gpus <= whole; rack.fresh, i.opens = rack.fresh-1, i.opens-1 {
			n := min(replicas, whole/gpus)
			replicas -= n
			rack.room = append(rack.room, whole-n*gpus)
		}
	}
	return replicas
}

// fitsBeside is fitsEmpty beside what others hold inside the quota: one that
// would need that holds up no other.
func (pl *Planner) fitsBeside(a *fleet.Account, it fleet.Waiting, tree bool) bool {
	if barred := barredFrom(a, it.Workload); barred > 0 && gpusFor(it) > pl.backedFor(a, tree)-barred {
		return false
	}
	return pl.fitsEmpty(a, it, tree)
}

// fitsEmpty says whether a unit would fit the backing of its quota (or tree) if
// nothing ran there: in number, and each gang in one island.
func (pl *Planner) fitsEmpty(a *fleet.Account, it fleet.Waiting, tree bool) bool {
	return (len(pl.p.Footprints) == 0 || pl.takesEmpty(a, it, tree)) && pl.gpusFitEmpty(a, it, tree)
}

// gpusFitEmpty is fitsEmpty where GPUs alone count.
func (pl *Planner) gpusFitEmpty(a *fleet.Account, it fleet.Waiting, tree bool) bool {
	if it.Pool == fleet.Base && len(it.Workload.Pools) == 1 && it.Workload.Pools[0].Reach != fleet.ReachRack {
		return pl.onePoolFitsEmpty(a, it.Workload.Pools[0], tree)
	}
	nodes := slices.Clone(a.Backing)
	for i := range nodes {
		if tree {
			nodes[i] = a.Root().Backing(i)
		}
	}
	c := pl.privateCluster(nodes)
	if it.Pool != fleet.Base && !pl.standsBeside(c, it, pl.backedFor(a, tree)) {
		return false
	}
	return c.packs(needs(nil, it))
}

// backedFor is the backing of a quota in GPUs, or of its tree.
func (pl *Planner) backedFor(a *fleet.Account, tree bool) int {
	if tree {
		return pl.backedGPUs(a.Root())
	}
	return a.BackedGPUs()
}

// standsBeside puts what stays of a pool's own workload into the private cluster: the
// pool joins beside it or not at all. False: not even the count leaves room.
func (pl *Planner) standsBeside(c *privateCluster, it fleet.Waiting, backed int) bool {
	used, gpus := pl.staysOf(it.Workload)
	for node, n := range used {
		c.use(pl.p.Nodes[node], n)
	}
	return gpus+gpusFor(it) <= backed
}

// staysOf is what stays of a workload, by node and in all.
func (pl *Planner) staysOf(w *fleet.Workload) (used map[int]int, gpus int) {
	used = map[int]int{}
	for i, replicas := range w.Replicas {
		for _, r := range replicas {
			if r.Phase != fleet.Leaving {
				used[r.Node] += w.Pools[i].GPUs
				gpus += w.Pools[i].GPUs
			}
		}
	}
	return used, gpus
}

// onePoolFitsEmpty is fitsEmpty for a workload of one pool, which most are.
func (pl *Planner) onePoolFitsEmpty(a *fleet.Account, pool fleet.Pool, tree bool) bool {
	per := pl.p.GPUsPerNode / max(1, pool.GPUs)
	if per == 0 {
		return false
	}
	want := (pool.Min + per - 1) / per
	whole := a.BackedNodes()
	if tree {
		whole = a.Root().BackedNodes()
	}
	if want > whole || pool.Reach == fleet.ReachAny || want <= 1 {
		return want <= whole
	}
	if !tree {
		return largestBacking(a) >= want
	}
	for _, other := range a.Root().Accounts() {
		for _, i := range other.Islands() {
			if a.Root().Backing(i) >= want {
				return true
			}
		}
	}
	return false
}

// largestBacking is the most nodes that back an account in one island.
func largestBacking(a *fleet.Account) int {
	most := 0
	for _, i := range a.Islands() {
		most = max(most, a.Backing[i])
	}
	return most
}
