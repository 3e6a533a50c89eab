package fleet

import (
	"slices"
	"strings"
	"time"
)

// Rollout brings a scope to a bundle of updates: a canary, then waves (maintenance §3).
type Rollout struct {
	Name string `json:"name"`
	RolloutPlan
	RolloutLife
}

// RolloutPlan is what people ask of a rollout.
type RolloutPlan struct {
	Scope   string     `json:"scope,omitempty"` // fleet, cluster, partition or partition/island
	Nodes   []string   `json:"nodes,omitempty"` // or these nodes
	Updates []string   `json:"updates"`         // the bundle, by name; frozen when the rollout begins
	Canary  CanaryRule `json:"canary"`
	Waves   []Permille `json:"waves"` // of the nodes after the canary, cumulative, the last 1000
	Limits  VisitLimit `json:"limits"`
	Bisect  bool       `json:"bisect,omitempty"` // a failed canary of several updates is searched for the ones that fail
}

// CanaryRule says how a bundle is proven.
type CanaryRule struct {
	Nodes int           `json:"nodes"`
	Soak  time.Duration `json:"soak"`
	Auto  bool          `json:"auto,omitempty"` // canaries may stand outside the scope
}

// VisitLimit bounds how many nodes are visited at once, and how many may fail.
type VisitLimit struct {
	PerIsland    int      `json:"perIsland"`              // nodes
	PerPartition int      `json:"perPartition,omitempty"` // nodes; 0: as Share says
	Share        Permille `json:"share,omitempty"`        // of the partition's nodes, one at least
	Racks        bool     `json:"racks,omitempty"`        // all nodes of a rack together
	Failures     int      `json:"failures"`               // of a wave; negative: max(1, 2 %)
}

// RolloutState is where a rollout stands by what people and gates say.
type RolloutState string

// The states of a rollout. Waiting is running with nothing that may be done now; it
// is derived, never kept.
const (
	RolloutPlanned   RolloutState = "planned"
	RolloutRunning   RolloutState = "running"
	RolloutWaiting   RolloutState = "waiting"
	RolloutPaused    RolloutState = "paused"
	RolloutDone      RolloutState = "done"
	RolloutAbandoned RolloutState = "abandoned"
)

// RolloutLife is what has become of a rollout.
type RolloutLife struct {
	State   RolloutState `json:"state"`
	By      string       `json:"by,omitempty"`  // who started, paused or abandoned it
	Why     string       `json:"why,omitempty"` // which gate, or the reason given
	Added   Instant      `json:"added"`
	Began   Instant      `json:"began,omitempty"` // its first visit
	Ended   Instant      `json:"ended,omitempty"`
	Stage   int          `json:"stage,omitempty"`   // 0: canary, then the wave's number
	Base    int          `json:"base,omitempty"`    // nodes done or failed when the canary was over
	Faults  int          `json:"faults,omitempty"`  // failures when the present wave began
	Failed  []string     `json:"failed,omitempty"`  // nodes
	Joined  string       `json:"joined,omitempty"`  // the rollout that took this one in
	Trials  []Trial      `json:"trials,omitempty"`  // canaries
	Hunt    *Hunt        `json:"hunt,omitempty"`    // the search for the updates that fail
	Culprit []string     `json:"culprit,omitempty"` // the smallest set that was found to fail
	Asked   []uint64     `json:"asked,omitempty"`   // workloads that stopped for it, each once
}

// Trial is one canary: a node that runs a configuration to prove it.
type Trial struct {
	Node    string   `json:"node"`
	GPU     string   `json:"gpu"`
	Updates []string `json:"updates"`
	Hash    string   `json:"hash"`            // of what it runs then
	Until   Instant  `json:"until,omitempty"` // end of its soak; 0: its visit is not over
	Ended   bool     `json:"ended,omitempty"`
	Passed  bool     `json:"passed,omitempty"`
	Why     string   `json:"why,omitempty"`
	Excused string   `json:"excused,omitempty"` // why its failure is known to have another cause, as people said
}

// Hunt is delta debugging on canary nodes: which of the updates that fail
// together suffice to fail (Zeller, Hildebrandt: Simplifying and Isolating
// Failure-Inducing Input, IEEE TSE 28(2), 2002).
type Hunt struct {
	Failing []string   `json:"failing"`          // fails for certain
	Parts   [][]string `json:"parts"`            // under test now, each on a canary of its own
	Cut     int        `json:"cut"`              // into how many parts Failing is cut
	Others  bool       `json:"others,omitempty"` // Parts are what is left without each part
	Round   int        `json:"round"`
}

// Open says whether the rollout may still make visits.
func (r *Rollout) Open() bool { return r.State == RolloutRunning || r.State == RolloutPaused }

// Begun says whether the bundle is frozen: a first visit was made.
func (r *Rollout) Begun() bool { return r.Began != 0 }

// Covers says whether a node of a partition is in the rollout's scope.
func (r *Rollout) Covers(p *Partition, n *Node) bool {
	if len(r.Nodes) > 0 {
		return slices.Contains(r.Nodes, n.Name)
	}
	return InScope(r.Scope, p, n.Island)
}

// InScope says whether an island of a partition lies in a scope: fleet, a cluster, a partition or
// one island of it.
func InScope(scope string, p *Partition, island int) bool {
	switch scope {
	case "fleet", p.Cluster, p.ID:
		return true
	}
	rest, ok := strings.CutPrefix(scope, p.ID+"/")
	return ok && rest == p.Islands[island].Name
}

// FailedOn says whether the rollout's visit of a node failed.
func (r *Rollout) FailedOn(node string) bool { return slices.Contains(r.Failed, node) }

// change replaces the rollout by a copy that was edited.
func (r *Rollout) changed(edit func(*Rollout)) *Rollout {
	c := *r
	edit(&c)
	return &c
}
