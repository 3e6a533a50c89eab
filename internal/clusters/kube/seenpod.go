package kube

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/muster-fleet/muster/internal/clusters/kube/nodefit"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// seenPod is what the watch keeps of a pod.
type seenPod struct {
	gpu    *translate.Pod // what Muster understands of it; nil: it asks for no GPU
	stands *nodefit.Pod   // what it takes of its node; nil: it is on none, or has ended
	node   string         // where it stands
}

// seenPodOf reads a pod. ok is false for one that neither asks for a GPU nor stands on a node.
func seenPodOf(p *corev1.Pod, o *translate.Options) (out seenPod, ok bool) {
	if is, asks := translate.PodOf(p, o); asks {
		out.gpu = &is
	}
	if p.Spec.NodeName != "" && !translate.Over(p) {
		out.node, out.stands = o.Called(p.Spec.NodeName), nodefit.Standing(p)
	}
	return out, out.gpu != nil || out.stands != nil
}

// gpuPods are the pods that ask for GPUs, in any order.
func (w *Watch) gpuPods() []translate.Pod {
	var list []translate.Pod
	for _, p := range w.pods.all() {
		if p.gpu != nil {
			list = append(list, *p.gpu)
		}
	}
	return list
}
