package placement

import (
	"cmp"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// unit is what starts and stops as one: the lowest-rank pools of a workload at
// min, a pool of higher rank at min, or one replica of an elastic pool above min.
type unit struct {
	w     *fleet.Workload
	pool  int // fleet.Base: the lowest-rank pools
	key   fleet.Key
	spots []fleet.Spot // where its staying replicas are
	gpus  int
	holds fleet.Holds
	index int // of a surplus replica among its pool's replicas
	// overran: its workload runs past the maximum it declared, so it has lost its
	// age and is the first victim of whatever it delays.
	overran bool
	// over: by count it stands in what others hold inside its quota; aside: and is
	// no guaranteed work from before; within: all of it uses holds. See setAside.
	over, aside, within bool
}

// unitID tells units apart: the surplus replicas of a pool share one key.
type unitID struct {
	workload    uint64
	pool, index int
	surplus     bool
}

func (u unit) id() unitID { return unitID{u.w.ID, u.pool, u.index, u.key.Surplus} }

// before is the order of the keys, and of the replicas where they share one.
func (u unit) before(v unit) bool {
	if u.key != v.key {
		return u.key.Before(v.key)
	}
	return u.pool < v.pool || u.pool == v.pool && u.index < v.index
}

// keptUnits are the units of a workload, and what they were derived from.
type keptUnits struct {
	of            *fleet.Workload
	at            uint64
	priority      fleet.Priority
	overran, late bool
	units         []unit
}

// units lists what of a workload stands and stays, in the order of its keys. The
// list is kept with the workload until that changes: read it, do not change it
// (but see setAside).
func (pl *Planner) units(w *fleet.Workload) []unit {
	overran := w.Overran(pl.now)
	k, _ := w.Scratch.(*keptUnits)
	if k == nil {
		k = &keptUnits{}
		w.Scratch = k
	}
	if k.of != w || k.at != w.Restood() || k.priority != w.Priority || k.overran != overran || k.late != w.Late {
		*k = keptUnits{w, w.Restood(), w.Priority, overran, w.Late, pl.unitsBy(w, nil)}
	}
	return k.units
}

// unitsBy is units where elastic pools keep, of replicas that are all the same,
// those first on nodes that a choice keeps.
func (pl *Planner) unitsBy(w *fleet.Workload, keeps func(node int) bool) []unit {
	overran := w.Overran(pl.now)
	base := w.BaseRank()
	first := unit{w: w, pool: fleet.Base, key: keyOf(w, base, false, overran), overran: overran}
	list := []unit{first}
	for i, pool := range w.Pools {
		core := unit{w: w, pool: i, key: keyOf(w, pool.Rank, false, overran), overran: overran}
		if pool.Rank == base {
			core = list[0]
		}
		list = core.collect(list, i, base, keeps)
	}
	if list[0].gpus == 0 {
		list = list[1:]
	}
	return list
}

func keyOf(w *fleet.Workload, rank int, surplus, overran bool) fleet.Key {
	key := fleet.KeyOf(w, rank, surplus)
	if overran {
		key.Since = fleet.Never
	}
	return key
}

// collect adds a pool's staying replicas: the first min of them to the unit u,
// which belongs to the list, and each one beyond as a unit of its own.
func (u unit) collect(list []unit, pool, base int, keeps func(node int) bool) []unit {
	p := u.w.Pools[pool]
	spot, n := fleet.Spot{Pool: pool}, 0
	var surplus []unit
	positions := keptFirst(u.w.Replicas[pool], p, keeps)
	for k := range u.w.Replicas[pool] {
		at := k
		if positions != nil {
			at = positions[k]
		}
		r := u.w.Replicas[pool][at]
		if r.Phase == fleet.Leaving {
			continue
		}
		if n++; n > p.Min {
			surplus = append(surplus, unit{
				w: u.w, pool: pool, key: keyOf(u.w, p.Rank, true, u.overran), overran: u.overran, gpus: p.GPUs, holds: r.Holds, index: at,
				spots: []fleet.Spot{{Pool: pool, Nodes: []int{r.Node}}},
			})
			continue
		}
		spot.Nodes = append(spot.Nodes, r.Node)
		u.gpus += p.GPUs
		u.holds = r.Holds
	}
	if len(spot.Nodes) > 0 {
		u.spots = append(u.spots, spot)
	}
	switch {
	case p.Rank == base:
		list[0] = u
	case u.gpus > 0:
		list = append(list, u)
	}
	return append(list, surplus...)
}

// keptFirst lists the positions of an elastic pool's replicas, those to keep
// first; nil: as they stand.
func keptFirst(replicas []fleet.Replica, p fleet.Pool, keeps func(node int) bool) []int {
	if keeps == nil || !p.Elastic || len(replicas) <= p.Min {
		return nil
	}
	list := make([]int, len(replicas))
	for i := range list {
		list[i] = i
	}
	slices.SortStableFunc(list, func(a, b int) int {
		x, y := keeps(replicas[a].Node), keeps(replicas[b].Node)
		return threeWay(x && !y, y && !x)
	})
	return list
}

// eachNode calls fn for every replica of the unit with its node and GPUs.
func (u unit) eachNode(fn func(node, gpus int)) {
	for _, spot := range u.spots {
		g := u.w.Pools[spot.Pool].GPUs
		for _, n := range spot.Nodes {
			fn(n, g)
		}
	}
}

// needs adds to a list what a waiting part of a workload must get together.
func needs(list []need, it fleet.Waiting) []need {
	w := it.Workload
	if it.Pool != fleet.Base {
		return append(list, poolNeed(w, it.Pool, w.Pools[it.Pool].Min-w.Stays(it.Pool)))
	}
	base := w.BaseRank()
	for i, p := range w.Pools {
		if p.Rank == base {
			list = append(list, poolNeed(w, i, p.Min))
		}
	}
	slices.SortStableFunc(list, func(a, b need) int {
		return cmp.Or(cmp.Compare(narrow(a.reach), narrow(b.reach)), cmp.Compare(b.gpus, a.gpus), cmp.Compare(b.replicas, a.replicas))
	})
	return list
}

// narrow orders reaches: who has the least choice chooses first.
func narrow(r fleet.Reach) int {
	switch r {
	case fleet.ReachRack:
		return 0
	case fleet.ReachIsland:
		return 1
	case fleet.ReachAny:
	}
	return 2
}

// need is replicas of one pool that look for nodes.
type need struct {
	pool, replicas, gpus int
	reach                fleet.Reach
	beside               int // node that the rest of its pool stands on; -1: none
}

func poolNeed(w *fleet.Workload, pool, replicas int) need {
	p := w.Pools[pool]
	nd := need{pool, replicas, p.GPUs, p.Reach, -1}
	if p.Max == 1 {
		nd.reach = fleet.ReachAny // one replica is always in one piece
	}
	if p.Reach == fleet.ReachAny {
		return nd
	}
	for _, r := range w.Replicas[pool] {
		if r.Phase != fleet.Leaving {
			nd.beside = r.Node
		}
	}
	return nd
}

// gpusFor is the GPUs of what a waiting part of a workload needs.
func gpusFor(it fleet.Waiting) int {
	if w := it.Workload; it.Pool != fleet.Base {
		return (w.Pools[it.Pool].Min - w.Stays(it.Pool)) * w.Pools[it.Pool].GPUs
	}
	return it.Workload.NeedsBase()
}

func gpusOf(list []need) int {
	t := 0
	for _, n := range list {
		t += n.replicas * n.gpus
	}
	return t
}
