package view

import (
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Node is one machine.
type Node struct {
	Node      string          `json:"node"`
	Partition string          `json:"partition"`
	Island    string          `json:"island"`
	Rack      int             `json:"rack"`
	State     fleet.NodeState `json:"state"`
	Signal    string          `json:"signal"`
	Since     fleet.Instant   `json:"since"`
	GPUs      int             `json:"gpus"`
	Dead      int             `json:"dead"`
	Free      int             `json:"free"`      // usable GPUs, neither held nor reserved
	Workloads []string        `json:"workloads"` // namespace/name of those that hold or have reserved GPUs here
	Others    int             `json:"others"`    // so many more do, which the reader may not read

	Leaving bool             `json:"leaving"`         // maintenance takes it within the horizon
	Visit   fleet.VisitState `json:"visit,omitempty"` // where its maintenance stands; "": there is none
	Runs    fleet.Runs       `json:"runs,omitempty"`  // the versions of its components

	UntestedByProvider bool `json:"untestedByProvider,omitempty"` // the provider brought it to them, and no canary has proven them
}

// Nodes lists the nodes of a partition in order of arrival.
func Nodes(p *fleet.Partition) []Node {
	rows := make([]Node, len(p.Nodes))
	for i, n := range p.Nodes {
		rows[i] = NodeRow(p, n, nil)
	}
	return rows
}

// NodeNamed finds a node in the whole fleet.
func NodeNamed(s *fleet.State, name string) (Node, bool) {
	for _, p := range s.Partitions {
		if i, ok := p.Node(name); ok {
			return NodeRow(p, p.Nodes[i], nil), true
		}
	}
	return Node{}, false
}

// FreeOn is the usable GPUs of a node that are neither held nor reserved. A GPU both
// held and reserved is counted twice in what is taken, but the node is full then.
func FreeOn(n *fleet.Node) int {
	taken := 0
	for _, r := range n.Residents() {
		taken += r.GPUs()
	}
	return max(0, n.UsableGPUs()-taken)
}

// NodeRow is one node of a partition, with the names of the work that its reader may read.
func NodeRow(p *fleet.Partition, n *fleet.Node, sees Sees) Node {
	row := Node{
		Node: n.Name, Partition: p.ID, Island: p.Islands[n.Island].Name, Rack: n.Rack,
		State: n.State, Signal: n.Signal, Since: n.Since, GPUs: n.GPUs, Dead: n.Dead, Workloads: []string{},
	}
	row.fill(n.Residents(), sees)
	row.Free, row.Leaving, row.Runs = FreeOn(n), n.Leaving, n.Runs
	row.Visit = maintenance.VisitOf(p.State(), p, n)
	row.UntestedByProvider = maintenance.UntestedByProvider(p.State(), p, n)
	return row
}

// fill names the work on a node: residents stand in order of workload.
func (row *Node) fill(residents []fleet.Resident, sees Sees) {
	for i, r := range residents {
		switch {
		case i > 0 && residents[i-1].Workload == r.Workload:
		case sees.May(r.Workload):
			row.Workloads = append(row.Workloads, r.Workload.Namespace+"/"+r.Workload.Name)
		default:
			row.Others++
		}
	}
}
