package nodefit

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Repel is a term of a pod's required anti-affinity: it wants no pod like this in the same
// part of the cluster.
type Repel struct {
	Topology string // the node label whose value says which part

	selector   labels.Selector
	namespaces map[string]bool // in which the others stand; everywhere: it names namespaces by labels
	everywhere bool
}

// repelsOf reads the required anti-affinity of a pod. A term whose namespaces are named by
// labels is taken for one about all namespaces, since their labels are not known here: so
// it keeps more away than kube-scheduler would, never less. A selector that cannot be read
// is taken to match everything for the same reason.
func repelsOf(p *corev1.Pod) (list []Repel) {
	if p.Spec.Affinity == nil || p.Spec.Affinity.PodAntiAffinity == nil {
		return nil
	}
	for _, term := range p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		r := Repel{Topology: term.TopologyKey, selector: labels.Everything(), everywhere: term.NamespaceSelector != nil, namespaces: map[string]bool{}}
		if s, err := metav1.LabelSelectorAsSelector(term.LabelSelector); err == nil {
			r.selector = s
		}
		for _, ns := range term.Namespaces {
			r.namespaces[ns] = true
		}
		if len(term.Namespaces) == 0 && !r.everywhere {
			r.namespaces[p.Namespace] = true
		}
		list = append(list, r)
	}
	return list
}

func (r Repel) matches(p *Pod) bool {
	return (r.everywhere || r.namespaces[p.asks.namespace]) && r.selector.Matches(labels.Set(p.asks.labels.set()))
}

// Repeller is a term that a pod which stands on a node brings there.
type Repeller struct {
	Repel
	On *Node
}

// keepsAway says whether a pod that stands elsewhere keeps p from a node.
func (r Repeller) keepsAway(p *Pod, n *Node) bool {
	here, ok := n.labels.get(r.Topology)
	there, known := r.On.labels.get(r.Topology)
	return ok && known && here == there && r.matches(p)
}
