package fleet

import "strings"

// Touches says whether an incident's nodes or its scope concern a partition. One
// that names neither concerns the whole fleet.
func (i *Incident) Touches(p *Partition) bool {
	for _, n := range i.Nodes {
		if _, ok := p.Node(n); ok {
			return true
		}
	}
	if i.Scope == "" {
		return len(i.Nodes) == 0
	}
	return i.Scope == p.Cluster || i.Scope == p.ID || strings.HasPrefix(i.Scope, p.ID+"/")
}

// OpenIncidents names the open incidents that touch a partition, as they were opened.
func (s *State) OpenIncidents(p *Partition) []string {
	var names []string
	for _, i := range s.Incidents {
		if i.Closed == 0 && i.Touches(p) {
			names = append(names, i.Name)
		}
	}
	return names
}
