package invariant

import "github.com/muster-fleet/muster/internal/fleet"

const (
	ruleForFlex  = "in-quota work is never evicted for flex"            // semantics §10.5
	ruleForOther = "guaranteed work is never evicted for another quota" // §10.5
)

// Eviction is what a record says of one: who leaves which nodes, for whom.
type Eviction struct {
	Victim, Owner uint64
	Spots         []fleet.Spot
}

// CheckEvictions asks, of the state right after a record, whether its evictions
// were allowed. What a pool of higher rank or a surplus replica held goes with
// its workload, so only the victim's first pool in the spots is asked.
func CheckEvictions(s *fleet.State, evictions []Eviction) []Broken {
	c := &checker{}
	for _, e := range evictions {
		victim, owner := s.Workloads[e.Victim], s.Workloads[e.Owner]
		if victim == nil || owner == nil {
			continue // forgotten meanwhile
		}
		c.partition = victim.Where
		if owner.Flexes() && !victim.Flexes() {
			c.broken(ruleForFlex, "%s of %s leaves for %s", called(victim), victim.Target, called(owner))
		}
		if owner.Target != victim.Target && leavesGuaranteed(victim, e.Spots) {
			c.broken(ruleForOther, "%s of %s leaves for %s of %s", called(victim), victim.Target, called(owner), owner.Target)
		}
	}
	return c.found
}

// leavesGuaranteed says whether the most important pool among the spots was guaranteed.
func leavesGuaranteed(w *fleet.Workload, spots []fleet.Spot) bool {
	first := -1
	for _, spot := range spots {
		if first < 0 || w.Pools[spot.Pool].Rank < w.Pools[first].Rank {
			first = spot.Pool
		}
	}
	if first < 0 {
		return false
	}
	for _, spot := range spots {
		if spot.Pool == first && anyLeaves(w, spot, fleet.HoldsGuaranteed) {
			return true
		}
	}
	return false
}

func anyLeaves(w *fleet.Workload, spot fleet.Spot, holds fleet.Holds) bool {
	for _, node := range spot.Nodes {
		for _, r := range w.Held[spot.Pool] {
			if r.Node == node && r.Phase == fleet.Leaving && r.Holds == holds {
				return true
			}
		}
	}
	return false
}
