package nodefit

import (
	"fmt"
	"slices"
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
		if need.Free = max(0, need.Free); !slices.Contains(gpus, need.What) {
			limit(need.Free/need.Asked, "%s", need)
		}
	}
	return takes, why
}

// refuses says why a node is none for a pod whatever stands there; "": it may be one.
func (a *asks) refuses(n *Node) string {
	for _, t := range n.taints {
		if !passes(t.Key) && !a.tolerates(t) {
			return Misfit{Kind: Tainted, What: t.Key}.String()
		}
	}
	if !a.selects(n) {
		return Misfit{Kind: NotSelected}.String()
	}
	return ""
}
