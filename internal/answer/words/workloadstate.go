package words

import (
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The states of workloads as the API writes them, each list in the order of a life.
var (
	WorkloadStates = slices.Concat(WaitingStates, stateNames(fleet.RunningW, fleet.Evicting, fleet.Mending), EndedStates)
	WaitingStates  = stateNames(fleet.Pending, fleet.Starting)
	EndedStates    = stateNames(fleet.Finished, fleet.Failed, fleet.Cancelled)
)

// Waits says whether a state is one of work that waits for room.
func Waits(state string) bool { return slices.Contains(WaitingStates, state) }

// Ended says whether a state is one of work that will never run again.
func Ended(state string) bool { return fleet.WorkloadState(state).Ended() }

func stateNames(states ...fleet.WorkloadState) (names []string) {
	for _, s := range states {
		names = append(names, string(s))
	}
	return names
}
