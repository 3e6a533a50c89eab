package scalesets

import (
	"fmt"
	"regexp"
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
	name  string // of the scale set
	says  string // why it does not stand yet
	since string // from when on the operator has tried again by itself
}

// stands reads the operator's condition Ready. It counts only of the present generation.
func (x *one) stands() standing {
	s := standing{state: fleet.OperationRunning, name: x.want.GetName()}
	if x.is == nil {
		s.says = "it is not there"
		return s
	}
	is := readyOf(x.is)
	seen, _, _ := unstructured.NestedInt64(is, "observedGeneration")
	switch {
	case is == nil || seen != x.is.GetGeneration() || is["status"] == "Unknown":
		return s
	case is["status"] == "True":
		return x.asWanted()
	}
	switch is["severity"] {
	case "Error":
		s.state, s.class, s.says = fleet.OperationFailed, classOf(fmt.Sprint(is["reason"])), wordsOfReady(is)
	case "Warning":
		s.says, s.since = wordsOfReady(is), fmt.Sprint(is["lastTransitionTime"])
	}
	return s
}

// afterWords begins what the operator appends to Azure's words: the call, and its whole answer on many lines.
var afterWords = regexp.MustCompile(`(?s)(: (GET|PUT|PATCH|POST|DELETE) https?://|\n).*`)

// wordsOfReady are Azure's own words in a condition: its code, and what it says.
func wordsOfReady(is map[string]any) string {
	message, _ := is["message"].(string)
	return fmt.Sprintf("%v: %s", is["reason"], afterWords.ReplaceAllString(message, ""))
}

// asWanted says whether a scale set that is ready has the nodes that are wanted.
func (x *one) asWanted() standing {
	have, _, _ := unstructured.NestedInt64(x.is.Object, "spec", "sku", "capacity")
	if have != int64(x.island.Nodes) {
		return standing{state: fleet.OperationFailed, class: fleet.ErrorPerson, name: x.want.GetName(), says: fmt.Sprintf("it has the capacity %d by the hand of %s, and the record says %d; give it back, or change the record",
			have, others(x.is), x.island.Nodes)}
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
	var says []standing
	for _, x := range list {
		is := x.stands()
		says = append(says, is)
		switch {
		case is.state == fleet.OperationFailed:
			r.State, r.Class = is.state, is.class
		case is.state == fleet.OperationRunning && r.State == fleet.OperationSucceeded:
			r.State = is.state
		}
	}
	if r.State != fleet.OperationSucceeded {
		r.Detail, r.Error = "", sayAll(says)
	}
	return r
}

// sayAll says why scale sets do not stand: what several have in common once.
func sayAll(list []standing) string {
	var said []string
	for at, is := range list {
		alike := func(x standing) bool { return x.says == is.says && (x.since == "") == (is.since == "") }
		if is.says == "" || slices.ContainsFunc(list[:at], alike) {
			continue
		}
		var names []string
		for _, x := range list[at:] {
			if alike(x) {
				names, is.since = append(names, x.name), min(is.since, x.since)
			}
		}
		text := nameAll(names) + ": " + is.says
		if is.since != "" {
			text += " (the operator tries again by itself, for ever; since " + is.since + ")"
		}
		said = append(said, text)
	}
	return strings.Join(said, "; ")
}

// mostNamed is how many scale sets are named that have the same to say.
const mostNamed = 3

func nameAll(names []string) string {
	switch n := len(names); {
	case n == 1:
		return "scale set " + names[0]
	case n > mostNamed:
		return fmt.Sprintf("scale sets %s and %d more", strings.Join(names[:mostNamed], ", "), n-mostNamed)
	}
	return "scale sets " + strings.Join(names, ", ")
}
