package translate

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

// selectorOf is which namespaces a ClusterQueue lets in. Without a selector it is none, and an empty one is all, as Kueue
// reads them. One that cannot be read lets none in.
func selectorOf(cq *unstructured.Unstructured) labels.Selector {
	spec, _ := field(cq.Object["spec"], "namespaceSelector").(map[string]any)
	if spec == nil {
		return labels.Nothing()
	}
	var is metav1.LabelSelector
	if runtime.DefaultUnstructuredConverter.FromUnstructured(spec, &is) != nil {
		return labels.Nothing()
	}
	selector, err := metav1.LabelSelectorAsSelector(&is)
	if err != nil {
		return labels.Nothing()
	}
	return selector
}

// letsIn says whether a queue takes work of a namespace. Who may make a LocalQueue in a namespace of their own names any
// ClusterQueue in it, so the LocalQueue alone lets no namespace in. known is false where that takes labels which the
// cluster does not show.
func (k Kueue) letsIn(selector labels.Selector, namespace string) (so, known bool) {
	if of, shown := k.Namespaces[namespace]; shown {
		return selector.Matches(labels.Set(of)), true
	}
	requirements, some := selector.Requirements()
	for _, r := range requirements {
		if r.Key() != corev1.LabelMetadataName {
			return false, false
		}
	}
	return some && selector.Matches(labels.Set{corev1.LabelMetadataName: namespace}), true
}
