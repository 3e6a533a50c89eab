package fleet

import (
	"path"
	"slices"
	"strings"
)

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
// fleet of several clusters node-001 may mean node-001@tiger. A name may also say the place
// of its node: tiger/h200/NODE, or tiger/h200/i1/NODE.
func (s *State) NodesNamed(name string) (full []string) {
	if p, _ := s.FindNode(name); p != nil {
		return []string{name}
	}
	if place, last := path.Split(name); place != "" {
		return s.nodesAt(strings.TrimSuffix(place, "/"), last)
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

// nodesAt is the full name of the node that is called so in a partition or an island: tables have its place in columns
// beside its name.
func (s *State) nodesAt(place, name string) []string {
	for _, full := range s.NodesNamed(name) {
		if p, i := s.FindNode(full); InScope(place, p, p.Nodes[i].Island) {
			return []string{full}
		}
	}
	return nil
}
