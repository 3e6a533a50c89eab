package translate

import corev1 "k8s.io/api/core/v1"

// The stages of a maintenance that Muster shows on a node besides its mark, by the names that Kubernetes has given them
// (KEP-5683), one at a time.
const (
	StagePlanned  = "MaintenancePlanned" // announced: its moment is known
	StageDraining = "DrainInProgress"    // what stands there leaves
	StageDrained  = "Drained"            // the work on the node may go on

	// ConditionPlanned is the condition of a pod on whose node a maintenance is announced or under way; its message says which.
	ConditionPlanned = "muster.dev/MaintenancePlanned"
)

// stageOf is the stage that Muster has set on a node; "": none. Where it shows two of them, one has to go.
func stageOf(n *corev1.Node) (stage string) {
	for _, c := range n.Status.Conditions {
		switch {
		case !OwnStage(c):
		case stage != "" || c.Status != corev1.ConditionTrue:
			return notWhole
		default:
			stage = string(c.Type)
		}
	}
	return stage
}

// OwnStage says whether a condition is a stage of a maintenance that Muster has set itself.
func OwnStage(c corev1.NodeCondition) bool {
	switch string(c.Type) {
	case StagePlanned, StageDraining, StageDrained:
		return c.Reason == Reason
	}
	return false
}
