package invariant

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

const (
	ruleForFlex  = "in-quota work is never evicted for flex"            // semantics §10.5
	ruleForOther = "guaranteed work is never evicted for another quota" // §10.5
)

// Eviction is what a record says of one: which work leaves which nodes, for which work.
// Whole: the victim's lowest-rank pools go, and everything else with them.
type Eviction struct {
	Victim, Owner uint64
	Whole         bool
	Spots         []fleet.Spot
}

// CheckEvictions asks, of the state right after a record, whether its evictions
// were allowed. What goes with its workload is not asked: how a workload holds
// its GPUs is how its lowest-rank pools hold them.
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
		if owner.Target != victim.Target && e.guaranteed(victim) {
			c.broken(ruleForOther, "%s of %s leaves for %s of %s", called(victim), victim.Target, called(owner), owner.Target)
		}
	}
	return c.found
}

// guaranteed says whether the unit that had to leave was guaranteed.
func (e Eviction) guaranteed(w *fleet.Workload) bool {
	for _, spot := range e.Spots {
		switch {
		case !e.Whole && allLeaveGuaranteed(w.Replicas[spot.Pool], spot.Nodes):
			return true
		case e.Whole && w.Pools[spot.Pool].Rank == w.BaseRank():
			return firstLeaves(w.Replicas[spot.Pool]) == fleet.HoldsGuaranteed
		}
	}
	return false
}

// firstLeaves is how the first of a pool's leaving replicas holds its GPUs: one of its min.
func firstLeaves(replicas []fleet.Replica) fleet.HeldAs {
	for _, r := range replicas {
		if r.Phase == fleet.Leaving {
			return r.HeldAs
		}
	}
	return fleet.NoHolds
}

// allLeaveGuaranteed says whether only guaranteed replicas leave these nodes.
func allLeaveGuaranteed(replicas []fleet.Replica, nodes []int) bool {
	leaving, guaranteed := 0, 0
	for _, r := range replicas {
		if r.Phase == fleet.Leaving && slices.Contains(nodes, r.Node) {
			leaving++
			if r.HeldAs == fleet.HoldsGuaranteed {
				guaranteed++
			}
		}
	}
	return leaving > 0 && leaving == guaranteed
}
