package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// rests says whether a unit may start only as guaranteed, and not before more important work of its
// quota, because its workload was evicted too often within an hour (decision record 0017). Pools of a workload that runs do not rest,
// and work on its way to another target need not rest there.
func (pl *Planner) rests(it fleet.Waiting) bool {
	return it.Pool == fleet.Base && it.Workload.Rests(pl.now) && it.Workload.Moves == nil && !pl.ignoreRest
}

// spares says whether a unit evicts no work for room that it would borrow, because its workload was
// evicted twice within an hour: the room would most likely be taken from it again.
func (pl *Planner) spares(it fleet.Waiting) bool {
	return it.Pool == fleet.Base && it.Workload.Spares(pl.now) && !pl.ignoreRest
}

// KeptByRest says whether a unit would start now if its workload did not rest.
func (pl *Planner) KeptByRest(it fleet.Waiting) bool {
	if !pl.rests(it) && !pl.spares(it) {
		return false
	}
	pl.ignoreRest = true
	_, starts := pl.offer(it)
	pl.ignoreRest = false
	return starts
}
