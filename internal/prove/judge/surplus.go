package judge

import "github.com/muster-fleet/muster/internal/state/fleet"

// Replicas of an elastic pool are identical: whichever stand in the way are its
// surplus (decision record 0006). In quota that is so by the turn alone: where a
// replica stands decides how it holds its GPUs, and min comes first. This file tells
// them apart.

// replica is one that stands and means to stay.
type replica struct {
	index, node int
	runs        bool
	holds       fleet.HeldAs
}

// inTurn lists a pool's replicas, those that are to be surplus last.
func inTurn(w *fleet.Workload, pool int, last map[[2]int]bool) []replica {
	var first, rest []replica
	for at, r := range w.Replicas[pool] {
		if r.Phase == fleet.Leaving {
			continue
		}
		x := replica{at, r.Node, r.Phase == fleet.Running, r.HeldAs}
		if last[[2]int{pool, at}] {
			rest = append(rest, x)
		} else {
			first = append(first, x)
		}
	}
	return append(first, rest...)
}

// SurplusAt is a replica of an elastic pool, by its index, as surplus.
func SurplusAt(w *fleet.Workload, pool, index int) Unit {
	for _, u := range unitsOf(w, map[[2]int]bool{{pool, index}: true}) {
		if u.Key.Surplus && u.Pool == pool && u.Replica == index {
			return u
		}
	}
	panic("judge: the pool has no surplus")
}

// anyReplica replaces surplus on flex by every replica of its pool: each may be the one.
func anyReplica(list []Unit) []Unit {
	var out []Unit
	done := map[id]bool{}
	for _, u := range list {
		if !u.Key.Surplus || !u.Work.Flexes() {
			out = append(out, u)
			continue
		}
		if pool := (id{work: u.Work.ID, pool: u.Pool}); !done[pool] {
			done[pool] = true
			for _, r := range inTurn(u.Work, u.Pool, nil) {
				out = append(out, SurplusAt(u.Work, u.Pool, r.index))
			}
		}
	}
	return out
}

// tooMany says whether a set takes more of a pool as surplus than it has.
func tooMany(set []Unit) bool {
	taken := map[id]int{}
	for _, u := range set {
		if u.Key.Surplus {
			pool := id{work: u.Work.ID, pool: u.Pool}
			if taken[pool]++; taken[pool] > u.Work.Stays(u.Pool)-u.Work.Pools[u.Pool].Min {
				return true
			}
		}
	}
	return false
}

// as is the judge for whom the replicas in a set are the surplus of their pools,
// and the set as it sees it.
func (j *Judge) as(set []Unit) (*Judge, []Unit) {
	last := map[*fleet.Workload]map[[2]int]bool{}
	for _, u := range set {
		if u.Key.Surplus {
			if last[u.Work] == nil {
				last[u.Work] = map[[2]int]bool{}
			}
			last[u.Work][[2]int{u.Pool, u.Replica}] = true
		}
	}
	if len(last) == 0 {
		return j, set
	}
	k := *j
	k.units = nil
	for _, u := range j.units {
		if last[u.Work] == nil {
			k.units = append(k.units, u)
		}
	}
	for w, which := range last {
		k.units = append(k.units, unitsOf(w, which)...)
	}
	inOrder(k.units)
	byID := map[id]Unit{}
	for _, u := range k.units {
		byID[u.id()] = u
	}
	seen := make([]Unit, len(set))
	for i, u := range set {
		seen[i] = byID[u.id()]
	}
	return &k, seen
}
