package kube

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/muster-fleet/muster/internal/clusters/kube/nodefit"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// fitsOf is a cluster of nodes n1, n2, ... with so many free cores each.
func fitsOf(cores ...string) *nodeFits {
	f := &nodeFits{nodes: map[string]*nodefit.Node{}, loads: map[string]*nodefit.Load{}}
	for i, c := range cores {
		name := "n" + string(rune('1'+i))
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		n.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(c), corev1.ResourcePods: resource.MustParse("10")}
		f.nodes[name], f.loads[name] = nodefit.NodeOf(n), &nodefit.Load{}
	}
	return f
}

// startOn is the start on a node of a pod that wants so many cores.
func startOn(id uint64, uid, node, cores string, gang bool) startAction {
	var p corev1.Pod
	p.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cores)}}}}
	return startAction{id: id, pod: translate.Pod{UID: uid, Gated: true, Binds: true, Fit: nodefit.PodOf(&p)}, node: node, gang: gang}
}

func uids(starts []startAction) string {
	var list []string
	for _, s := range starts {
		list = append(list, s.pod.UID)
	}
	return strings.Join(list, " ")
}

func TestAGangIsBoundWholeOrNotAtAll(t *testing.T) {
	starts := []startAction{
		startOn(1, "a0", "n1", "2", true), startOn(1, "a1", "n2", "4", true), // n2 has too little for a1
		startOn(2, "b0", "n1", "2", false), startOn(2, "b1", "n2", "9", false), // each replica for itself
	}
	fit, unfit, _ := fitting(starts, func() *nodeFits { return fitsOf("4", "3") })
	if uids(fit) != "b0" {
		t.Errorf("bound: %s, want b0 alone", uids(fit))
	}
	if why := unfit["a1"]; !strings.Contains(why, "insufficient cpu: it requests 4, 3 of 3 is free") || unfit["b1"] == "" || len(unfit) != 2 {
		t.Errorf("why not: %q", unfit)
	}
}

func TestWhatIsBoundInOneRoundCounts(t *testing.T) {
	starts := []startAction{startOn(1, "a", "n1", "3", false), startOn(2, "b", "n1", "3", false)}
	if fit, unfit, _ := fitting(starts, func() *nodeFits { return fitsOf("4") }); uids(fit) != "a" || !strings.Contains(unfit["b"], "1 of 4 is free") {
		t.Errorf("bound: %s; why not: %q", uids(fit), unfit)
	}
}

// A pod that kube-scheduler binds is not pinned to a node that cannot take it: there it would wait for ever.
func TestKubeSchedulersPodsAreNotPinnedToFullNodes(t *testing.T) {
	small, large := startOn(1, "a", "n1", "3", false), startOn(2, "b", "n1", "5", false)
	small.pod.Binds, large.pod.Binds = false, false
	fit, unfit, _ := fitting([]startAction{small, large}, func() *nodeFits { return fitsOf("4") })
	if uids(fit) != "a" || !strings.Contains(unfit["b"], "insufficient cpu") {
		t.Errorf("started: %s; why not: %q", uids(fit), unfit)
	}
	small.node = "n9" // a node that is not shown is kube-scheduler's to judge
	if fit, _, _ := fitting([]startAction{small}, func() *nodeFits { return fitsOf() }); uids(fit) != "a" {
		t.Errorf("started: %s", uids(fit))
	}
}

func TestAPodThatNamesMusterInVainSaysSo(t *testing.T) {
	one := startOn(1, "a", "n1", "1", false)
	one.pod.Barred = "it asks to be spread"
	if fit, unfit, _ := fitting([]startAction{one}, func() *nodeFits { return fitsOf("4") }); len(fit) != 0 || !strings.Contains(unfit["a"], "it asks to be spread") {
		t.Errorf("bound: %s; why not: %q", uids(fit), unfit)
	}
	one = startOn(1, "a", "gone", "1", false)
	if _, unfit, _ := fitting([]startAction{one}, func() *nodeFits { return fitsOf("4") }); !strings.Contains(unfit["a"], "does not show") {
		t.Errorf("why not: %q", unfit)
	}
}
