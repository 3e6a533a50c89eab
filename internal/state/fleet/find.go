package fleet

import "slices"

// FindNode finds a node in the whole fleet, or nil.
func (s *State) FindNode(name string) (*Partition, int) {
	for _, p := range s.Partitions {
		if node, ok := p.Node(name); ok {
			return p, node
		}
	}
	return nil, -1
}

// NodesNamed lists the full names of the nodes that a name may mean: the node of
// exactly this name, else those that their own clusters call so, in order. On a
// fleet of several clusters node-001 may mean node-001@tiger.
func (s *State) NodesNamed(name string) (full []string) {
	if p, _ := s.FindNode(name); p != nil {
		return []string{name}
	}
	for _, p := range s.Partitions {
		long := name + "@" + p.Cluster
		if _, ok := p.Node(long); ok && !slices.Contains(full, long) {
			full = append(full, long)
		}
	}
	slices.Sort(full)
	return full
}
