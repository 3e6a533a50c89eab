package marks

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Stage is the stage of a node's maintenance, and what it is about; "": none that disturbs the node is known.
func Stage(s *fleet.State, n *fleet.Node) (stage, why string) {
	if v := n.Visit; v != nil && !v.State.Ended() {
		return stageOf(v)
	}
	for _, o := range s.Kept().Notices {
		if o.Waits(n.Name) && o.Impact.Disturbs() {
			return translate.StagePlanned, "Maintenance " + o.Name + " takes the node from " + stamp(o.Starts) + " on, impact " + string(o.Impact) + "."
		}
	}
	if n.Leaving {
		return translate.StagePlanned, "Maintenance takes the node from " + stamp(n.Goes) + " on."
	}
	return "", ""
}

// stageOf is the stage of a visit that has begun. One without impact leaves its node in service.
func stageOf(v *fleet.Visit) (stage, why string) {
	of := v.Rollout + v.Notice
	switch {
	case v.Quiet():
		return "", ""
	case v.State == fleet.VisitDraining:
		return translate.StageDraining, "The maintenance of the node for " + of + " begins: what stands there leaves with its grace."
	}
	return translate.StageDrained, "The node is under maintenance for " + of + ", and should be back by " + stamp(v.Ends()) + "."
}

func stamp(at fleet.Instant) string { return at.Time().UTC().Format("2006-01-02 15:04Z") }

// StageCondition is the patch of a node's status that makes it show a stage and no other that Muster has set (a strategic
// merge patch).
func StageCondition(n *corev1.Node, want, why string, at time.Time) JSON {
	return conditions(n, translate.OwnStage, want, why, metav1.Time{Time: at}, at)
}
