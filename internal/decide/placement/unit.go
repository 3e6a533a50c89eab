package placement

import (
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
	holds fleet.HeldAs
	index int // of a surplus replica among its pool's replicas
	// overran: its workload runs past the maximum it declared, so it has lost its
	// age and is the first victim of whatever it delays.
	overran bool
	// In a quota with holds inside (see setAside). over: beside what others hold there, the
	// backing has no room for it in number. aside: it is over and was not guaranteed before the
	// hold, so it borrows until it fits. within: a hold of its own has room for all of it.
	over, aside, within bool
	lost                lost // of a gang that is being mended
}

// lost is what a gang has lost and is to be mended with: it counts in the quota's order as if it stood,
// so that no other work is covered by what the gang needs to be whole (decision record 0029).
type lost struct {
	gpus   int
	island int // in which the nodes are counted
	nodes  int // 0: the gang may be mended anywhere
}

// counts is the GPUs by which a unit counts in its quota's order.
func (u *unit) counts() int { return u.gpus + u.lost.gpus }

// lostOf is what a gang of a workload that runs, or is being mended, has lost; standing is a node
// on which the rest of it stands, or −1.
func (pl *Planner) lostOf(w *fleet.Workload, pool, standing int) (l lost) {
	p, misses := w.Pools[pool], w.Misses(pool)
	if misses == 0 || !w.IsMended() {
		return l
	}
	l.gpus = misses * p.GPUs
	if standing >= 0 && p.Reach != fleet.ReachAny {
		l.island, l.nodes = pl.p.Nodes[standing].Island, pl.nodesFor(need{gpus: p.GPUs, replicas: misses})
	}
	return l
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

func keyOf(w *fleet.Workload, rank int, surplus, overran bool) fleet.Key {
	key := fleet.KeyOf(w, rank, surplus)
	if overran {
		key.Since = fleet.Never
	}
	return key
}

// collect adds a pool's staying replicas: the first min of them to the unit u,
// which belongs to the list, and each one beyond as a unit of its own.
func (pl *Planner) collect(u unit, list []unit, pool, base int, keeps func(node int) bool) []unit {
	p, replicas := u.w.Pools[pool], u.w.Replicas[pool]
	stay := pl.staying(replicas, p, keeps)
	core := stay[:min(p.Min, len(stay))]
	nodes := make([]int, len(stay)) // each unit has its part of them
	for i, at := range stay {
		nodes[i] = replicas[at].Node
	}
	standing := -1
	if n := len(core); n > 0 {
		u.spots, standing = append(u.spots, fleet.Spot{Pool: pool, Nodes: nodes[:n:n]}), nodes[0]
		u.gpus += n * p.GPUs
		u.holds = replicas[core[n-1]].HeldAs
	}
	if l := pl.lostOf(u.w, pool, standing); l.gpus > 0 {
		l.gpus += u.lost.gpus // of another pool of the lowest rank; its nodes are not counted then
		u.lost = l
	}
	switch {
	case p.Rank == base:
		list[0] = u
	case u.gpus > 0:
		list = append(list, u)
	}
	return addSurplus(list, &u, pool, stay[len(core):], nodes[len(core):])
}

// addSurplus adds a pool's surplus replicas to a list, whose positions and nodes are given; u is a unit of their workload.
func addSurplus(list []unit, u *unit, pool int, positions, nodes []int) []unit {
	if len(positions) == 0 {
		return list
	}
	w, p := u.w, u.w.Pools[pool]
	list = slices.Grow(list, len(positions))
	spots, key := make([]fleet.Spot, len(positions)), keyOf(w, p.Rank, true, u.overran)
	for i, at := range positions {
		spots[i] = fleet.Spot{Pool: pool, Nodes: nodes[i : i+1 : i+1]}
		list = append(list, unit{
			w: w, pool: pool, key: key, overran: u.overran, gpus: p.GPUs, holds: w.Replicas[pool][at].HeldAs, index: at,
			spots: spots[i : i+1 : i+1],
		})
	}
	return list
}

// staying lists the positions of the replicas that do not leave, until it is asked again; of an elastic pool that has
// more than its min those come first that a choice keeps (nil: there is none).
func (pl *Planner) staying(replicas []fleet.Replica, p fleet.Pool, keeps func(node int) bool) []int {
	list := pl.positions[:0]
	chosen := keeps != nil && p.Elastic && len(replicas) > p.Min
	for at := range replicas {
		if replicas[at].Phase != fleet.Leaving && (!chosen || keeps(replicas[at].Node)) {
			list = append(list, at)
		}
	}
	for at := range replicas {
		if chosen && replicas[at].Phase != fleet.Leaving && !keeps(replicas[at].Node) {
			list = append(list, at)
		}
	}
	pl.positions = list
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

// threeWay turns two answers of a comparison into one number.
func threeWay(before, after bool) int {
	switch {
	case before:
		return -1
	case after:
		return 1
	}
	return 0
}

// eachLeaving calls fn for the replicas that leave with a unit, its own among
// them, each with its pool.
func (u *unit) eachLeaving(fn func(pool int, r fleet.Replica)) {
	for i, replicas := range u.w.Replicas {
		if u.pool != fleet.Base && u.pool != i {
			continue
		}
		for at, r := range replicas {
			if r.Phase != fleet.Leaving && (!u.key.Surplus || u.index == at) {
				fn(i, r)
			}
		}
	}
}

// allWith is a unit with all that leaves with it: everything with the
// lowest-rank pools, a pool's surplus with its min.
func allWith(u unit) unit {
	if u.key.Surplus || len(u.w.Pools) == 1 && !u.w.Pools[0].Elastic {
		return u
	}
	spots := u.w.Spots(func(r fleet.Replica) bool { return r.Phase != fleet.Leaving })
	gpus := 0
	var kept []fleet.Spot
	for _, s := range spots {
		if u.pool == fleet.Base || s.Pool == u.pool {
			kept = append(kept, s)
			gpus += len(s.Nodes) * u.w.Pools[s.Pool].GPUs
		}
	}
	if gpus == u.gpus {
		return u
	}
	u.spots, u.gpus = kept, gpus
	return u
}

// parts are parts of workloads with which others may leave; nil: none yet.
type parts map[Part]bool

// goesWith says whether what a unit leaves with is among some parts: its
// workload's lowest-rank pools, or the min of its pool.
func (u *unit) goesWith(parts parts) bool {
	return u.pool != fleet.Base && parts[Part{u.w.ID, fleet.Base}] || u.key.Surplus && parts[Part{u.w.ID, u.pool}]
}

// mark puts a unit among the parts if others may leave with it.
func (p *parts) mark(u *unit) {
	if u.key.Surplus || u.isAll() {
		return
	}
	if *p == nil {
		*p = parts{}
	}
	(*p)[u.part()] = true
}

// isAll says whether there is no more to a workload than its one gang.
func (u *unit) isAll() bool { return len(u.w.Pools) == 1 && !u.w.Pools[0].Elastic }

// part is what the unit belongs to.
func (u *unit) part() Part { return Part{u.w.ID, u.pool} }

// running is the GPUs of all that leaves with the unit and runs: what is only
// reserved loses no work.
func (u *unit) running() int {
	t := 0
	u.eachLeaving(func(pool int, r fleet.Replica) {
		if r.Phase == fleet.Running {
			t += u.w.Pools[pool].GPUs
		}
	})
	return t
}
