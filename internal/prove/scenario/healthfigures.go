package scenario

import (
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/health"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The words of the figures about health. A node in service has
// no keeper of its state, and waits for "nothing" where automation is not held back.
var (
	owners = []string{"nobody", string(fleet.ByOperator), string(fleet.ByAutomatic), string(fleet.ByCluster), string(fleet.ByMaintenance)}
	waits  = []string{
		"nothing", string(health.HeldByStoreOnly), string(health.HeldByBurst), string(health.HeldByShadow),
		string(health.HeldByBreaker), string(health.HeldByBudget), string(health.HeldByOperator), string(health.HeldByMaintenance),
	}
	causes = []string{string(fleet.CauseInfra), string(fleet.CauseOwn), string(fleet.CauseUnknown)}
)

// healthFigures are a partition's, beside those of its capacity.
func healthFigures(h view.PartitionHealth, capacity any) func(figure string) any {
	return func(figure string) any {
		switch figure {
		case "breaker":
			if h.Tripped != 0 {
				return "open"
			}
			return "closed"
		case "bursts":
			return len(h.Bursts)
		case "automatic":
			return h.Automatic
		}
		return field(capacity, figure)
	}
}

// nodeHealth finds a node's figures about health.
func nodeHealth(s *fleet.State, name string, now fleet.Instant, figure string) (is any, ok bool) {
	n, found := view.NodeHealthOf(s, name, now)
	if !found {
		return nil, false
	}
	switch figure {
	case "owner":
		return orWord(string(n.Owner), "nobody"), true
	case "waits":
		return orWord(string(n.Held), "nothing"), true
	case "signals":
		return len(n.Findings), true
	case "unknown":
		return n.Unknown, true
	case "incidents":
		p, k := s.FindNode(name)
		return s.IncidentsAt(p, k), true
	}
	return nil, false
}

func orWord(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func cause(w *fleet.Workload) any {
	if w.Failure == nil {
		return "it has not failed"
	}
	return orWord(string(w.Failure.Cause), "not judged yet")
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
