package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// Facts about planned work on nodes. Each says the whole of what it is about, as it is from now on.

// UpdateSet says: an update is known and is this.
type UpdateSet struct {
	Update fleet.NodeUpdate `json:"update"`
}

// RolloutSet says: a rollout is this.
type RolloutSet struct {
	Rollout fleet.Rollout `json:"rollout"`
}

// ZoneSet says: a no-fly zone is this.
type ZoneSet struct {
	Zone fleet.Zone `json:"zone"`
}

// NoticeSet says: an announced maintenance is this.
type NoticeSet struct {
	Notice fleet.Notice `json:"notice"`
}

// ConfigurationJudged says: this is known of a configuration.
type ConfigurationJudged struct {
	Proof fleet.Proof `json:"proof"`
}

// VisitMoved says: the visit of a node stands here.
type VisitMoved struct {
	Partition string      `json:"partition"`
	Node      string      `json:"node"`
	Visit     fleet.Visit `json:"visit"`
}

// NodeLeaving says: maintenance takes a node at a moment within the horizon, or does not any more.
type NodeLeaving struct {
	Partition string        `json:"partition"`
	Node      string        `json:"node"`
	Leaving   bool          `json:"leaving"`
	Goes      fleet.Instant `json:"goes,omitempty"`
}

// NodeObserved says: a node runs these versions.
type NodeObserved struct {
	Partition string     `json:"partition"`
	Node      string     `json:"node"`
	Runs      fleet.Runs `json:"runs"`
}

// WorkloadAgreed says: its owner agreed that a workload stops at a moment; 0: not any more.
type WorkloadAgreed struct {
	ID uint64        `json:"id"`
	At fleet.Instant `json:"at"`
	By string        `json:"by"`
}

// WorkloadPaused says: a workload that maintenance stopped waits until its nodes were visited.
type WorkloadPaused struct {
	ID        uint64 `json:"id"`
	Partition string `json:"partition"`
	Nodes     []int  `json:"nodes"`
	Rollout   string `json:"rollout"`
	Notice    string `json:"notice,omitempty"` // the announced maintenance that it stopped for, where it was no rollout
}

// For names what the workload stopped for, as fleet.Stop does.
func (e WorkloadPaused) For() string { return fleet.Stop{Rollout: e.Rollout, Notice: e.Notice}.For() }

// WorkloadResumed says: it may start again.
type WorkloadResumed struct {
	ID uint64 `json:"id"`
}

// Kind is the event's stable name.
func (UpdateSet) Kind() string { return "update.set" }

// Kind is the event's stable name.
func (RolloutSet) Kind() string { return "rollout.set" }

// Kind is the event's stable name.
func (ZoneSet) Kind() string { return "zone.set" }

// Kind is the event's stable name.
func (NoticeSet) Kind() string { return "notice.set" }

// Kind is the event's stable name.
func (ConfigurationJudged) Kind() string { return "configuration.judged" }

// Kind is the event's stable name.
func (VisitMoved) Kind() string { return "visit.moved" }

// Kind is the event's stable name.
func (NodeLeaving) Kind() string { return "node.leaving" }

// Kind is the event's stable name.
func (NodeObserved) Kind() string { return "node.observed" }

// Kind is the event's stable name.
func (WorkloadAgreed) Kind() string { return "workload.agreed" }

// Kind is the event's stable name.
func (WorkloadPaused) Kind() string { return "workload.paused" }

// Kind is the event's stable name.
func (WorkloadResumed) Kind() string { return "workload.resumed" }
