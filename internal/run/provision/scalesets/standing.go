package scalesets

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// standing is how a scale set stands.
type standing struct {
	state fleet.OperationState
	class fleet.ErrorClass
	says  string
}

// stands reads the operator's condition Ready. It counts only of the present generation.
func (x *one) stands() standing {
	name := x.want.GetName()
	if x.is == nil {
		return standing{fleet.OperationRunning, "", "scale set " + name + " is not there"}
	}
	is := readyOf(x.is)
	seen, _, _ := unstructured.NestedInt64(is, "observedGeneration")
	switch {
	case is == nil || seen != x.is.GetGeneration() || is["status"] == "Unknown":
		return standing{state: fleet.OperationRunning}
	case is["status"] == "True":
		return x.asWanted()
	}
	says := fmt.Sprintf("scale set %s: %v: %v", name, is["reason"], is["message"])
	switch is["severity"] {
	case "Error":
		return standing{fleet.OperationFailed, classOf(fmt.Sprint(is["reason"])), says}
	case "Warning":
		return standing{fleet.OperationRunning, "", says + " (the operator tries again by itself, for ever; since " + fmt.Sprint(is["lastTransitionTime"]) + ")"}
	}
	return standing{state: fleet.OperationRunning}
}

// asWanted says whether a scale set that is ready has the nodes that are wanted.
func (x *one) asWanted() standing {
	have, _, _ := unstructured.NestedInt64(x.is.Object, "spec", "sku", "capacity")
	if have != int64(x.island.Nodes) {
		return standing{fleet.OperationFailed, fleet.ErrorPerson, fmt.Sprintf("scale set %s has the capacity %d by the hand of %s, and the record says %d; give it back, or change the record",
			x.want.GetName(), have, others(x.is), x.island.Nodes)}
	}
	return standing{state: fleet.OperationSucceeded}
}

// others are who has changed an object beside Muster and the operator's status.
func others(of *unstructured.Unstructured) string {
	var list []string
	for _, f := range of.GetManagedFields() {
		if f.Manager != manager && f.Subresource == "" && !slices.Contains(list, f.Manager) {
			list = append(list, f.Manager)
		}
	}
	if len(list) == 0 {
		return "another"
	}
	return strings.Join(list, ", ")
}

// capacity are the reasons by which Azure says that it has no machines now: a wait of its own.
var capacity = []string{"AllocationFailed", "ZonalAllocationFailed", "OverconstrainedAllocationRequest", "OverconstrainedZonalAllocationRequest", "OperationNotAllowed", "QuotaExceeded", "TooManyRequests"}

// classOf says what an error of the operator asks for, with which it tries no more.
func classOf(reason string) fleet.ErrorClass {
	if slices.Contains(capacity, reason) {
		return fleet.ErrorWait
	}
	return fleet.ErrorFix
}

// readyOf is the condition Ready; nil: the operator has not looked yet.
func readyOf(of *unstructured.Unstructured) map[string]any {
	list, _, _ := unstructured.NestedSlice(of.Object, "status", "conditions")
	for _, x := range list {
		if is, _ := x.(map[string]any); is["type"] == "Ready" {
			return is
		}
	}
	return nil
}

// reportOf is how an operation stands by its scale sets: as the one that is furthest behind.
func reportOf(list []*one) provision.Report {
	r := provision.Report{State: fleet.OperationSucceeded, Detail: fmt.Sprintf("scale sets that are ready: %d", len(list))}
	var says []string
	for _, x := range list {
		is := x.stands()
		if is.says != "" {
			says = append(says, is.says)
		}
		switch {
		case is.state == fleet.OperationFailed:
			r.State, r.Class = is.state, is.class
		case is.state == fleet.OperationRunning && r.State == fleet.OperationSucceeded:
			r.State = is.state
		}
	}
	if r.State != fleet.OperationSucceeded {
		r.Detail, r.Error = "", strings.Join(says, "; ")
	}
	return r
}
