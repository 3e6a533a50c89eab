package marks

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Manager is who the API server says has written what Muster marks nodes with.
const Manager = "muster-marks"

// Of is the mark of a node in a state; "" for none.
func Of(s fleet.NodeState) string {
	switch s {
	case fleet.Quarantined, fleet.Repairing:
		return translate.MarkQuarantined
	case fleet.Validating:
		return translate.MarkValidation
	case fleet.Probation:
		return translate.MarkProbation
	case fleet.Maintenance:
		return translate.MarkMaintenance
	default:
		return ""
	}
}

// effects are those of the taints. Probation is for flex, which is Muster's to
// start: others are only turned away where there is room elsewhere. Nothing is
// ever made to leave by a taint: evictions have a grace and a reason.
var effects = map[string]corev1.TaintEffect{
	translate.MarkQuarantined: corev1.TaintEffectNoSchedule,
	translate.MarkValidation:  corev1.TaintEffectNoSchedule,
	translate.MarkProbation:   corev1.TaintEffectPreferNoSchedule,
	translate.MarkMaintenance: corev1.TaintEffectNoSchedule,
}

// keepers keep others' automation from scaling a node away while it is under maintenance.
var keepers = []string{"cluster-autoscaler.kubernetes.io/scale-down-disabled", "karpenter.sh/do-not-disrupt"}

// JSON is an object, or a part of one.
type JSON = map[string]any

// Conditions is the patch of a node's status that makes it show a mark and no other
// that Muster has set (a strategic merge patch). It goes first: while the annotation
// does not name the mark, everything is simply done again.
func Conditions(n *corev1.Node, want, why string, at time.Time) JSON {
	return conditions(n, translate.OwnMark, conditionOf(want), why, since(n, want, at), at)
}

// conditionOf is the type of a mark's condition; "" for no mark.
func conditionOf(mark string) string {
	if mark == "" {
		return ""
	}
	return translate.ConditionOf(mark)
}

// conditions is the patch of a node's status that sets a condition, "" for none, and takes away the others that are Muster's own.
func conditions(n *corev1.Node, own func(corev1.NodeCondition) bool, want, why string, since metav1.Time, at time.Time) JSON {
	list := []any{} // never null, which would take all conditions away
	for _, c := range n.Status.Conditions {
		if own(c) && string(c.Type) != want {
			list = append(list, JSON{"$patch": "delete", "type": string(c.Type)})
		}
	}
	if want != "" {
		list = append(list, corev1.NodeCondition{
			Type: corev1.NodeConditionType(want), Status: corev1.ConditionTrue, Reason: translate.Reason, Message: why,
			LastTransitionTime: since, LastHeartbeatTime: metav1.Time{Time: at},
		})
	}
	return JSON{"status": JSON{"conditions": list}}
}

func since(n *corev1.Node, want string, at time.Time) metav1.Time {
	for _, c := range n.Status.Conditions {
		if string(c.Type) == translate.ConditionOf(want) && c.Status == corev1.ConditionTrue && !c.LastTransitionTime.IsZero() {
			return c.LastTransitionTime
		}
	}
	return metav1.Time{Time: at}
}

// Taints is the patch that gives a node the taint of a mark, and takes away that of
// the mark that Muster had set (a merge patch, which holds for this version of the
// node alone). A taint of the same key that another writer has set is left, now and later.
func Taints(n *corev1.Node, want string) JSON {
	was := mine(n)
	taints := slices.DeleteFunc(slices.Clone(n.Spec.Taints), func(t corev1.Taint) bool { return was != "" && t.Key == translate.TaintOf(was) })
	note := want
	if theirs := slices.ContainsFunc(taints, func(t corev1.Taint) bool { return t.Key == translate.TaintOf(want) }); want != "" && theirs {
		note += translate.NotMine
	} else if want != "" {
		taints = append(taints, corev1.Taint{Key: translate.TaintOf(want), Effect: effects[want]})
	}
	notes, labels := JSON{translate.AnnotationMark: orNull(note)}, JSON{}
	for _, key := range keepers {
		switch _, set := n.Annotations[key]; {
		case want == translate.MarkMaintenance && !set:
			notes[key] = "true"
			notes[translate.AnnotationMark+"-keeps."+short(key)] = "true"
		case want != translate.MarkMaintenance && n.Annotations[translate.AnnotationMark+"-keeps."+short(key)] != "":
			notes[key], notes[translate.AnnotationMark+"-keeps."+short(key)] = nil, nil
		}
	}
	noted, _, _ := strings.Cut(n.Annotations[translate.AnnotationMark], ",")
	if want == translate.MarkMaintenance {
		labels[translate.LabelMaintenance] = "true"
	} else if noted == translate.MarkMaintenance {
		labels[translate.LabelMaintenance] = nil
	}
	return JSON{
		"metadata": JSON{"resourceVersion": n.ResourceVersion, "annotations": notes, "labels": labels},
		"spec":     JSON{"taints": taints},
	}
}

// short is the group of a key.
func short(key string) string {
	if key == keepers[0] {
		return "autoscaler"
	}
	return "karpenter"
}

// mine is the mark whose taint Muster has set; "" for none.
func mine(n *corev1.Node) string {
	mark := n.Annotations[translate.AnnotationMark]
	if _, known := effects[mark]; known {
		return mark
	}
	return ""
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
