package placement

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file says when reserved room is given up before anything runs in it.

// releaseUncovered gives up room in which nothing runs yet and from under which the backing
// fell, for nothing starts as unprotected: all of a workload that has not started, or
// of a pool that has yet to join. (What runs is mended where it can be, covered or not.)
func releaseUncovered(w *fleet.Workload) (Plan, bool) {
	for i := range w.Pools {
		bare, covered := reservedIn(w, i)
		if bare == 0 {
			continue
		}
		p := &w.Pools[i]
		joins := p.Rank != w.BaseRank() && w.InPhase(i, fleet.Running) == 0 && covered < p.Min
		if w.State == fleet.Starting || joins {
			return Plan{Kind: Release, Workload: w, Why: "no backing covers its reserved room any more", Spots: reservedWith(w, i)}, true
		}
	}
	return Plan{}, false
}

// reservedIn counts a pool's reserved replicas: those that no backing covers, and the others.
func reservedIn(w *fleet.Workload, pool int) (bare, covered int) {
	list := w.Replicas[pool]
	for i := range list {
		switch r := &list[i]; {
		case r.Phase != fleet.Reserved:
		case r.HeldAs == fleet.HoldsUnprotected:
			bare++
		default:
			covered++
		}
	}
	return bare, covered
}

// reservedWith is the reserved room that serves only together with a pool's: everything
// of a workload that has not started, else the pool's.
func reservedWith(w *fleet.Workload, pool int) []fleet.Spot {
	all := w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Reserved })
	if w.State == fleet.Starting {
		return all
	}
	return slices.DeleteFunc(all, func(s fleet.Spot) bool { return s.Pool != pool })
}

// releaseOutOfUse gives up reserved room of which part went down with a node or takes
// nothing new: all of it where the parts only serve together.
func (pl *Planner) releaseOutOfUse(w *fleet.Workload) (Plan, bool) {
	for i := range w.Pools {
		p := &w.Pools[i]
		base := p.Rank == w.BaseRank() && w.State == fleet.Starting
		if !pl.outOfUse(w.Replicas[i]) && !(base && w.Stays(i) < p.Min) && !pl.tooFewToStart(w, i) {
			continue
		}
		return Plan{
			Kind: Release, Workload: w, Why: nodeOutOfUse,
			Spots: pl.outOfUseSpots(w, i),
		}, true
	}
	return Plan{}, false
}

// outOfUseSpots is what is given up. Everything reserved of a workload that has not
// started, everything reserved of a gang, of an elastic pool only what is out of use
// unless it has not started either and too little is left.
func (pl *Planner) outOfUseSpots(w *fleet.Workload, pool int) []fleet.Spot {
	if w.State == fleet.Starting || !w.Pools[pool].Elastic || pl.tooFewToStart(w, pool) {
		return reservedWith(w, pool)
	}
	spot := fleet.Spot{Pool: pool}
	for _, r := range w.Replicas[pool] {
		if r.Phase == fleet.Reserved && !pl.p.Nodes[r.Node].State.Usable() {
			spot.Nodes = append(spot.Nodes, r.Node)
		}
	}
	return []fleet.Spot{spot}
}

// tooFewToStart says whether an elastic pool of which nothing runs has room left for
// fewer than its min: it joins whole or not at all. One that runs goes on with what it has.
func (pl *Planner) tooFewToStart(w *fleet.Workload, pool int) bool {
	if !w.Pools[pool].Elastic || w.InPhase(pool, fleet.Running) > 0 {
		return false
	}
	reserved, left := 0, 0
	for _, r := range w.Replicas[pool] {
		if r.Phase == fleet.Reserved {
			reserved++
			if pl.p.Nodes[r.Node].State.Usable() {
				left++
			}
		}
	}
	return reserved > 0 && left < w.Pools[pool].Min
}

// releaseUnusable gives up reserved room of any workload that it cannot be given any more.
// Nothing that runs is concerned, so it is decided while reports have stopped, too.
func (pl *Planner) releaseUnusable() (Plan, bool) {
	for _, w := range pl.p.Reserving() {
		if plan, ok := pl.releaseOutOfUse(w); ok {
			return plan, true
		}
	}
	return Plan{}, false
}

const nodeOutOfUse = "a node of its reserved room is out of use"

// outOfUse says whether a reserved replica waits for a node that takes nothing new.
func (pl *Planner) outOfUse(replicas []fleet.Replica) bool {
	for i := range replicas {
		if r := &replicas[i]; r.Phase == fleet.Reserved && !pl.p.Nodes[r.Node].State.Usable() {
			return true
		}
	}
	return false
}
