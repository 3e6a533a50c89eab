package translate

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Only a kubelet of which nothing is heard is silent: one that says the node is not
// ready answers for its pods, and no program may take them for gone.
func TestWhoSaysNoIsNotSilent(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for status, want := range map[corev1.ConditionStatus]fleet.Instant{
		corev1.ConditionTrue: 0, corev1.ConditionFalse: 0, corev1.ConditionUnknown: fleet.InstantOf(at),
	} {
		n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status, LastTransitionTime: metav1.Time{Time: at}}}
		if got := NodeOf(&n, &Options{}).Silent; got != want {
			t.Errorf("Ready %s: silent since %v, want %v", status, got, want)
		}
	}
}
