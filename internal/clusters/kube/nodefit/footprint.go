package nodefit

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Footprint names what a pod asks of its node beside GPUs, whose resources are named: "cpu 64, memory 512Gi". Where
// it asks for more than resources a short sum says for what, since few would read it. Pods of one footprint fit on
// the same nodes.
func (p *Pod) Footprint(gpus []string) string {
	parts := []string{"cpu " + amount(string(corev1.ResourceCPU), p.Requests.MilliCPU)}
	add := func(name corev1.ResourceName, n int64) {
		if n > 0 && !slices.Contains(gpus, string(name)) {
			parts = append(parts, string(name)+" "+amount(string(name), n))
		}
	}
	add(corev1.ResourceMemory, p.Requests.Memory)
	add(corev1.ResourceEphemeralStorage, p.Requests.Ephemeral)
	for _, a := range p.Requests.Other {
		add(a.Name, a.N)
	}
	if more := p.choosy(); more != "" {
		parts = append(parts, "nodes "+more)
	}
	return once(clip(strings.Join(parts, ", ")))
}

// clip keeps a name in bounds: a pod may name many resources.
func clip(name string) string {
	const most = 200
	if len(name) <= most {
		return name
	}
	return name[:most] + " " + sum([]byte(name))
}

// choosy is a short sum of what a pod says of nodes beside resources; "": it says nothing. Tolerations of
// taints that pass by themselves are no matter.
func (p *Pod) choosy() string {
	var tolerations []corev1.Toleration
	for _, t := range p.asks.tolerations {
		if !passes(t.Key) {
			tolerations = append(tolerations, t)
		}
	}
	if len(tolerations)+len(p.asks.selector)+len(p.Ports)+len(p.Repels) == 0 && p.asks.affinity == nil {
		return ""
	}
	says, err := json.Marshal([]any{tolerations, p.asks.selector, p.asks.affinity, p.Ports, len(p.Repels)})
	if err != nil {
		return "" // all of it can be written
	}
	return sum(says)
}

func sum(text []byte) string {
	h := fnv.New32a()
	_, _ = h.Write(text)
	return fmt.Sprintf("#%08x", h.Sum32())
}

// passes says whether a taint is about the state of a node, which Muster knows by itself: it goes when the node
// is well again, and is no matter of what fits there.
func passes(taint string) bool {
	switch taint {
	case corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeUnschedulable, corev1.TaintNodeOutOfService, corev1.TaintNodeNetworkUnavailable:
		return true
	}
	return strings.HasPrefix(taint, "muster.dev/")
}

// Passes says whether a misfit is about the state of the node, which Muster knows by itself.
func (m Misfit) Passes() bool {
	return m.Kind == Unschedulable || m.Kind == Tainted && passes(m.What)
}
