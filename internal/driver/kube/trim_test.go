package kube

import (
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/muster-fleet/muster/internal/driver/kube/translate"
)

// TestWhatIsTrimmedIsNeverRead asks that objects say the same before and after.
func TestWhatIsTrimmedIsNeverRead(t *testing.T) {
	o := translate.Defaults("tiger")
	long := strings.Repeat("x", 10_000)
	meta := metav1.ObjectMeta{
		Name: "x", Namespace: "oak", UID: "u", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: long}},
		Labels:      map[string]string{"nvidia.com/gpu.product": "NVIDIA-H200", "nvidia.com/gpu.clique": "a", translate.LabelTarget: "oak"},
		Annotations: map[string]string{"kubectl.kubernetes.io/last-applied-configuration": long, translate.AnnotationReplicas: "2..4", "batch.kubernetes.io/job-completion-index": "3"},
	}
	gpus := corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
	always := corev1.ContainerRestartPolicyAlways
	container := corev1.Container{Name: "c", Image: long, Args: []string{long}, Resources: corev1.ResourceRequirements{Requests: gpus}, RestartPolicy: &always}
	node := &corev1.Node{ObjectMeta: meta, Status: corev1.NodeStatus{
		Capacity: gpus, Allocatable: gpus, Images: []corev1.ContainerImage{{Names: []string{long}}},
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
	}, Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "a"}}}}
	pod := &corev1.Pod{ObjectMeta: meta, Spec: corev1.PodSpec{NodeName: "n", InitContainers: []corev1.Container{container}, Containers: []corev1.Container{container}, Volumes: []corev1.Volume{{Name: long}}}}
	n, p := translate.NodeOf(node, &o), func() translate.Pod { p, _ := translate.PodOf(pod, &o); return p }
	was := p()
	for _, of := range []any{node, pod} {
		if _, err := trim(of); err != nil {
			t.Fatal(err)
		}
	}
	if is := translate.NodeOf(node, &o); !reflect.DeepEqual(is, n) {
		t.Errorf("trimmed, the node says %+v, and before %+v", is, n)
	}
	if is := p(); !reflect.DeepEqual(is, was) {
		t.Errorf("trimmed, the pod says %+v, and before %+v", is, was)
	}
	if text := node.String() + pod.String(); strings.Contains(text, long) {
		t.Errorf("%d bytes are left of them", len(text))
	}
}
