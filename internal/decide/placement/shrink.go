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
	list := pl.alongWith(v)
	if c.account == nil && passed(c, &v.unit) && !pl.areEvictable(c, list) {
		return nil
	}
	return list
}

// alongWith lists the units that leave along with a flex victim.
func (pl *Planner) alongWith(v *candidateVictim) (list []*candidateVictim) {
	for _, u := range pl.units(v.w) {
		if u.pool != fleet.Base && (v.pool == fleet.Base || u.pool == v.pool && u.key.Surplus) {
			list = append(list, pl.candidate(u, v.class))
		}
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
// that will do where the claim goes. It also takes of elastic flex pools those replicas that
// stand there, if each pool has as many above its min.
func (pl *Planner) shrink(c *claim, spots []fleet.Spot, chosen []*candidateVictim) []*candidateVictim {
	for i := range chosen {
		along := pl.leavesWith(c, chosen[i])
		if len(along) > 0 {
			if set := shrunk(chosen, i, along); !tooMany(set) && pl.doesAt(c, spots, set) {
				return pl.shrink(c, spots, pl.giveBackAt(c, spots, set))
			}
		}
		inTheWay := pl.replicasOn(spots, chosen[i])
		if len(inTheWay) == 0 {
			continue
		}
		rest := slices.DeleteFunc(slices.Concat(chosen[:i], chosen[i+1:]), chosen[i].isOfPools)
		if set := slices.Concat(rest, inTheWay, chosen[i].standingBeside(along, spots)); !tooMany(set) && pl.doesAt(c, spots, set) {
			return pl.shrink(c, spots, pl.giveBackAt(c, spots, set))
		}
	}
	return chosen
}

// standingBeside keeps, of what leaves along with a unit, what is of other pools and stands on some spots.
func (a *candidateVictim) standingBeside(along []*candidateVictim, spots []fleet.Spot) []*candidateVictim {
	return slices.DeleteFunc(slices.Clone(along), func(o *candidateVictim) bool {
		return a.isOfPools(o) || !slices.ContainsFunc(o.spots, func(s fleet.Spot) bool { return meets(spots, s.Nodes) })
	})
}

// isOfPools says whether another unit belongs to one of the pools of a unit.
func (a *candidateVictim) isOfPools(o *candidateVictim) bool {
	return o.w == a.w && slices.ContainsFunc(a.spots, func(s fleet.Spot) bool { return s.Pool == o.spots[0].Pool })
}

// replicasOn lists the replicas of a flex unit on some spots, each as if it were surplus of its elastic pool;
// none if one belongs to a pool that is not elastic.
func (pl *Planner) replicasOn(spots []fleet.Spot, v *candidateVictim) (list []*candidateVictim) {
	if v.key.Surplus || !v.w.Flexes() {
		return nil
	}
	for _, of := range v.spots {
		p, like := v.w.Pools[of.Pool], *v
		like.pool, like.gpus, like.key = of.Pool, p.GPUs, keyOf(v.w, p.Rank, true, v.overran)
		for at, r := range v.w.Replicas[of.Pool] {
			if r.Phase == fleet.Leaving || !touches(spots, r.Node) {
				continue
			}
			if !p.Elastic {
				return nil
			}
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
		rest := slices.DeleteFunc(slices.Concat(chosen[:i], chosen[i+1:]), v.isOfPools)
		all := slices.Concat(rest, replicas, v.standingBeside(pl.alongWith(v), spots))
		if set := pl.stillNeeded(spots, byCost(all)); !tooMany(set) {
			return pl.keepMins(spots, set)
		}
	}
	return chosen
}

// meets says whether some spots touch one of some nodes.
func meets(spots []fleet.Spot, nodes []int) bool {
	return slices.ContainsFunc(nodes, func(n int) bool { return touches(spots, n) })
}

func touches(spots []fleet.Spot, node int) bool {
	return slices.ContainsFunc(spots, func(s fleet.Spot) bool { return slices.Contains(s.Nodes, node) })
}
