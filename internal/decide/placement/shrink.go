package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What leaves along with a flex victim gives way first: the pools that joined its
// workload, and its surplus. No workload goes whole where they alone would do, neither for
// room nor for a share: it would start again at once and take its namespace
// above its share, and two namespaces would evict each other in turn (decision
// record 0006).

// leavesWith lists what leaves with a flex victim, without the victim itself; none if the claim may
// not evict all of that alone: what joined one that passed the head of flex goes by shares.
func (pl *Planner) leavesWith(c *claim, v *candidateVictim) []*candidateVictim {
	if v.class != ClassFlex || v.all.gpus == v.gpus {
		return nil
	}
	var list []*candidateVictim
	for _, u := range pl.units(v.w) {
		if u.pool != fleet.Base && (v.pool == fleet.Base || u.pool == v.pool && u.key.Surplus) {
			list = append(list, pl.candidate(u, v.class))
		}
	}
	if c.account == nil && passed(c, &v.unit) && !pl.areEvictable(c, list) {
		return nil
	}
	return list
}

// areEvictable says whether a flex claim may evict all of some units by importance and shares.
func (pl *Planner) areEvictable(c *claim, units []*candidateVictim) bool {
	list, _ := pl.evictableBy(c)
	return !slices.ContainsFunc(units, func(v *candidateVictim) bool {
		return !slices.ContainsFunc(list, func(x *candidateVictim) bool { return x.id() == v.id() })
	})
}

// shrunk is a set of victims where what leaves along with the i-th leaves instead of
// all of its workload.
func shrunk(set []*candidateVictim, i int, along []*candidateVictim) []*candidateVictim {
	out := slices.Clone(along)
	for _, v := range set {
		if v.w != set[i].w || set[i].pool != fleet.Base && v.pool != set[i].pool {
			out = append(out, v)
		}
	}
	return out
}

// shrinkingDoes says whether a workload of a set goes whole though the claim would find
// room with what leaves along gone alone.
func (pl *Planner) shrinkingDoes(c *claim, set []*candidateVictim) bool {
	for i, v := range set {
		if along := pl.leavesWith(c, v); len(along) > 0 {
			if _, ok := pl.fits(c, shrunk(set, i, along)); ok {
				return true
			}
		}
	}
	return false
}

// shrink takes of a flex workload, rather than all of it, what leaves along with it, if
// that will do where the claim goes. It also takes of an elastic flex pool those replicas that
// stand there, if the pool has as many above its min.
func (pl *Planner) shrink(c *claim, spots []fleet.Spot, chosen []*candidateVictim) []*candidateVictim {
	for i := range chosen {
		if along := pl.leavesWith(c, chosen[i]); len(along) > 0 {
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
	if list := pl.replicasOn(spots, v); !tooMany(list) {
		return list
	}
	return nil
}

// replicasOn lists the replicas of an elastic flex pool on some spots, each as if it were
// surplus; none if there is more to the unit than the pool.
func (pl *Planner) replicasOn(spots []fleet.Spot, v *candidateVictim) []*candidateVictim {
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
	return list
}

// keepMins lets an elastic flex pool keep its min where it can. Rather than all of its workload
// it takes those replicas that must leave for the spots, which are given to the claim. So the
// spots say which of the pool's replicas are surplus.
func (pl *Planner) keepMins(spots []fleet.Spot, chosen []*candidateVictim) []*candidateVictim {
	for i, v := range chosen {
		replicas := pl.replicasOn(spots, v)
		if len(replicas) == 0 {
			continue
		}
		rest := slices.DeleteFunc(slices.Concat(chosen[:i], chosen[i+1:]), func(o *candidateVictim) bool {
			return o.w == v.w && (v.pool == fleet.Base || o.pool == v.pool)
		})
		if set := pl.stillNeeded(spots, byCost(append(rest, replicas...))); !tooMany(set) {
			return pl.keepMins(spots, set)
		}
	}
	return chosen
}

func touches(spots []fleet.Spot, node int) bool {
	return slices.ContainsFunc(spots, func(s fleet.Spot) bool { return slices.Contains(s.Nodes, node) })
}
