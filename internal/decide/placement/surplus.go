package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Of an elastic pool's identical replicas on flex those are surplus that stand in
// the way (decision record 0006): this file tries each as surplus. In quota the
// turn says which are, for where a replica stands decides how it holds.

// anyReplica adds to candidates every other replica of the flex pools whose
// surplus is among them, where the claim may stand: each may be it, but no more of
// a pool at a time than it has above its min.
func (pl *Planner) anyReplica(c *claim, list []*candidateVictim) []*candidateVictim {
	all := list
	for i, v := range list {
		if v.key.Surplus && v.w.Flexes() && !surplusOf(list[:i], v.w, v.pool) {
			all = pl.addReplicas(c, all[:len(all):len(all)], v)
		}
	}
	if len(all) == len(list) {
		return list
	}
	return byCost(all)
}

// surplusOf says whether there is surplus of a pool among candidates.
func surplusOf(list []*candidateVictim, w *fleet.Workload, pool int) bool {
	for _, v := range list {
		if v.key.Surplus && v.w == w && v.pool == pool {
			return true
		}
	}
	return false
}

// addReplicas adds a pool's replicas as surplus that are not yet among the
// candidates, like one that is.
func (pl *Planner) addReplicas(c *claim, list []*candidateVictim, like *candidateVictim) []*candidateVictim {
	had := map[int]bool{}
	for _, v := range list {
		if v.key.Surplus && v.w == like.w && v.pool == like.pool {
			had[v.index] = true
		}
	}
	for at, r := range like.w.Replicas[like.pool] {
		if r.Phase != fleet.Leaving && !had[at] && c.mayUseVacated(pl.p.Nodes[r.Node].Island) {
			list = append(list, pl.asSurplus(like, at))
		}
	}
	return list
}

// surplusStock knows of flex pools which replicas are candidates already, and up
// to where the others have been looked at: one look at each replica is enough for
// all candidates of a pool.
type surplusStock map[poolOf]*poolStock

// poolOf names a pool of a workload.
type poolOf struct {
	w    *fleet.Workload
	pool int
}

type poolStock struct {
	taken  []bool // by index of the replica
	looked int
}

func stockOf(list []*candidateVictim) surplusStock {
	s := surplusStock{}
	for _, v := range list {
		if v.key.Surplus {
			s.of(v).taken[v.index] = true
		}
	}
	return s
}

func (s surplusStock) of(v *candidateVictim) *poolStock {
	key := poolOf{v.w, v.pool}
	if s[key] == nil {
		s[key] = &poolStock{taken: make([]bool, len(v.w.Replicas[v.pool]))}
	}
	return s[key]
}

// next is a replica of a pool in an island as its surplus, instead of one that
// stands elsewhere, if there is one that is no candidate yet; or nil. The island
// is the same in all calls.
func (s surplusStock) next(pl *Planner, like *candidateVictim, island int) *candidateVictim {
	stock, replicas := s.of(like), like.w.Replicas[like.pool]
	for ; stock.looked < len(replicas); stock.looked++ {
		at, r := stock.looked, replicas[stock.looked]
		if !stock.taken[at] && r.Phase != fleet.Leaving && pl.p.Nodes[r.Node].Island == island {
			stock.taken[at] = true
			return pl.asSurplus(like, at)
		}
	}
	return nil
}

// asSurplus is another replica of a pool as its surplus.
func (pl *Planner) asSurplus(like *candidateVictim, at int) *candidateVictim {
	u := like.unit
	u.index = at
	u.spots = []fleet.Spot{{Pool: u.pool, Nodes: []int{u.w.Replicas[u.pool][at].Node}}}
	return pl.candidate(u, like.class)
}

// tooMany says whether a set takes more of a pool as surplus than it has.
func tooMany(set []*candidateVictim) bool {
	for i, v := range set {
		if !v.key.Surplus || !v.w.Flexes() {
			continue
		}
		taken := 0
		for _, o := range set[:i+1] {
			if o.key.Surplus && o.w == v.w && o.pool == v.pool {
				taken++
			}
		}
		if taken > v.w.Stays(v.pool)-v.w.Pools[v.pool].Min {
			return true
		}
	}
	return false
}

// shrink takes of a flex workload, rather than all of it, what leaves along with it, if
// that will do where the claim goes; and of an elastic flex pool those replicas that
// stand there, if the pool has as many above its min.
func (pl *Planner) shrink(c *claim, spots []fleet.Spot, chosen []*candidateVictim) []*candidateVictim {
	for i := range chosen {
		if along := pl.leavesWith(chosen[i]); len(along) > 0 {
			if set := shrunk(chosen, i, along); !tooMany(set) && pl.doesAt(c, spots, set) {
				return pl.shrink(c, spots, pl.giveBackAt(c, spots, set))
			}
		}
		inTheWay := pl.inTheWayOf(spots, chosen[i])
		if len(inTheWay) == 0 {
			continue
		}
		rest := slices.Concat(chosen[:i], chosen[i+1:])
		set := rest
		for _, v := range rest {
			if v.key.Surplus && v.w == chosen[i].w && v.pool == inTheWay[0].pool {
				set = without(set, v)
			}
		}
		set = append(set[:len(set):len(set)], inTheWay...)
		if !tooMany(set) && pl.doesAt(c, spots, set) {
			return pl.shrink(c, spots, set)
		}
	}
	return chosen
}

// inTheWayOf lists the replicas of an elastic flex pool on some spots as its
// surplus; none if it has not as many, or if there is more to the unit than the pool.
func (pl *Planner) inTheWayOf(spots []fleet.Spot, v *candidateVictim) []*candidateVictim {
	pool := max(v.pool, 0)
	if p := v.w.Pools[pool]; v.key.Surplus || !v.w.Flexes() || v.pool == fleet.Base && len(v.w.Pools) > 1 || !p.Elastic {
		return nil
	}
	like := *v
	like.pool, like.gpus = pool, v.w.Pools[pool].GPUs
	like.key = keyOf(v.w, v.w.Pools[pool].Rank, true, v.overran)
	var list []*candidateVictim
	for at, r := range v.w.Replicas[pool] {
		if r.Phase != fleet.Leaving && touches(spots, r.Node) {
			list = append(list, pl.asSurplus(&like, at))
		}
	}
	if tooMany(list) {
		return nil
	}
	return list
}

func touches(spots []fleet.Spot, node int) bool {
	for _, spot := range spots {
		for _, n := range spot.Nodes {
			if n == node {
				return true
			}
		}
	}
	return false
}

// doesAt says whether a claim fits on the very nodes that were found for it with a
// set of victims gone.
func (pl *Planner) doesAt(c *claim, spots []fleet.Spot, set []*candidateVictim) bool {
	leaving, freed := slices.Clone(pl.leavers(set)), 0
	for _, v := range leaving {
		pl.evict(v.all)
		freed += v.freed(c)
	}
	does := pl.holdsIn(c, spots, leaving, freed)
	for _, v := range leaving {
		pl.restore(v.all)
	}
	return does
}
