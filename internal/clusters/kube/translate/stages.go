package translate

import corev1 "k8s.io/api/core/v1"

// The stages of a maintenance that Muster shows on a node besides its mark, by the names that Kubernetes has given them
// (KEP-5683), one at a time.
const (
	StagePlanned  = "MaintenancePlanned" // announced: its moment is known
	StageDraining = "DrainInProgress"    // what stands there leaves
	StageDrained  = "Drained"            // the work on the node may go on

	// AnnotationStage keeps which of them Muster has set.
	AnnotationStage = "muster.dev/maintenance-stage"
	// ConditionPlanned is the condition of a pod on whose node a maintenance is announced or under way; its message says which.
	ConditionPlanned = "muster.dev/MaintenancePlanned"
)

// stageOf is the stage that Muster has set on a node; "": none. One whose condition was taken away has to be set again.
func stageOf(n *corev1.Node) string {
	stage := n.Annotations[AnnotationStage]
	if stage == "" {
		return ""
	}
	for _, c := range n.Status.Conditions {
		if string(c.Type) == stage && c.Status == corev1.ConditionTrue {
			return stage
		}
	}
	return "not whole"
}

// ownStage says whether a condition is the stage that Muster has set itself.
func ownStage(n *corev1.Node, kind string) bool {
	return kind != "" && n.Annotations[AnnotationStage] == kind
}
