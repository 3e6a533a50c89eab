package fleet

import "time"

// VisitState is where one node's maintenance stands (maintenance §1).
type VisitState string

// The states of a visit.
const (
	VisitPlanned   VisitState = "planned"   // it will come; never kept
	VisitAnnounced VisitState = "announced" // its moment is known; never kept
	VisitDraining  VisitState = "draining"
	VisitWorking   VisitState = "working"
	VisitChecking  VisitState = "validating"
	VisitDone      VisitState = "done"
	VisitFailed    VisitState = "failed"
	VisitSkipped   VisitState = "skipped"
)

// Ended says whether the visit is over.
func (s VisitState) Ended() bool { return s == VisitDone || s == VisitFailed || s == VisitSkipped }

// Visit is one node's maintenance. It is never changed in place.
type Visit struct {
	Key     uint64     `json:"key"` // number of the record that began it: executors know it by that
	Node    string     `json:"node"`
	State   VisitState `json:"state"`
	Since   Instant    `json:"since"`
	Began   Instant    `json:"began"`
	Rollout string     `json:"rollout,omitempty"` // that it belongs to, or
	Notice  string     `json:"notice,omitempty"`  // the announced maintenance
	VisitWork
}

// VisitWork is what a visit does to its node.
type VisitWork struct {
	Updates []string      `json:"updates,omitempty"` // by name
	Brings  []Component   `json:"brings,omitempty"`
	Impact  Impact        `json:"impact"`
	Lasts   time.Duration `json:"lasts"`
	Checks  time.Duration `json:"checks,omitempty"` // how long its validation takes
	Soak    time.Duration `json:"soak,omitempty"`   // of a canary, after it
	Canary  bool          `json:"canary,omitempty"`
	// Probation is when the probation ends that the node was in; 0: it was in none.
	Probation Instant `json:"probation,omitempty"`
	// Degraded is how the node was degraded before, and is again after it.
	Degraded Degradation `json:"degraded,omitzero"`
	// Borne: all work on the node bears the freeze, and stays.
	Borne bool `json:"borne,omitempty"`
	// Out: the node was out of service already; its return belongs to the repair.
	Out bool   `json:"out,omitempty"`
	Why string `json:"why,omitempty"` // why it failed or was skipped
}

// Degradation is what a degraded node lacks, and who keeps it so.
type Degradation struct {
	Dead  int        `json:"dead"` // GPUs that do not work; 0: the node is not degraded
	Owner StateOwner `json:"owner,omitempty"`
}

// Quiet says whether the node stays in service.
func (v *Visit) Quiet() bool { return v.Borne || !v.Impact.Disturbs() }

// Ends is when the visit should be over, if it takes what it is said to.
func (v *Visit) Ends() Instant { return v.Began.Add(v.Lasts + v.Checks) }

// NodeRef is a node's place in the fleet: its partition, and its index there.
type NodeRef struct {
	Partition string `json:"partition"`
	Node      int    `json:"node"`
}
