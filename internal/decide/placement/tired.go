package placement

import "github.com/muster-fleet/muster/internal/state/fleet"

// mostOutranked is how many reservations a workload may lose within one turn. Two
// that take turns would otherwise keep the turn from ending.
const mostOutranked = 3

// outrankedTooOften says whether a unit has lost too many reservations in this turn to be asked again.
func (pl *Planner) outrankedTooOften(it *fleet.Waiting) bool {
	return pl.Outranked[it.Workload.ID] >= mostOutranked
}
