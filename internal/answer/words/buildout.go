package words

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// tellBuildout says what becomes of clusters that are built.
func tellBuildout(e event.Event, _ Names) (Told, bool) {
	switch e := e.(type) {
	case event.BlueprintAdded:
		return Told{Other, e.Blueprint.Name, fmt.Sprintf("is a blueprint now, version %d", e.Blueprint.Version)}, true
	case event.ClusterPlanned:
		r := &e.Record
		return Told{Life, r.Name, fmt.Sprintf("is planned: %s of %s in %s, by blueprint %s version %d", Count(r.Nodes(), "node"), r.GPU, r.Account(), r.Blueprint, e.Version)}, true
	case event.ClusterReplanned:
		return Told{Life, e.Record.Name, fmt.Sprintf("has another record: %s, blueprint %s version %d, generation %d", Count(e.Record.Nodes(), "node"), e.Record.Blueprint, e.Version, e.Generation)}, true
	case event.ClusterCheckedIn:
		return Told{Life, e.Cluster, "is checked in by " + e.By}, true
	case event.ClusterTouched:
		return Told{Life, e.Cluster, touched(e)}, true
	case event.LifeTurned:
		return Told{Life, e.Cluster, turned(e)}, true
	case event.ConditionChanged:
		return Told{Life, e.Cluster, fmt.Sprintf("has condition %s %s (%s)", e.Condition, e.Status, e.Reason)}, true
	}
	return tellOutside(e)
}

func touched(e event.ClusterTouched) string {
	says := "needed a person: " + e.What + " by " + e.By
	if e.Step != "" {
		says += " of step " + string(e.Step)
	}
	if e.Waited > 0 {
		says += ", waited for " + About(e.Waited)
	}
	return says
}

func turned(e event.LifeTurned) string {
	switch e.Stage {
	case event.LifeHeld:
		return "is held by " + e.By
	case event.LifeResumed:
		return "goes on again, by " + e.By
	case event.LifeProduced:
		return fmt.Sprintf("is in production, generation %d", e.Generation)
	case event.LifeLate:
		return fmt.Sprintf("is late: %s is past its p90", e.Condition)
	case event.LifeDegraded:
		return "is degraded: a condition that production needs fell"
	case event.LifeRecovered:
		return "is no longer degraded: all its conditions hold"
	case event.LifeRetiring:
		return "is being retired by " + e.By
	case event.LifeEmptied:
		return "has no work left, and its nodes are released"
	case event.LifeConfirmed:
		return "may lose its infrastructure: confirmed by " + e.By
	case event.LifeRetired:
		return "is retired"
	}
	return "takes a turn"
}

// tellOutside says what is known of the world outside.
func tellOutside(e event.Event) (Told, bool) {
	switch e := e.(type) {
	case event.CoresReserved:
		return Told{Life, e.Cluster, "has cores reserved: " + Few(reservations(e.Reserved), 4)}, true
	case event.CoresReleased:
		return Told{Life, e.Cluster, "has no more cores reserved of " + Few(e.Meters, 4) + ": " + e.Why}, true
	case event.CloudCounted:
		if e.Error != "" {
			return Told{Other, e.Subscription + "/" + e.Region, "could not be counted: " + e.Error}, true
		}
		return Told{Other, e.Subscription + "/" + e.Region, "is counted by the cloud: " + Few(counts(e.Counts), 4)}, true
	case event.OutsideConfirmed:
		return Told{Nothing, "", fmt.Sprintf("%s and %s were looked at again, and are as they were", Count(len(e.Clusters)+len(e.Steps), "cluster"), Count(len(e.Accounts), "cloud account"))}, true
	case event.OperationIntended:
		return Told{Life, e.Cluster, fmt.Sprintf("is about to begin %s, attempt %d (%s)", e.Step, e.Attempt, e.ID)}, true
	case event.OperationReported:
		return Told{Life, e.Cluster, reported(e)}, true
	case event.EvidenceSeen:
		return Told{Life, e.Cluster, "was looked at: " + Few(seen(e.Seen), 4)}, true
	}
	return Told{}, false
}

func reported(e event.OperationReported) string {
	says := fmt.Sprintf("has step %s %s", e.Step, e.State)
	if e.Refused {
		says = fmt.Sprintf("could not begin step %s yet", e.Step)
	}
	if e.Error != "" {
		says += ": " + e.Error
	}
	return says
}

func reservations(list []fleet.Reservation) (texts []string) {
	for _, r := range list {
		texts = append(texts, fmt.Sprintf("%d of %s", r.Cores, r.Meter))
	}
	return texts
}

func counts(list []fleet.CloudCount) (texts []string) {
	for _, c := range list {
		texts = append(texts, fmt.Sprintf("%s %d of %d", c.Meter, c.Used, c.Limit))
	}
	return texts
}

func seen(list []fleet.StepEvidence) (texts []string) {
	for _, e := range list {
		is := "holds"
		if !e.Holds {
			is = "does not hold"
		}
		texts = append(texts, string(e.Step)+" "+is)
	}
	return texts
}
