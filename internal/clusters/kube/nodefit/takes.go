package nodefit

import (
	"fmt"
	"slices"
)

// Many is how many pods a node takes at most, for all that is said here.
const Many = 1 << 20

// Takes is how many pods like p a node takes beside what stands there, GPUs apart, whose resources are named; and
// what keeps it from taking more. The state of the node is left out: see Misfit.Passes.
func Takes(p *Pod, n *Node, load *Load, gpus []string) (takes int, short Short) {
	if why := p.asks.refuses(n); why != "" {
		return 0, Short{Why: why}
	}
	takes = Many
	limit := func(n int64, is Short) {
		if n = max(0, n); n < int64(takes) {
			takes, short = int(n), is
		}
	}
	limit(n.Pods-load.Pods, Short{Why: fmt.Sprintf("it takes no more than %d pods", n.Pods), kind: TooManyPods})
	for _, port := range p.Ports {
		limit(1, Short{Why: fmt.Sprintf("host port %s can be taken once", port)})
		if slices.ContainsFunc(load.ports, port.clashes) {
			limit(0, Short{Why: fmt.Sprintf("host port %s is taken", port), kind: PortTaken, port: port})
		}
	}
	for _, need := range p.Requests.compared(n, load) {
		if need.Free = max(0, need.Free); !slices.Contains(gpus, need.What) {
			limit(need.Free/need.Asked, Short{Why: need.String(), kind: Insufficient, what: need.What})
		}
	}
	return takes, short
}

// Short is what keeps a node from taking more pods.
type Short struct {
	Why string // for people

	kind Kind     // "": no pod has it
	what string   // the resource
	port HostPort // the port
}

// HeldBy is how much of what is short a pod has that stands on the node; 0: none.
func (s Short) HeldBy(p *Pod) int64 {
	switch s.kind {
	case Insufficient:
		return p.Requests.named(s.what)
	case TooManyPods:
		return 1
	case PortTaken:
		if slices.ContainsFunc(p.Ports, s.port.clashes) {
			return 1
		}
		return 0
	default:
		return 0
	}
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
