package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// WorkloadSubmitted says: a researcher submitted a workload, and it was accepted.
type WorkloadSubmitted struct {
	ID   uint64     `json:"id"`
	Spec fleet.Spec `json:"spec"`
}

// WorkloadCancelled says: a workload was taken back, or its pods are gone and
// nothing makes others.
type WorkloadCancelled struct {
	ID   uint64 `json:"id"`
	Gone bool   `json:"gone,omitempty"` // its pods are: no person has taken it back
}

// WorkloadFinished says: a workload ended by itself.
type WorkloadFinished struct {
	ID     uint64 `json:"id"`
	Failed bool   `json:"failed,omitempty"`
}

// WorkloadRetargeted says: a workload has another target or partition.
type WorkloadRetargeted struct {
	ID        uint64        `json:"id"`
	Target    string        `json:"target"`
	Partition string        `json:"partition,omitempty"`
	Until     fleet.Instant `json:"until"` // by when a running one has left its nodes
}

// WorkloadPrioritised says: a workload has another priority.
type WorkloadPrioritised struct {
	ID       uint64         `json:"id"`
	Priority fleet.Priority `json:"priority"`
}

// ReplicasPlaced says: replicas have got room on nodes. They run at once, or the
// room is reserved until those who leave it are gone.
type ReplicasPlaced struct {
	ID        uint64       `json:"id"`
	Partition string       `json:"partition"`
	Spots     []fleet.Spot `json:"spots"`
	Holds     fleet.HeldAs `json:"holds"`
	Reserved  bool         `json:"reserved,omitempty"`
	Mend      bool         `json:"mend,omitempty"` // replaces replicas lost with their nodes
	// Passed is the head of flex that the workload passed: it may take the room back once the
	// workload has run its minimum time. 0: it passed none.
	Passed uint64 `json:"passed,omitempty"`
}

// ReplicasStarted says: the room that was reserved is free, and the replicas in it run. Replicas
// whose room was free when they were placed start with ReplicasPlaced, and without this.
type ReplicasStarted struct {
	ID uint64 `json:"id"`
}

// ReplicasEvicted says: replicas must leave within their grace, because a workload
// (For) starts in their room. Whole: the lowest-rank pools go, so the workload is evicted;
// otherwise it shrinks or loses a pool of higher rank and runs on.
type ReplicasEvicted struct {
	ID    uint64        `json:"id"`
	Spots []fleet.Spot  `json:"spots"`
	Whole bool          `json:"whole,omitempty"`
	Until fleet.Instant `json:"until"`
	For   uint64        `json:"for,omitempty"`
	Class string        `json:"class"` // flex, unprotected, borrowing, importance, fairness or surplus
}

// GangReturned says: a gang that could not be mended leaves its nodes and goes back
// to its queue with its age. This is no eviction.
type GangReturned struct {
	ID    uint64        `json:"id"`
	Spots []fleet.Spot  `json:"spots"`
	Until fleet.Instant `json:"until"`
	Why   string        `json:"why"`
	// Since version 2: maintenance stopped all of the workload.
	Stop bool `json:"stop,omitempty"`
}

// ReplicasStopped says: replicas that were leaving are gone. The spots name the
// orders that they obeyed, where these had numbers.
type ReplicasStopped struct {
	ID    uint64       `json:"id"`
	Spots []fleet.Spot `json:"spots"`
}

// ReplicasOverdue says: replicas that had to leave by Until, by an order, have not
// been reported gone. The order is given again now, the Times-th time, and once
// more at Again. Nothing of their room is free before it is reported, or its node
// is out of service.
type ReplicasOverdue struct {
	ID    uint64        `json:"id"`
	Order uint64        `json:"order"`
	Until fleet.Instant `json:"until"`
	For   uint64        `json:"for,omitempty"`
	Times int           `json:"times"`
	Again fleet.Instant `json:"again"`
}

// ReplicasLost says: replicas went down with their node.
type ReplicasLost struct {
	ID    uint64       `json:"id"`
	Spots []fleet.Spot `json:"spots"`
	Node  string       `json:"node"`
}

// ReservationEnded says: reserved room is given up before it was used.
type ReservationEnded struct {
	ID    uint64       `json:"id"`
	Spots []fleet.Spot `json:"spots"`
	Why   string       `json:"why"`
}

// HoldsChanged says: replicas hold their GPUs in another way. From and To bound the
// replicas of the pool, as the state lists them.
type HoldsChanged struct {
	ID    uint64       `json:"id"`
	Pool  int          `json:"pool"`
	From  int          `json:"from"`
	To    int          `json:"to"`
	Holds fleet.HeldAs `json:"holds"`
}

