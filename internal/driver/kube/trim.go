package kube

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// longNote is the length above which an annotation of somebody else's is not kept.
const longNote = 512

// trim takes from an object what is never read, while a list of thousands of them is
// still on its way: images of nodes, what containers run, who wrote which field.
func trim(of any) (any, error) {
	switch o := of.(type) {
	case *corev1.Node:
		o.ManagedFields, o.Annotations = nil, short(o.Annotations)
		o.Status.Images, o.Status.VolumesInUse, o.Status.VolumesAttached, o.Status.Addresses = nil, nil, nil, nil
		o.Status.NodeInfo = corev1.NodeSystemInfo{}
	case *corev1.Pod:
		o.ManagedFields, o.Annotations = nil, short(o.Annotations)
		o.Spec.Volumes, o.Spec.EphemeralContainers, o.Spec.Tolerations = nil, nil, nil
		for _, list := range [][]corev1.Container{o.Spec.InitContainers, o.Spec.Containers} {
			for i, c := range list {
				list[i] = corev1.Container{Name: c.Name, Resources: c.Resources, RestartPolicy: c.RestartPolicy}
			}
		}
		o.Status.ContainerStatuses, o.Status.InitContainerStatuses, o.Status.EphemeralContainerStatuses = nil, nil, nil
	}
	return of, nil
}

// short leaves out annotations that are long and not Muster's.
func short(notes map[string]string) map[string]string {
	for key, text := range notes {
		if len(text) > longNote && !strings.HasPrefix(key, "muster.dev/") {
			delete(notes, key)
		}
	}
	return notes
}

var _ cache.TransformingStore = (*kept[int])(nil)

// Transformer trims objects before they are gathered to a list.
func (k *kept[T]) Transformer() cache.TransformFunc { return trim }
