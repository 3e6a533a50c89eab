package kube

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// TestWhatIsKeptOfAClusterIsLittle shows a watch 1,000 nodes and 2,000 pods as large as
// real ones are, and asks how much of them is kept: 150 MiB of ten times as many. Making
// more of them only takes longer, since what is kept of an object does not depend on others.
func TestWhatIsKeptOfAClusterIsLittle(t *testing.T) {
	const nodes, pods, most = 1_000, 2_000, 15 << 20
	o := translate.Defaults("tiger")
	w := NewWatch(&o)
	before := heap()
	var list []any
	for i := range nodes {
		list = append(list, gathered(t, w.nodes.Transformer(), bigNode(i)))
	}
	if err := w.nodes.Replace(list, ""); err != nil {
		t.Fatal(err)
	}
	for i := range pods {
		if err := w.pods.Add(gathered(t, w.pods.Transformer(), bigPod(i))); err != nil {
			t.Fatal(err)
		}
	}
	clear(list)
	kept := heap() - before
	t.Logf("of %d nodes and %d pods %d MiB are kept", nodes, pods, kept>>20)
	if kept > most {
		t.Errorf("%d bytes are kept, want at most %d", kept, most)
	}
	runtime.KeepAlive(w)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// gathered is what is kept of an object while others of the list are still on their way.
func gathered(t *testing.T, transform cache.TransformFunc, of any) any {
	t.Helper()
	out, err := transform(of)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// bigNode has what a node of a cloud has: conditions, labels, fifty images.
func bigNode(i int) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%05d", i), Labels: map[string]string{}, Annotations: map[string]string{"long": strings.Repeat("x", 4000)}}}
	for k := range 60 {
		n.Labels[fmt.Sprintf("feature.node.example/label-%02d", k)] = fmt.Sprintf("value-%d", i)
	}
	n.Labels["nvidia.com/gpu.product"], n.Labels["nvidia.com/gpu.clique"] = "NVIDIA-H200", fmt.Sprintf("island-%03d", i/64)
	gpus := corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8"), "cpu": resource.MustParse("192"), "memory": resource.MustParse("2Ti")}
	n.Status.Capacity, n.Status.Allocatable = gpus, gpus
	for k := range 20 {
		n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{
			Type: corev1.NodeConditionType(fmt.Sprintf("Condition%02d", k)), Status: corev1.ConditionFalse, Reason: "AllIsWell", Message: strings.Repeat("m", 60),
			LastTransitionTime: metav1.Time{Time: time.Unix(1_800_000_000, 0)},
		})
	}
	n.Status.Conditions[0].Type, n.Status.Conditions[0].Status = corev1.NodeReady, corev1.ConditionTrue
	for k := range 50 {
		n.Status.Images = append(n.Status.Images, corev1.ContainerImage{Names: []string{fmt.Sprintf("registry.example/image-%d-%d@sha256:%s", i, k, strings.Repeat("f", 64))}})
	}
	return n
}

func bigPod(i int) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%05d", i), Namespace: "oak", UID: types.UID(fmt.Sprintf("uid-%05d", i)), Labels: map[string]string{translate.LabelTarget: "oak"}}}
	for range 40 {
		p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: strings.Repeat("v", 60)})
	}
	p.Spec.Containers = []corev1.Container{{
		Args: []string{strings.Repeat("a", 4000)}, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("4")}},
	}}
	return p
}
