package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Of an elastic pool's identical replicas on flex those are surplus that stand in
// the way (decision record 0006): this file tries each as surplus. In quota the
// turn says which are, for where a replica stands decides how it holds.

// anyReplica adds to candidates every other replica of the flex pools whose
// surplus is among them, where the claim may stand. Each may be the surplus, but no more of
// a pool at a time than it has above its min. Where they are too many to try every set, none is added.
func (pl *Planner) anyReplica(c *claim, list []*candidateVictim) []*candidateVictim {
	all := list
	for i, v := range list {
		if v.key.Surplus && v.w.Flexes() && !slices.ContainsFunc(list[:i], v.isSurplusLike) {
			all = pl.addReplicas(c, all[:len(all):len(all)], v)
		}
	}
	if len(all) == len(list) || len(all) > fewCandidates {
		return list
	}
	return byCost(all)
}

// isSurplusLike says whether a candidate and another are surplus of the same pool.
func (a *candidateVictim) isSurplusLike(b *candidateVictim) bool {
	return a.key.Surplus && b.key.Surplus && a.w == b.w && a.pool == b.pool
}

// addReplicas adds a pool's replicas as surplus that are not yet among the
// candidates, like one that is.
func (pl *Planner) addReplicas(c *claim, list []*candidateVictim, like *candidateVictim) []*candidateVictim {
	had := map[int]bool{}
	for _, v := range list {
		if v.isSurplusLike(like) {
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
type surplusStock struct {
	pools map[Part]*poolStock
	last  Part // who is asked about: candidates of a pool come one after the other
	found *poolStock
}

type poolStock struct {
	taken  []bool // by index of the replica
	looked int
}

func stockOf(list []*candidateVictim) *surplusStock {
	s := &surplusStock{pools: map[Part]*poolStock{}}
	for _, v := range list {
		if v.key.Surplus {
			s.of(v).taken[v.index] = true
		}
	}
	return s
}

func (s *surplusStock) of(v *candidateVictim) *poolStock {
	key := v.part()
	if s.last == key {
		return s.found
	}
	stock := s.pools[key]
	if stock == nil {
		stock = &poolStock{taken: make([]bool, len(v.w.Replicas[v.pool]))}
		s.pools[key] = stock
	}
	s.last, s.found = key, stock
	return stock
}

// next is a replica of a pool in an island as its surplus, instead of one that
// stands elsewhere, if there is one that is no candidate yet; or nil. The island
// is the same in all calls.
func (s *surplusStock) next(pl *Planner, like *candidateVictim, island int) *candidateVictim {
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
			if o.isSurplusLike(v) {
				taken++
			}
		}
		if taken > v.w.Stays(v.pool)-v.w.Pools[v.pool].Min {
			return true
		}
	}
	return false
}
