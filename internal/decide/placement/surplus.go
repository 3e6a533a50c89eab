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
