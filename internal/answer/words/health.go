package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// tellHaircut says what becomes of haircuts.
func tellHaircut(e event.Event, _ Names) (Told, bool) {
	switch e := e.(type) {
	case event.WarningAcknowledged:
		return Told{Other, e.Key, "is acknowledged by " + e.By + " until " + clock(e.Until) + because(e.Reason)}, true
	case event.HaircutPlanned:
		h := e.Haircut
		return Told{Haircut, h.Name, fmt.Sprintf("is saved: %s, basis %s, from version %d", Count(len(h.Waves), "wave"), h.Basis, h.Version)}, true
	case event.HaircutDeleted:
		return Told{Haircut, e.Haircut, "is deleted"}, true
	case event.HaircutReviewed:
		return Told{Haircut, e.Haircut, "is reviewed by " + e.By}, true
	case event.HaircutTold:
		if len(e.People) == 0 {
			return Told{Haircut, e.Haircut, "is told to the people of " + Few(e.Clusters, 4)}, true
		}
		return Told{Haircut, e.Haircut, "is told to " + Few(e.People, 8) + ", for " + Few(e.Clusters, 4)}, true
	case event.HaircutApplied:
		return Told{Haircut, e.Haircut, "is in force in " + e.Cluster + ofClass(e.Class)}, true
	case event.HaircutUndone:
		return Told{Haircut, e.Haircut, "is undone in " + e.Cluster + ofClass(e.Class)}, true
	}
	return Told{}, false
}

// CutClass is what a wave of a haircut cuts, in words.
func CutClass(class string) string { return fleet.CutClass(class).Says() }

// CutWhy is why a cut differs from what was asked, in words.
func CutWhy(why string) string { return fleet.CutWhy(why).Says() }

// ofClass says what the wave cuts; plans of earlier versions have no classes.
func ofClass(class fleet.CutClass) string {
	if class == fleet.CutAll {
		return ""
	}
	return ": " + CutClass(string(class))
}

// tellHealth says what monitors see, and what follows from it.
func tellHealth(e event.Event, names Names) (Told, bool) {
	switch e := e.(type) {
	case event.SignalsTaken:
		return signals(e), true
	case event.HealthPolicySet:
		return Told{Nothing, "", "the health policy is changed"}, true
	case event.BreakerTripped:
		return Told{Partition, e.Partition, fmt.Sprintf("has its breaker open: %s failed at once, and nothing is done to nodes automatically", Count(e.Nodes, "node"))}, true
	case event.BreakerReset:
		return Told{Partition, e.Partition, "has its breaker closed: automation acts again"}, true
	case event.PartitionHalted:
		return Told{Partition, e.Partition, "is halted, nothing new is decided there: " + e.Why}, true
	case event.BurstAccused:
		return Told{Partition, e.Partition, fmt.Sprintf("sees %s on %s at once, a possible false alarm: %s is the suspected cause, and the nodes stay in service", e.Burst.Signature, Count(e.Burst.Nodes, "node"), e.Burst.Accuses)}, true
	case event.BurstJudged:
		if e.Real {
			return Told{Partition, e.Partition, e.Signature + " was confirmed by a person: the nodes are at fault"}, true
		}
		return Told{Partition, e.Partition, e.Signature + " was dismissed by a person: the nodes are not at fault"}, true
	case event.BurstOver:
		return Told{Partition, e.Partition, e.Signature + " is no longer seen on many nodes"}, true
	case event.NodeOwned:
		if e.Owner == "" {
			return Told{Node, e.Node, "is given back to automation"}, true
		}
		return Told{Node, e.Node, "is now kept by " + string(e.Owner)}, true
	case event.NodeValidated:
		return Told{Node, e.Node, validated(e)}, true
	case event.FailureExplained:
		return Told{Workload, names.of(e.Workload), explained(e)}, true
	}
	return Told{}, false
}

func signals(e event.SignalsTaken) Told {
	var nodes, checks []string
	seen := 0
	for _, s := range e.Sightings {
		check := strings.TrimSpace(s.Check + " " + strings.Join(s.Codes, ","))
		if s.Well {
			check += " passes"
		}
		if !slices.Contains(checks, check) {
			checks = append(checks, check)
		}
		if !slices.Contains(nodes, s.Node) {
			nodes = append(nodes, s.Node)
		}
		seen += len(s.Seen)
	}
	if len(nodes) == 1 {
		return Told{Node, nodes[0], "has a signal: " + Few(checks, 3)}
	}
	return Told{Nothing, Few(nodes, 1), fmt.Sprintf("have %s: %s", Count(seen, "signal"), Few(checks, 3))}
}

func validated(e event.NodeValidated) string {
	says := "fails its checks"
	if e.Passed {
		says = "passes its checks"
	}
	if len(e.Checks) > 0 {
		says += " (" + Few(e.Checks, 3) + ")"
	}
	return says + because(e.Note)
}

func explained(e event.FailureExplained) string {
	says := "failed by its own fault"
	switch e.Cause {
	case fleet.CauseInfra:
		says = "failed because of its nodes"
	case fleet.CauseUnknown:
		says = "failed; the cause is not known"
	case fleet.CauseOwn:
	}
	if len(e.Evidence) > 0 {
		says += ": " + strings.TrimSpace(e.Evidence[0].Node+" "+e.Evidence[0].Says)
	}
	return says
}
