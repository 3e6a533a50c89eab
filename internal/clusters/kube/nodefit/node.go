package nodefit

import corev1 "k8s.io/api/core/v1"

// Node is what a node offers, and whom it keeps away.
type Node struct {
	Name        string
	Allocatable Resources
	Pods        int64 // how many may stand on it

	labels        words
	taints        []corev1.Taint // those that keep new pods away
	unschedulable bool
}

// NodeOf reads a node.
func NodeOf(n *corev1.Node) *Node {
	out := &Node{
		Name: n.Name, Allocatable: resourcesOf(n.Status.Allocatable), Pods: n.Status.Allocatable.Pods().Value(),
		labels: wordsOf(n.Labels), unschedulable: n.Spec.Unschedulable,
	}
	for _, t := range n.Spec.Taints {
		if t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute {
			out.taints = append(out.taints, corev1.Taint{Key: once(t.Key), Value: once(t.Value), Effect: t.Effect})
		}
	}
	return out
}

// Load is what stands on a node. Its zero value is an empty node.
type Load struct {
	Taken Resources
	Pods  int64

	ports []HostPort
}

// Add counts a pod that stands on the node or is on its way there.
func (l *Load) Add(p *Pod) {
	l.Taken.add(p.Requests)
	l.Pods++
	l.ports = append(l.ports, p.Ports...)
}
