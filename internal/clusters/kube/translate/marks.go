package translate

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// The marks that Muster sets on nodes, and where it keeps which one it has set.
const (
	MarkQuarantined = "quarantined"
	MarkValidation  = "validation"
	MarkProbation   = "probation"
	MarkMaintenance = "maintenance"

	AnnotationMark   = "muster.dev/mark"
	LabelMaintenance = "muster.dev/maintenance"
	// NotMine follows the mark in the annotation where its taint was there already.
	NotMine = ",theirs"
)

// TaintOf is the key of a mark's taint.
func TaintOf(mark string) string { return "muster.dev/" + mark }

// ConditionOf is the type of a mark's condition on the node. Maintenance has the
// name that Kubernetes has given it (KEP-5683).
func ConditionOf(mark string) string {
	switch mark {
	case MarkQuarantined:
		return "muster.dev/Quarantined"
	case MarkValidation:
		return "muster.dev/Validation"
	case MarkProbation:
		return "muster.dev/Probation"
	}
	return lifecycle[0]
}

// lifecycle are conditions by which others say that a node is being taken out of
// use (KEP-5683).
var lifecycle = []string{"MaintenanceInProgress", "DrainInProgress", "Drained", "GracefulNodeShutdownInProgress"}

// markOf is the mark that Muster has set on a node, as its annotation names it; ""
// where there is none. Where part of it was taken away it is no mark at all,
// and has to be set or taken away whole.
func markOf(n *corev1.Node) string {
	mark, _, theirs := strings.Cut(n.Annotations[AnnotationMark], ",")
	if mark == "" {
		return ""
	}
	taint, condition := theirs, false
	for _, t := range n.Spec.Taints {
		taint = taint || t.Key == TaintOf(mark)
	}
	for _, c := range n.Status.Conditions {
		condition = condition || string(c.Type) == ConditionOf(mark) && c.Status == corev1.ConditionTrue
	}
	if !taint || !condition {
		return "not whole"
	}
	return mark
}

// ownTaint says whether a taint is one that Muster has set itself.
func ownTaint(n *corev1.Node, key string) bool {
	mark := n.Annotations[AnnotationMark]
	return mark != "" && key == TaintOf(mark)
}

// Own says whether a condition is one that Muster has set itself.
func Own(n *corev1.Node, kind string) bool {
	if strings.HasPrefix(kind, "muster.dev/") || ownStage(n, kind) {
		return true
	}
	mark, _, _ := strings.Cut(n.Annotations[AnnotationMark], ",")
	return mark == MarkMaintenance && kind == ConditionOf(mark)
}

// takenOut names the condition by which another program says that the node is being
// taken out of use; "": none.
func takenOut(n *corev1.Node) string {
	for _, kind := range lifecycle {
		for _, c := range n.Status.Conditions {
			if string(c.Type) == kind && c.Status == corev1.ConditionTrue && !Own(n, kind) {
				return kind
			}
		}
	}
	return ""
}
