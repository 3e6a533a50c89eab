package fleet

import (
	"slices"
	"time"
)

// NodeUpdate is a component to a version, for the GPU models that it fits (maintenance §1).
type NodeUpdate struct {
	Name      string        `json:"name"`
	Component Component     `json:"component"`
	GPUs      []string      `json:"gpus,omitempty"` // models; none: all
	Impact    Impact        `json:"impact"`         // as its maker claims
	Freeze    time.Duration `json:"freeze,omitempty"`
	Lasts     time.Duration `json:"lasts"` // on one node
	NotBefore Instant       `json:"notBefore,omitempty"`
	Deadline  Instant       `json:"deadline,omitempty"`
	Executor  string        `json:"executor,omitempty"` // who carries it out; "": people
	Record    UpdateRecord  `json:"record"`
}

// The executors: who carries an update out on a node.
const (
	ByPeople    = "people"
	ByJob       = "job"       // a Kubernetes Job per node, from the pod template of the update's name
	ByProvider  = "provider"  // the cloud that the node is a machine of: what it keeps pending is applied
	BySimulated = "simulated" // played by the server, without any node
)

// Executors lists them.
func Executors() []string { return []string{ByPeople, ByJob, ByProvider, BySimulated} }

// UpdateRecord is what has become of an update.
type UpdateRecord struct {
	Added     Instant `json:"added"`
	By        string  `json:"by,omitempty"`
	Withdrawn Instant `json:"withdrawn,omitempty"`
	// Counts is the impact that counts where it was measured to be graver than claimed.
	Counts Impact `json:"counts,omitempty"`
	// Disturbed, Expected and Trials are the evidence: the interruptions seen, what the
	// nodes would have seen without the visits, and the visits.
	Disturbed int     `json:"disturbed,omitempty"`
	Expected  float64 `json:"expected,omitempty"`
	Trials    int     `json:"trials,omitempty"`
	Tried     Tried   `json:"tried,omitzero"` // what its claim is judged by
}

// Counted is the impact that counts: the claim, until it is measured otherwise.
func (u *NodeUpdate) Counted() Impact {
	if u.Record.Counts.Over(u.Impact) {
		return u.Record.Counts
	}
	return u.Impact
}

// Fits says whether the update is for a GPU model.
func (u *NodeUpdate) Fits(gpu string) bool { return len(u.GPUs) == 0 || slices.Contains(u.GPUs, gpu) }
