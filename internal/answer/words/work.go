package words

import (
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// tellWork says what people and jobs do with workloads.
func tellWork(e event.Event, names Names) (Told, bool) {
	work := func(id uint64, format string, args ...any) (Told, bool) {
		return Told{Workload, names.of(id), fmt.Sprintf(format, args...)}, true
	}
	switch e := e.(type) {
	case event.WorkloadSubmitted:
		says := fmt.Sprintf("asks %s for %s with priority %v", e.Spec.Target, shape(e.Spec.Pools), e.Spec.Priority)
		if e.Spec.MaxRuntime > 0 {
			says += ", for at most " + Duration(e.Spec.MaxRuntime)
		}
		if e.Spec.Author != "" {
			says += ", made by " + e.Spec.Author
		}
		return Told{Workload, e.Spec.Namespace + "/" + e.Spec.Name, says}, true
	case event.WorkloadCancelled:
		if e.Gone {
			return work(e.ID, "is cancelled: its pods are gone")
		}
		return work(e.ID, "is cancelled")
	case event.WorkloadFinished:
		if e.Failed {
			return work(e.ID, "fails")
		}
		return work(e.ID, "is finished")
	case event.WorkloadRetargeted:
		return work(e.ID, "now asks %s", e.Target)
	case event.WorkloadPrioritised:
		return work(e.ID, "now has priority %v", e.Priority)
	case event.WorkloadResized:
		return work(e.ID, "%s", resized(e))
	case event.WorkloadAdopted:
		return work(e.ID, "is taken over where it stands: Muster decides for it from now on%s", targetLost(e))
	case event.UsageMeasured:
		says := fmt.Sprintf("keeps its GPUs busy %s of the time", e.SM.Percent())
		return Told{Workload, names.of(e.Workload), says}, true
	}
	return Told{}, false
}

// targetLost says of work that is taken over that it may not have the quota that it was counted for.
func targetLost(e event.WorkloadAdopted) string {
	if e.Target == "" {
		return ""
	}
	return ", with target " + e.Target + ", since its namespace may not target the quota that it names"
}

// resized says how many replicas a pool has from now on, and which of them leave.
func resized(e event.WorkloadResized) string {
	if e.Max == 0 {
		return fmt.Sprintf("has finished its pool number %d entirely, and goes on without it", e.Pool+1)
	}
	says := "now asks for " + Count(e.Max, "replica")
	if e.Min != e.Max {
		says = fmt.Sprintf("now asks for %d to %s", e.Min, Count(e.Max, "replica"))
	}
	says += fmt.Sprintf(" in its pool number %d", e.Pool+1)
	if len(e.Leave) > 0 {
		says += fmt.Sprintf("; %s must leave, until %s", replicas(e.Leave), clock(e.Until))
	}
	return says
}

// tellPlace says where work comes and goes.
func tellPlace(e event.Event, names Names) (Told, bool) {
	work := func(id uint64, format string, args ...any) (Told, bool) {
		return Told{Workload, names.of(id), fmt.Sprintf(format, args...)}, true
	}
	switch e := e.(type) {
	case event.ReplicasPlaced:
		return work(e.ID, "%s in %s, %v", placed(e), e.Partition, e.Holds)
	case event.ReplicasStarted:
		return work(e.ID, "starts in the room that was reserved for it")
	case event.ReplicasEvicted:
		return work(e.ID, "%s", evicted(e, names))
	case event.GangReturned:
		if e.Stop {
			return work(e.ID, "stops for %s, and waits with its age", e.Why)
		}
		if strings.HasPrefix(e.Why, "rollout ") || strings.HasPrefix(e.Why, "maintenance ") {
			return work(e.ID, "gives %s back for %s", replicas(e.Spots), e.Why)
		}
		return work(e.ID, "cannot be mended and goes back to its queue, with its age%s", because(e.Why))
	case event.ReplicasStopped:
		return work(e.ID, "has left with %s", replicas(e.Spots))
	case event.ReplicasOverdue:
		says := fmt.Sprintf("has not left by %s; it is told again (%d)", clock(e.Until), e.Times)
		if e.For != 0 {
			says += "; " + names.of(e.For) + " waits for its room"
		}
		return work(e.ID, "%s", says)
	case event.ReplicasLost:
		return work(e.ID, "leaves node %s, which is out of service, with %s", e.Node, replicas(e.Spots))
	case event.ReplicasUnfit:
		return work(e.ID, "does not start %s, and looks for other nodes%s", replicas(e.Spots), because(e.Why))
	case event.ReplicasObserved:
		if len(e.Spots) == 0 {
			return work(e.ID, "is seen to run nowhere in %s any more", e.Partition)
		}
		return work(e.ID, "is seen to run in %s: %s", e.Partition, replicas(e.Spots))
	case event.ReservationEnded:
		return work(e.ID, "gives up the room that was reserved for it%s", because(e.Why))
	case event.ProtectionCut:
		return work(e.ID, "is unprotected with %s in %s: %s%s", Count(e.GPUs, "GPU"), e.Partition, e.Change, because(e.Reason))
	case event.HoldsChanged:
		return work(e.ID, "now holds %s as %v", Count(e.To-e.From, "replica"), e.Holds)
	}
	return Told{}, false
}

func placed(e event.ReplicasPlaced) string {
	switch {
	case e.Mend:
		return "is mended with " + replicas(e.Spots)
	case e.Reserved:
		return "has room reserved for " + replicas(e.Spots)
	}
	return "starts " + replicas(e.Spots)
}

func evicted(e event.ReplicasEvicted, names Names) string {
	says := "gives up " + replicas(e.Spots)
	if e.Whole {
		says = "must leave, until " + clock(e.Until)
	}
	if e.For != 0 {
		says += ", for " + names.of(e.For)
	}
	if e.Class != "" {
		says += " (" + text.Victim(e.Class) + ")"
	}
	return says
}

// shape is what pools ask for: 16x8, or 2..64x1 of an elastic one.
func shape(pools []fleet.Pool) string {
	var parts []string
	for _, p := range pools {
		if p.Elastic {
			parts = append(parts, fmt.Sprintf("%d..%dx%d", p.Min, p.Max, p.GPUs))
		} else {
			parts = append(parts, fmt.Sprintf("%dx%d", p.Max, p.GPUs))
		}
	}
	return strings.Join(parts, "+")
}

func replicas(spots []fleet.Spot) string { return Count(fleet.Count(spots), "replica") }
