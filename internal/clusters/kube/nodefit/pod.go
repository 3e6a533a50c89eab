package nodefit

import (
	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"
)

// Pod is what a pod asks of the node where it is to stand, or takes of it once it stands.
type Pod struct {
	Requests Resources
	Ports    []HostPort
	Repels   []Repel // of which other pods it wants none near it

	asks *asks // nil for a pod that stands
}

// asks is what a pod says that is to be bound: which nodes it wants, and which pods it is like.
type asks struct {
	namespace   string
	labels      words
	tolerations []corev1.Toleration
	selector    map[string]string
	affinity    *corev1.NodeSelector
}

// PodOf reads a pod that is to be bound.
func PodOf(p *corev1.Pod) *Pod {
	out := &Pod{Requests: resourcesOf(resourcehelper.PodRequests(p, resourcehelper.PodResourcesOptions{})), Ports: hostPorts(p), Repels: repelsOf(p)}
	out.asks = &asks{namespace: p.Namespace, labels: wordsOf(p.Labels), tolerations: onceTolerations(p.Spec.Tolerations), selector: p.Spec.NodeSelector}
	if a := p.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		out.asks.affinity = a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return out
}

// Standing reads a pod that stands on a node: what it takes there, and what it keeps away.
// After a resize in place it takes what its status says, if that is more.
func Standing(p *corev1.Pod) *Pod {
	requests := resourcehelper.PodRequests(p, resourcehelper.PodResourcesOptions{UseStatusResources: true, InPlacePodLevelResourcesVerticalScalingEnabled: true})
	return &Pod{Requests: resourcesOf(requests), Ports: hostPorts(p), Repels: repelsOf(p)}
}

// spec is as much of the pod as says which nodes it requires.
func (a *asks) spec() corev1.PodSpec {
	spec := corev1.PodSpec{NodeSelector: a.selector}
	if a.affinity != nil {
		spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: a.affinity}}
	}
	return spec
}
