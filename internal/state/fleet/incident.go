package fleet

import (
	"slices"
	"strings"
)

// Incident is a sev: something that people know is wrong, and its scope.
type Incident struct {
	Name     string   `json:"name"`
	Scope    string   `json:"scope,omitempty"`
	Severity string   `json:"severity,omitempty"`
	Nodes    []string `json:"nodes,omitempty"`
	Opened   Instant  `json:"opened"`
	Closed   Instant  `json:"closed,omitempty"`
	Owner    string   `json:"owner,omitempty"` // who works on it
	Link     string   `json:"link,omitempty"`  // where it is written down
	Updates  []Update `json:"updates,omitempty"`
	Reason   string   `json:"reason,omitempty"` // why it was opened
}

// Update is what was found out about an incident, and when.
type Update struct {
	At   Instant `json:"at"`
	Note string  `json:"note"`
}

// UpdateMemory is how many of an incident's last updates stay in the state.
const UpdateMemory = 32

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

// TouchesWork says whether an incident touches where a workload stands: one of its nodes,
// or one of the incident's nodes where it names any.
func (i *Incident) TouchesWork(w *Workload) bool {
	p := w.At()
	if p == nil || !i.Touches(p) {
		return false
	}
	for _, replicas := range w.Replicas {
		for _, r := range replicas {
			if i.touchesNode(p, p.Nodes[r.Node]) {
				return true
			}
		}
	}
	return false
}

// touchesNode says whether a node of a partition that the incident touches is concerned.
func (i *Incident) touchesNode(p *Partition, n *Node) bool {
	if len(i.Nodes) > 0 {
		return slices.Contains(i.Nodes, n.Name)
	}
	island, narrower := strings.CutPrefix(i.Scope, p.ID+"/")
	return !narrower || island == p.Islands[n.Island].Name
}

// OpenIncidents names the open incidents that touch a partition, as they were opened.
func (s *State) OpenIncidents(p *Partition) []string {
	return s.openIncidents(func(i *Incident) bool { return i.Touches(p) })
}

// IncidentsAt names the open incidents that touch a node, as they were opened.
func (s *State) IncidentsAt(p *Partition, node int) []string {
	return s.openIncidents(func(i *Incident) bool { return i.Touches(p) && i.touchesNode(p, p.Nodes[node]) })
}

func (s *State) openIncidents(touch func(*Incident) bool) (names []string) {
	for _, i := range s.Incidents {
		if i.Closed == 0 && touch(i) {
			names = append(names, i.Name)
		}
	}
	return names
}
