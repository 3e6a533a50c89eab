package view

import (
	"cmp"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/decide/health"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// PartitionHealth is a partition's nodes by state and cause, and what automation
// does there, or waits with.
type PartitionHealth struct {
	Partition    string           `json:"partition"`
	Nodes        int              `json:"nodes"`
	States       []StateCount     `json:"states"` // in the order of a node's life, and the most frequent cause first
	Automatic    int              `json:"automatic"`
	Allowed      int              `json:"allowed"` // nodes that automation may keep out of service at one time
	Shadow       bool             `json:"shadow"`
	Tripped      fleet.Instant    `json:"tripped"` // 0: the breaker is closed
	TrippedNodes int              `json:"trippedNodes"`
	Bursts       []*fleet.Burst   `json:"bursts"`
	Waiting      []NodeHealth     `json:"waiting"` // nodes for which something is wanted that is not done
	Verdicts     []health.Verdict `json:"-"`
}

// StateCount is how many nodes are in a state for one cause.
type StateCount struct {
	State fleet.NodeState  `json:"state"`
	Cause string           `json:"cause"`
	Owner fleet.StateOwner `json:"owner"`
	Nodes int              `json:"nodes"`
	GPUs  int              `json:"gpus"`
}

// NodeHealth is what is known of a node's health, and what follows from it.
type NodeHealth struct {
	Node      string            `json:"node"`
	Partition string            `json:"partition"`
	State     fleet.NodeState   `json:"state"`
	Since     fleet.Instant     `json:"since"`
	Signal    string            `json:"signal"`
	Owner     fleet.StateOwner  `json:"owner"`
	Want      fleet.NodeState   `json:"want"`
	Held      health.Held       `json:"held"`
	Findings  []health.Finding  `json:"findings"`
	Unknown   int               `json:"unknown"` // findings that no rule knows
	Health    *fleet.NodeHealth `json:"health"`  // nil: no signal was ever seen
}

// HealthOf is a partition's health at a moment.
func HealthOf(s *fleet.State, p *fleet.Partition, now fleet.Instant) PartitionHealth {
	d := health.Diagnose(s, p, now)
	c := s.Cluster(p.Cluster)
	h := PartitionHealth{
		Partition: p.ID, States: stateCounts(p), Allowed: health.Allowance(p, s.HealthPolicy()),
		Shadow: s.HealthPolicy().Shadow || c != nil && c.Mode != fleet.Enforce, Tripped: p.Health.Tripped, TrippedNodes: p.Health.TrippedNodes,
		Bursts: p.Health.Bursts, Verdicts: d.Verdicts,
	}
	for _, n := range p.Nodes {
		if n.State != fleet.Retired {
			h.Nodes++
		}
		if n.StateOwner == fleet.ByAutomatic {
			h.Automatic++
		}
	}
	for i := range d.Verdicts {
		if v := &d.Verdicts[i]; v.Held != "" { // what is wanted is held back, and Held says why
			h.Waiting = append(h.Waiting, nodeHealthRow(p, v))
		}
	}
	return h
}

// stateKey is what the nodes of one StateCount have in common.
type stateKey struct {
	state fleet.NodeState
	cause string
	owner fleet.StateOwner
}

func stateKeyOf(n *fleet.Node) stateKey {
	k := stateKey{state: n.State, owner: n.StateOwner}
	if n.State != fleet.Healthy { // the last signal of a healthy node is no cause any more
		k.cause = fleet.OutageCause(n.Signal)
	}
	return k
}

// stateCounts counts all nodes of a partition by state, cause and owner.
func stateCounts(p *fleet.Partition) []StateCount {
	counts := map[stateKey]*StateCount{}
	var last stateKey
	var count *StateCount // that of last: nodes in a row are mostly alike, and cost no look into the map
	for _, n := range p.Nodes {
		if k := stateKeyOf(n); count == nil || k != last {
			if counts[k] == nil {
				counts[k] = &StateCount{State: k.state, Cause: k.cause, Owner: k.owner}
			}
			last, count = k, counts[k]
		}
		count.Nodes++
		count.GPUs += n.GPUs
	}
	var list []StateCount
	for _, c := range counts {
		list = append(list, *c)
	}
	slices.SortFunc(list, compareCounts)
	return list
}

// compareCounts orders by state as in a node's life, then the most nodes first.
func compareCounts(a, b StateCount) int {
	life := fleet.NodeStates()
	return cmp.Or(
		cmp.Compare(slices.Index(life, a.State), slices.Index(life, b.State)),
		cmp.Compare(b.Nodes, a.Nodes),
		cmp.Compare(a.Cause, b.Cause),
		cmp.Compare(a.Owner, b.Owner),
	)
}

// NodeHealthOf is a node's health at a moment; false where no node has that name.
func NodeHealthOf(s *fleet.State, name string, now fleet.Instant) (NodeHealth, bool) {
	p, node := s.FindNode(name)
	if p == nil {
		return NodeHealth{}, false
	}
	for _, v := range health.Diagnose(s, p, now).Verdicts {
		if v.Node == node {
			return nodeHealthRow(p, &v), true
		}
	}
	return nodeHealthRow(p, &health.Verdict{Node: node}), true
}

func nodeHealthRow(p *fleet.Partition, v *health.Verdict) NodeHealth {
	n := p.Nodes[v.Node]
	row := NodeHealth{
		Node: n.Name, Partition: p.ID, State: n.State, Since: n.Since, Signal: n.Signal, Owner: n.StateOwner,
		Want: v.Want, Held: v.Held, Findings: v.Findings, Health: n.Health,
	}
	for _, f := range v.Findings {
		if f.Rule == "" {
			row.Unknown++
		}
	}
	return row
}

// Hung says whether a workload looks busy by the plain figure while neither its
// tensor cores nor its network have done anything for as long as the policy says.
func Hung(s *fleet.State, w *fleet.Workload, now fleet.Instant) bool {
	limit := s.HealthPolicy().Hung
	return limit > 0 && w.StillFor(now) >= max(limit, time.Second)
}
