package words

import (
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
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

// BrokenBy says which node broke work that failed; "" where it is not known by name.
func BrokenBy(node string) string {
	if node == "" {
		return "a signal spoke against one of its nodes"
	}
	return "a signal spoke against its node " + node
}

// FailedBy says in a cell of a table why work failed: the node that broke it, itself, or that this is
// not known, or not judged yet. "" where it did not fail.
func FailedBy(state, cause, node string) string {
	switch {
	case state == "failed" && cause == "":
		return "not judged yet"
	case cause == string(fleet.CauseInfra) && node != "":
		return "node " + node
	case cause == string(fleet.CauseOwn):
		return "itself"
	}
	return cause
}

// HeldBesides says how many GPUs of a workload are held in another way than its lowest-rank pools: "8 borrowing". Those are what
// it may lose first. "" where all are held in one way.
func HeldBesides(holds string, held map[string]int32) string {
	var list []string
	for _, way := range []fleet.HeldAs{fleet.HoldsGuaranteed, fleet.HoldsBorrowing, fleet.HoldsUnprotected} {
		if name := way.String(); name != holds && held[name] > 0 {
			list = append(list, text.Group(int(held[name]))+" "+name)
		}
	}
	return strings.Join(list, ", ")
}
