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
		if v := &d.Verdicts[i]; v.Held != "" {
			h.Waiting = append(h.Waiting, nodeHealthRow(p, v))
		}
	}
	return h
}

// stateCounts counts the nodes that are not healthy, and those that are, by state and cause.
func stateCounts(p *fleet.Partition) []StateCount {
	type key struct {
		state fleet.NodeState
		cause string
		owner fleet.StateOwner
	}
	by := map[key]*StateCount{}
	var list []StateCount
	var last key
	var count *StateCount // of the last one: most are alike
	for _, n := range p.Nodes {
		k := key{state: n.State, owner: n.StateOwner}
		if n.State != fleet.Healthy {
			k.cause = fleet.OutageCause(n.Signal)
		}
		if count == nil || k != last {
			if by[k] == nil {
				by[k] = &StateCount{State: k.state, Cause: k.cause, Owner: k.owner}
			}
			last, count = k, by[k]
		}
		count.Nodes++
		count.GPUs += n.GPUs
	}
	for _, c := range by {
		list = append(list, *c)
	}
	order := fleet.NodeStates()
	slices.SortFunc(list, func(a, b StateCount) int {
		if x, y := slices.Index(order, a.State), slices.Index(order, b.State); x != y {
			return x - y
		}
		if a.Nodes != b.Nodes {
			return b.Nodes - a.Nodes
		}
		if a.Cause != b.Cause {
			return cmp.Compare(a.Cause, b.Cause)
		}
		return cmp.Compare(a.Owner, b.Owner)
	})
	return list
}

// NodeHealthOf is a node's health at a moment.
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
