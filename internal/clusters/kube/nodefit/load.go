package nodefit

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
