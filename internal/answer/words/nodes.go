package words

import (
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// tellFleet says what becomes of clusters, nodes, policies and incidents.
func tellFleet(e event.Event, _ Names) (Told, bool) {
	switch e := e.(type) {
	case event.ClusterAdded:
		return Told{Cluster, e.Cluster, fmt.Sprintf("joins the fleet, in mode %s", e.Mode)}, true
	case event.ClusterModeSet:
		return Told{Cluster, e.Cluster, fmt.Sprintf("goes from mode %s to %s", e.Was, e.Mode)}, true
	case event.PartitionAdded:
		return Told{Partition, e.Cluster + "/" + e.GPU, fmt.Sprintf("is created, with %s on each node", Count(e.GPUsPerNode, "GPU"))}, true
	case event.IslandAdded:
		return Told{Partition, e.Partition, fmt.Sprintf("has a new island, %s, of %s", e.Island, Count(max(1, e.Racks), "rack"))}, true
	case event.NodesAdded:
		return Told{Partition, e.Partition, fmt.Sprintf("has %s more in island %s: %s", Count(len(e.Names), "node"), e.Island, Few(e.Names, 2))}, true
	case event.NodeChanged:
		return Told{Node, e.Node, nodeChanged(e)}, true
	case event.FitObserved:
		return Told{Partition, e.Partition, fitObserved(e)}, true
	case event.ReportsStopped:
		return Told{Cluster, e.Cluster, reportsStopped(e)}, true
	case event.ServerStarted:
		return Told{Nothing, "", "a server runs again; none did since " + e.Since.Time().Format("2006-01-02 15:04:05Z") + ", and that time is not counted"}, true
	case event.ReportsResumed:
		return Told{Cluster, e.Cluster, "reports again"}, true
	case event.PolicySet:
		return Told{Nothing, "", policySet(e.Policy)}, true
	case event.BufferSet:
		return Told{thingOf(e.Scope), e.Scope, "now keeps back " + e.Buffer.String()}, true
	case event.BufferCleared:
		return Told{thingOf(e.Scope), e.Scope, "has no buffer policy of its own any more; the next wider one holds"}, true
	case event.TargetsSet:
		return Told{Cluster, e.Cluster, "has targets of its own now"}, true
	case event.IncidentOpened:
		says := "is opened"
		if e.Severity != "" {
			says += " as " + e.Severity
		}
		return Told{Incident, e.Name, says + incidentWhere(e.Scope, e.Nodes)}, true
	case event.IncidentUpdated:
		return Told{Incident, e.Name, incidentUpdated(e)}, true
	case event.IncidentClosed:
		return Told{Incident, e.Name, "is closed"}, true
	}
	return Told{}, false
}

func reportsStopped(e event.ReportsStopped) string {
	if e.Why != "" {
		return "is compared again before anything is decided there: " + e.Why
	}
	return "no longer reports: its figures are the last known ones"
}

// fitObserved says which nodes take fewer replicas of a footprint, and which take them again.
func fitObserved(e event.FitObserved) string {
	var says []string
	if n := len(e.Tight); n > 0 {
		first := e.Tight[0]
		says = append(says, fmt.Sprintf("has %s with less room for pods of %s than GPUs: %s (%s)", Count(n, "node"), e.Footprint, first.Node, first.Why))
	}
	if n := len(e.Loose); n > 0 {
		says = append(says, fmt.Sprintf("has %s with room for pods of %s again: %s", Count(n, "node"), e.Footprint, Few(e.Loose, 2)))
	}
	if len(says) == 0 {
		return "takes pods of " + e.Footprint + " as before"
	}
	return strings.Join(says, "; and ")
}

func nodeChanged(e event.NodeChanged) string {
	says := fmt.Sprintf("goes from %s to %s", e.From, e.To)
	if e.Dead > 0 {
		says += fmt.Sprintf(", %s dead", Count(e.Dead, "GPU"))
	}
	switch e.Owner {
	case fleet.ByNobody:
	case fleet.ByAutomatic:
		says += ", by automation"
	default:
		says += ", by " + map[fleet.StateOwner]string{fleet.ByOperator: "an operator", fleet.ByCluster: "its cluster", fleet.ByMaintenance: "maintenance"}[e.Owner]
	}
	return says + because(e.Signal)
}

// incidentUpdated says what of an incident is otherwise now, and what was found out.
func incidentUpdated(e event.IncidentUpdated) string {
	var says []string
	for _, one := range []struct {
		to         *string
		what, none string
	}{{e.Severity, "", "without a severity"}, {e.Scope, "in ", "in the whole fleet"}, {e.Owner, "owned by ", "without an owner"}, {e.Link, "written down at ", "without a link"}} {
		switch {
		case one.to == nil:
		case *one.to == "":
			says = append(says, one.none)
		default:
			says = append(says, one.what+*one.to)
		}
	}
	if e.Nodes != nil && len(*e.Nodes) == 0 {
		says = append(says, "without nodes")
	} else if e.Nodes != nil {
		says = append(says, "on "+Few(*e.Nodes, 2))
	}
	if len(says) == 0 {
		return "is updated" + because(e.Note)
	}
	return "is now " + strings.Join(says, ", ") + because(e.Note)
}

func incidentWhere(scope string, nodes []string) string {
	says := ""
	if scope != "" {
		says = " in " + scope
	}
	if len(nodes) > 0 {
		says += ", on " + Few(nodes, 2)
	}
	return says
}

// thingOf is what a scope of a policy is.
func thingOf(scope string) Thing {
	if strings.Contains(scope, "/") {
		return Partition
	}
	return Cluster
}
