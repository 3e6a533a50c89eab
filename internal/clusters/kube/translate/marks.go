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

	// Reason is the reason of every condition that Muster sets on a node. Where the condition's name is one of
	// Kubernetes's, it tells Muster's from others': it is written with the condition, so that nothing that ends between
	// two writes leaves one of Muster's behind as another program's.
	Reason = "Muster"
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
// where there is none. Where a part of it was taken away, or a part of another one
// was left, it is no mark at all, and has to be set or taken away whole.
func markOf(n *corev1.Node) string {
	mark, _, theirs := strings.Cut(n.Annotations[AnnotationMark], ",")
	taint, condition, left := theirs, false, false
	for _, t := range n.Spec.Taints {
		taint = taint || mark != "" && t.Key == TaintOf(mark)
	}
	for _, c := range n.Status.Conditions {
		is := mark != "" && string(c.Type) == ConditionOf(mark)
		condition = condition || is && c.Status == corev1.ConditionTrue
		left = left || !is && OwnMark(c)
	}
	if left || mark != "" && !(taint && condition) {
		return notWhole
	}
	return mark
}

// notWhole is the mark or the stage of a node that shows a part of one, or more than one.
const notWhole = "not whole"

// ownTaint says whether a taint is one that Muster has set itself.
func ownTaint(n *corev1.Node, key string) bool {
	mark := n.Annotations[AnnotationMark]
	return mark != "" && key == TaintOf(mark)
}

// own says whether a condition is one that Muster has set itself.
func own(c corev1.NodeCondition) bool { return OwnMark(c) || OwnStage(c) }

// OwnMark says whether a condition is that of a mark which Muster has set itself.
func OwnMark(c corev1.NodeCondition) bool {
	return strings.HasPrefix(string(c.Type), "muster.dev/") || string(c.Type) == ConditionOf(MarkMaintenance) && c.Reason == Reason
}

// takenOut names the condition by which another program says that the node is being
// taken out of use; "": none.
func takenOut(n *corev1.Node) string {
	for _, kind := range lifecycle {
		for _, c := range n.Status.Conditions {
			if string(c.Type) == kind && c.Status == corev1.ConditionTrue && !own(c) {
				return kind
			}
		}
	}
	return ""
}
