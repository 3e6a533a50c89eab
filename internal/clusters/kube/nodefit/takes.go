package nodefit

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// Many is how many pods a node takes at most, for all that is said here.
const Many = 1 << 20

// Takes is how many pods like p a node takes beside what stands there, GPUs apart, whose resources are named; and
// what keeps it from taking more. The state of the node is left out: see Misfit.Passes.
func Takes(p *Pod, n *Node, load *Load, gpus []string) (takes int, why string) {
	if why := p.asks.refuses(n); why != "" {
		return 0, why
	}
	takes = Many
	limit := func(n int64, format string, args ...any) {
		if n = max(0, n); n < int64(takes) {
			takes, why = int(n), fmt.Sprintf(format, args...)
		}
	}
	limit(n.Pods-load.Pods, "it takes no more than %d pods", n.Pods)
	for _, port := range p.Ports {
		limit(1, "host port %s can be taken once", port)
		if slices.ContainsFunc(load.ports, port.clashes) {
			limit(0, "host port %s is taken", port)
		}
	}
	for _, need := range p.Requests.compared(n, load) {
		if !slices.Contains(gpus, need.What) {
			limit(need.Free/need.Asked, "%s", need)
		}
	}
	return takes, why
}

// compared is what is asked for of each resource beside what is free of it.
func (r Resources) compared(n *Node, load *Load) (list []Misfit) {
	compare := func(name corev1.ResourceName, asked, free int64) {
		if asked > 0 {
			list = append(list, Misfit{Insufficient, string(name), asked, max(0, free)})
		}
	}
	compare(corev1.ResourceCPU, r.MilliCPU, n.Allocatable.MilliCPU-load.Taken.MilliCPU)
	compare(corev1.ResourceMemory, r.Memory, n.Allocatable.Memory-load.Taken.Memory)
	compare(corev1.ResourceEphemeralStorage, r.Ephemeral, n.Allocatable.Ephemeral-load.Taken.Ephemeral)
	for _, a := range r.Other {
		compare(a.Name, a.N, n.Allocatable.of(a.Name)-load.Taken.of(a.Name))
	}
	return list
}

// refuses says why a node is none for a pod whatever stands there; "": it may be one.
func (a *asks) refuses(n *Node) string {
	for _, t := range n.taints {
		if !passes(t.Key) && !a.tolerates(t) {
			return Misfit{Kind: Tainted, What: t.Key}.String()
		}
	}
	if len(a.selector) == 0 && a.affinity == nil {
		return ""
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.labels.set()}}
	if ok, err := nodeaffinity.GetRequiredNodeAffinity(&corev1.Pod{Spec: a.spec()}).Match(node); !ok || err != nil {
		return Misfit{Kind: NotSelected}.String()
	}
	return ""
}
