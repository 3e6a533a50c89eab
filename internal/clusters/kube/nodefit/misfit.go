package nodefit

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// Kind says what about a node does not suit a pod.
type Kind string

// The kinds of misfits, in the order in which they are listed.
const (
	Unschedulable Kind = "unschedulable" // the node is cordoned
	Tainted       Kind = "taint"         // a taint that the pod does not tolerate: What is its key
	NotSelected   Kind = "node selector" // its node selector or node affinity names other nodes
	PortTaken     Kind = "host port"     // What is the port
	TooManyPods   Kind = "pods"
	Insufficient  Kind = "resource" // What is its name
	Repelled      Kind = "anti-affinity"
)

// Misfit is one thing about a node that does not suit a pod.
type Misfit struct {
	Kind Kind
	What string
	// Asked, Free and Has are what the pod requests, what is left, and what the node has in all, where
	// a resource or the number of pods is too small; in the unit of that resource.
	Asked, Free, Has int64
}

func (m Misfit) String() string {
	switch m.Kind {
	case Unschedulable:
		return "the node is cordoned"
	case Tainted:
		return "the node has the taint " + m.What + ", which the pod does not tolerate"
	case NotSelected:
		return "the node does not match the pod's node selector or affinity"
	case PortTaken:
		return "host port " + m.What + " is taken"
	case TooManyPods:
		return "the node takes no more pods"
	case Repelled:
		return "the anti-affinity of a pod that runs there keeps it away"
	default: // Insufficient
		return fmt.Sprintf("insufficient %s: it requests %s, %s of %s is free", m.What, amount(m.What, m.Asked), amount(m.What, m.Free), amount(m.What, m.Has))
	}
}

// Say puts misfits into one sentence's end.
func Say(list []Misfit) string {
	texts := make([]string, len(list))
	for i, m := range list {
		texts[i] = m.String()
	}
	return strings.Join(texts, "; ")
}

// Misfits lists what keeps kube-scheduler from binding a pod to a node on which load
// stands, in the order of Kind; repellers are the terms of all pods of the cluster. None: it
// may be bound.
func Misfits(p *Pod, n *Node, load *Load, repellers []Repeller) []Misfit {
	var list []Misfit
	list = append(list, p.asks.misfits(n)...)
	for _, port := range p.Ports {
		if slices.ContainsFunc(load.ports, port.clashes) {
			list = append(list, Misfit{Kind: PortTaken, What: port.String()})
		}
	}
	list = append(list, insufficient(p, n, load)...)
	if slices.ContainsFunc(repellers, func(r Repeller) bool { return r.keepsAway(p, n) }) {
		list = append(list, Misfit{Kind: Repelled})
	}
	return list
}

// cordon is the taint that stands for a cordon: a pod that tolerates it may run on a cordoned node.
var cordon = corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}

// misfits compares a node itself with what is asked of it.
func (a *asks) misfits(n *Node) (list []Misfit) {
	if n.unschedulable && !a.tolerates(cordon) {
		list = append(list, Misfit{Kind: Unschedulable})
	}
	for _, t := range n.taints {
		if !a.tolerates(t) {
			list = append(list, Misfit{Kind: Tainted, What: t.Key})
			break // one is enough to refuse it
		}
	}
	if !a.selects(n) {
		list = append(list, Misfit{Kind: NotSelected})
	}
	return list
}

// selects says whether a node is one of those that are asked for by name and label. Most pods ask for none.
func (a *asks) selects(n *Node) bool {
	if len(a.selector) == 0 && a.affinity == nil {
		return true
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.labels.set()}}
	ok, err := nodeaffinity.GetRequiredNodeAffinity(&corev1.Pod{Spec: a.spec()}).Match(node)
	return ok && err == nil
}

func (a *asks) tolerates(t corev1.Taint) bool {
	return slices.ContainsFunc(a.tolerations, func(o corev1.Toleration) bool { return o.ToleratesTaint(klog.Logger{}, &t, false) })
}

// insufficient lists the resources of which too little is left, by name. As in
// kube-scheduler, what a pod does not request is not looked at.
func insufficient(p *Pod, n *Node, load *Load) (list []Misfit) {
	if load.Pods+1 > n.Pods {
		list = append(list, Misfit{TooManyPods, "", 1, n.Pods - load.Pods, n.Pods})
	}
	return append(list, slices.DeleteFunc(p.Requests.compared(n, load), func(m Misfit) bool { return m.Asked <= m.Free })...)
}

// compared is what is asked for of each resource beside what is free of it.
func (r Resources) compared(n *Node, load *Load) (list []Misfit) {
	compare := func(name corev1.ResourceName, asked, has, taken int64) {
		if asked > 0 {
			list = append(list, Misfit{Insufficient, string(name), asked, has - taken, has})
		}
	}
	compare(corev1.ResourceCPU, r.MilliCPU, n.Allocatable.MilliCPU, load.Taken.MilliCPU)
	compare(corev1.ResourceMemory, r.Memory, n.Allocatable.Memory, load.Taken.Memory)
	compare(corev1.ResourceEphemeralStorage, r.Ephemeral, n.Allocatable.Ephemeral, load.Taken.Ephemeral)
	for _, a := range r.Other {
		compare(a.Name, a.N, n.Allocatable.of(a.Name), load.Taken.of(a.Name))
	}
	return list
}
