package judge

import (
	"slices"
	"sort"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Together lists which sets of waiting units could all run beside what stands,
// no work evicted, as bits in the order of the list given.
func (j *Judge) Together(waiting []fleet.Waiting) map[int]bool {
	order := make([]int, len(waiting))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return earlier(waiting[order[a]].Key, waiting[order[b]].Key) })
	k := *j
	k.apart = true
	could := map[int]bool{}
	for mask := range 1 << len(waiting) {
		var chosen []fleet.Waiting
		for _, i := range order {
			if mask&(1<<i) != 0 {
				chosen = append(chosen, waiting[i])
			}
		}
		could[mask] = k.all(chosen)
	}
	return could
}

// all says whether all of some units could run: the first in some way at some
// place, and the others beside it.
func (j *Judge) all(units []fleet.Waiting) bool {
	if len(units) == 0 {
		return true
	}
	for _, c := range j.Ways(units[0]) {
		done := j.places(c, j.sceneOf(c, nil), func(place []Stand) bool {
			return j.with(c, place).all(units[1:])
		})
		if done {
			return true
		}
	}
	return false
}

// with is the judge of the partition with a claim started at a place.
func (j *Judge) with(c Claim, place []Stand) *Judge {
	k := *j
	started := Unit{Work: c.Work, Account: c.Account, Pool: fleet.Base, Key: c.Key, Stands: append([]Stand(nil), place...), Holds: c.Holds, Passes: c.Holds == fleet.HoldsBorrowing}
	k.units = append(append([]Unit(nil), j.units...), started)
	return &k
}

// TakenAtOnce says whether a claim that started with a set of victims gone would be evicted at
// once, wherever it went, by waiting work that comes before it: no work is started
// and evicted by one decision (semantics §5). That may be so only once another has started beside it: what can
// start on free room starts (decision record 0006).
func (j *Judge) TakenAtOnce(c Claim, set []Unit, waiting []fleet.Waiting) bool {
	j, set = j.as(set)
	without := *j
	without.units = nil
	for _, u := range j.units {
		if !goes(u, set) {
			without.units = append(without.units, u)
		}
	}
	return !j.places(c, j.sceneOf(c, set), func(place []Stand) bool {
		k := without.with(c, place)
		return !k.evicts(c, waiting) && !k.evictsBeside(c, waiting)
	})
}

// evicts says whether waiting work that comes before a claim could start at the claim's cost.
func (j *Judge) evicts(c Claim, waiting []fleet.Waiting) bool {
	for _, it := range waiting {
		if it.Workload == c.Work || it.Pool == fleet.Base && j.stands(it.Workload) || !earlier(it.Key, c.Key) {
			continue
		}
		for _, way := range j.Ways(it) {
			if v, ok, _ := j.Start(way); ok && slices.ContainsFunc(v.Victims, func(u Unit) bool { return u.Work == c.Work }) {
				return true
			}
		}
	}
	return false
}

// evictsBeside is evicts once another of those that wait has started on free room.
func (j *Judge) evictsBeside(c Claim, waiting []fleet.Waiting) bool {
	return slices.ContainsFunc(waiting, func(it fleet.Waiting) bool {
		if it.Workload == c.Work || it.Pool != fleet.Base || it.Workload.State != fleet.Pending {
			return false
		}
		return slices.ContainsFunc(j.Ways(it), func(way Claim) bool {
			return j.places(way, j.sceneOf(way, nil), func(place []Stand) bool { return j.with(way, place).evicts(c, waiting) })
		})
	})
}

// stands says whether something stands of a workload.
func (j *Judge) stands(w *fleet.Workload) bool {
	return slices.ContainsFunc(j.units, func(u Unit) bool { return u.Work == w })
}
