package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// patience is how many reservations a workload may lose within one turn. Two
// that take turns would otherwise keep the turn from ending.
const patience = 3

// tired says whether a unit has lost too many reservations in this turn to be asked again.
func (pl *Planner) tired(it *fleet.Waiting) bool { return pl.Outranked[it.Workload.ID] >= patience }