// ProtectionCut says: a change by people left running work unprotected with so many
// GPUs. It runs on, and may be evicted for work inside its quota's backing.
type ProtectionCut struct {
	ID        uint64 `json:"id"`
	Quota     string `json:"quota"`
	Partition string `json:"partition"`
	GPUs      int    `json:"gpus"`
	Change    string `json:"change"` // what was changed, in words
	By        string `json:"by"`
	Reason    string `json:"reason,omitempty"`
}

func (WorkloadSubmitted) Kind() string   { return "workload.submitted" }   // Kind is the event's stable name.
func (WorkloadCancelled) Kind() string   { return "workload.cancelled" }   // Kind is the event's stable name.
func (WorkloadFinished) Kind() string    { return "workload.finished" }    // Kind is the event's stable name.
func (WorkloadRetargeted) Kind() string  { return "workload.retargeted" }  // Kind is the event's stable name.
func (WorkloadPrioritised) Kind() string { return "workload.prioritised" } // Kind is the event's stable name.
func (ReplicasPlaced) Kind() string      { return "replicas.placed" }      // Kind is the event's stable name.
func (ReplicasStarted) Kind() string     { return "replicas.started" }     // Kind is the event's stable name.
func (ReplicasEvicted) Kind() string     { return "replicas.evicted" }     // Kind is the event's stable name.
func (GangReturned) Kind() string        { return "gang.returned" }        // Kind is the event's stable name.
func (ReplicasStopped) Kind() string     { return "replicas.stopped" }     // Kind is the event's stable name.
func (ReplicasOverdue) Kind() string     { return "replicas.overdue" }     // Kind is the event's stable name.
func (ReplicasLost) Kind() string        { return "replicas.lost" }        // Kind is the event's stable name.
func (ReservationEnded) Kind() string    { return "reservation.ended" }    // Kind is the event's stable name.
func (ProtectionCut) Kind() string       { return "protection.cut" }       // Kind is the event's stable name.
func (HoldsChanged) Kind() string        { return "holds.changed" }        // Kind is the event's stable name.

// ReplicasObserved says: on a cluster where Muster does not act, these replicas of
// a workload run, and no others. None: all of it waits.
type ReplicasObserved struct {
	ID        uint64       `json:"id"`
	Partition string       `json:"partition"`
	Spots     []fleet.Spot `json:"spots"`
}

// Kind is the event's stable name.
func (ReplicasObserved) Kind() string { return "replicas.observed" }

// WorkloadAdopted says: work that was seen on a cluster is Muster's from now on, where
// it stands. Its groups say what makes its pods, as those of work that was submitted do.
// Version 2 says where it is counted from now on.
type WorkloadAdopted struct {
	ID     uint64   `json:"id"`
	Groups []string `json:"groups"`           // those that come to the ones it has
	Target string   `json:"target,omitempty"` // another than it had; "": it keeps that
}

func (WorkloadAdopted) Kind() string { return "workload.adopted" } // Kind is the event's stable name.

// WorkloadResized says: a pool of a workload has another size. Where more of it
// stood than it has now, some leave within their grace, and room that was only
// reserved is given up at once. This is no eviction: no work needed the room. A Max of 0
// says: the pool has finished entirely and is none of the workload's any more, whose
// later pools move up by one; nothing of the workload stood then.
type WorkloadResized struct {
	ID        uint64        `json:"id"`
	Pool      int           `json:"pool"`
	Min       int           `json:"min"`
	Max       int           `json:"max"`
	Leave     []fleet.Spot  `json:"leave,omitempty"`
	Unreserve []fleet.Spot  `json:"unreserve,omitempty"`
	Until     fleet.Instant `json:"until,omitempty"`
}

func (WorkloadResized) Kind() string { return "workload.resized" } // Kind is the event's stable name.

// UsageMeasured says: what a workload's GPUs are seen to do from now on. The
// figures are in thousandths of full activity; fleet.Unmeasured where no monitor
// measured, and nothing is known of the workload where that is SM. A measurement that tells
// nothing new is no event (core/decide_usage.go).
type UsageMeasured struct {
	Workload uint64         `json:"workload"` // its ID
	SM       fleet.Permille `json:"sm"`       // busy by the plain figure: share of time in which SMs work
	Tensor   fleet.Permille `json:"tensor"`   // activity of the tensor cores
	Network  fleet.Permille `json:"network"`  // activity of the fabric: NVLink and InfiniBand together
}

// Kind is the event's stable name.
func (UsageMeasured) Kind() string { return "usage.measured" }
