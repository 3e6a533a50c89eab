package fleet

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/text"
)

// Workload is what the fleet knows of one submitted workload. It takes 512 bytes, and no more: see Few. So small fields
// stand where others leave a gap.
type Workload struct {
	ID uint64 `json:"id"` // order of submission
	Spec
	Submitted    Instant       `json:"submitted"`
	State        WorkloadState `json:"state"`
	Where        string        `json:"where,omitempty"`    // partition it stands in
	Started      Instant       `json:"started,omitempty"`  // last start of its lowest-rank pools
	Run          uint64        `json:"run,omitempty"`      // number of the record of that start, which reports of its end name
	Reserved     uint64        `json:"reserved,omitempty"` // number of the record that last reserved room which is kept for it; 0: none is, or it was reserved before records were noted here
	Ended        Instant       `json:"ended,omitempty"`
	Gone         bool          `json:"gone,omitempty"` // it was cancelled because its pods were gone: should they come again, it is new
	returns      bool          // something of it is on its way back to a queue, see Returns and Rejoins
	grew         bool          // it got replicas after it had started, and they were not looked at
	leaves       bool          // its tree's count of leavers has it
	treeEnds     int32         // where the tree's name ends in Target, see Tree; 0: it was not looked for yet
	PendingSince Instant       `json:"pendingSince,omitempty"`
	Waited       time.Duration `json:"waited,omitempty"` // all the time spent not running, up to PendingSince
	Late         bool          `json:"late,omitempty"`   // has run past the maximum it declared, now or before
	Evictions    int32         `json:"evictions,omitempty"`
	Evicted      Few[Instant]  `json:"evicted,omitzero"` // when it was evicted last, at most RestAfter moments, oldest first; see RestsUntil
	Mends        int32         `json:"mends,omitempty"`  // nodes swapped under it: those on which a mended gang's replicas run
	Stops        int32         `json:"stops,omitempty"`  // times that maintenance stopped it
	Paused       bool          `json:"paused,omitempty"` // it waits until its nodes were visited
	shape        int32         // see State.shapeOf; 0: not numbered yet
	Departure
	Replicas [][]Replica `json:"held"`              // per pool
	Failure  *Failure    `json:"failure,omitempty"` // where and why it failed; nil: it has not
	Usage    *Usage      `json:"usage,omitempty"`   // what its GPUs were last seen to do
	Lost     Few[int]    `json:"lost,omitzero"`     // nodes that replicas were lost with which a gang still misses, indexes into Partition.Nodes

	// LostLately is the nodes with which this run lost replicas in the minutes that explain a failure, oldest first.
	// The list is replaced as a whole: copies share it.
	LostLately Few[LostNode] `json:"lostLately,omitzero"`

	// Cut is the last change by people that left it unprotected; nil: none did.
	Cut *ProtectionCut `json:"cut,omitempty"`

	places
	// LookedAt and Scratch are placement's: the counts of changes when it looked last whether the workload may grow, and
	// what it keeps with it. A copy of the workload takes the first alone.
	LookedAt uint64 `json:"-"`
	Scratch  any    `json:"-"`
}

// WorkloadState is the state that people see.
type WorkloadState string

// The workload states.
const (
	Pending   WorkloadState = "pending"
	Starting  WorkloadState = "starting" // room reserved, victims still leaving it
	RunningW  WorkloadState = "running"
	Evicting  WorkloadState = "evicting"
	Mending   WorkloadState = "mending"
	Finished  WorkloadState = "finished"
	Failed    WorkloadState = "failed"
	Cancelled WorkloadState = "cancelled"
)

// Ended says whether the workload will never run again.
func (s WorkloadState) Ended() bool { return s == Finished || s == Failed || s == Cancelled }

// Unprotected is the GPUs that the workload's replicas hold unprotected.
func (w *Workload) Unprotected() int {
	n := 0
	for pool, replicas := range w.Replicas {
		for _, r := range replicas {
			if r.Phase == Running && r.HeldAs == HoldsUnprotected {
				n += w.Pools[pool].GPUs
			}
		}
	}
	return n
}

// Side is the workload as one of two of which one gives way.
func (w *Workload) Side() text.Side {
	return text.Side{Namespace: w.Namespace, Target: w.Target, Priority: w.Priority.String(), Importance: int(w.Priority)}
}

// LastCut is the change by people that left work unprotected which still is; nil: none
// did, or it is protected again, or it started anew since.
func (w *Workload) LastCut() *ProtectionCut {
	if w.Cut == nil || w.Cut.At < w.Started || w.Unprotected() == 0 {
		return nil
	}
	return w.Cut
}

// Flexes says whether the workload targets flex.
func (w *Workload) Flexes() bool { return w.Target == Flex }

// Tree is the root of the target's quota tree; flex is a tree of its own.
func (w *Workload) Tree() string {
	if w.treeEnds == 0 {
		w.treeEnds = int32(len(TreeOf(w.Target)))
	}
	return w.Target[:w.treeEnds]
}

// Restood grows with every change of the replicas that stay, of where each is on
// its list, and of how they hold their GPUs.
func (w *Workload) Restood() uint32 { return w.restood }

// At is the partition the workload stands in, or nil.
func (w *Workload) At() *Partition { return w.partition }

// Account is the account the workload's GPUs count for; nil on flex or while it stands nowhere.
func (w *Workload) Account() *Account { return w.account }

// BaseRank is the rank of the pools that must start together.
func (w *Workload) BaseRank() int { return w.Spec.BaseRank() }

// GPUs is the number of GPUs that the workload's replicas take now, in any phase.
func (w *Workload) GPUs() int {
	t := 0
	for i, replicas := range w.Replicas {
		t += len(replicas) * w.Pools[i].GPUs
	}
	return t
}

// Stays counts the replicas of a pool that run or are reserved and are not leaving.
func (w *Workload) Stays(pool int) int {
	n := 0
	for _, r := range w.Replicas[pool] {
		if r.Phase != Leaving {
			n++
		}
	}
	return n
}

// Leaves says whether all that the workload still holds is on its way out.
func (w *Workload) Leaves() bool { return w.GPUs() > 0 && !w.stays() }

// stays says whether some replica runs or is reserved and is not leaving.
func (w *Workload) stays() bool {
	for _, replicas := range w.Replicas {
		for _, r := range replicas {
			if r.Phase != Leaving {
				return true
			}
		}
	}
	return false
}

// InPhase counts the replicas of a pool in one phase.
func (w *Workload) InPhase(pool int, phase Phase) int {
	n := 0
	for _, r := range w.Replicas[pool] {
		if r.Phase == phase {
			n++
		}
	}
	return n
}

// HeldAs is how the workload's lowest-rank pools hold their GPUs; NoHolds while they do not run.
func (w *Workload) HeldAs() HeldAs {
	base := w.BaseRank()
	for i, p := range w.Pools {
		if p.Rank != base {
			continue
		}
		if h := w.PoolHeldAs(i); h != NoHolds {
			return h
		}
	}
	return NoHolds
}

// PoolHeldAs is how the first running replica of a pool holds its GPUs; NoHolds if none runs.
func (w *Workload) PoolHeldAs(pool int) HeldAs {
	for _, r := range w.Replicas[pool] {
		if r.Phase == Running {
			return r.HeldAs
		}
	}
	return NoHolds
}

// GPUsHeldAs counts a workload's GPUs by how they are held; those of replicas that have not started are NoHolds.
func (w *Workload) GPUsHeldAs() map[HeldAs]int {
	held := map[HeldAs]int{}
	for i, replicas := range w.Replicas {
		for _, r := range replicas {
			held[r.HeldAs] += w.Pools[i].GPUs
		}
	}
	return held
}

// HeldAs is how a running replica holds its GPUs (semantics §5).
type HeldAs int8

// The ways to hold GPUs. NoHolds is for replicas that have only been reserved.
const (
	NoHolds HeldAs = iota
	HoldsGuaranteed
	HoldsBorrowing
	HoldsUnprotected
	HoldsFlex
)

var holdsNames = [...]string{"", "guaranteed", "borrowing", "unprotected", "flex"}

func (h HeldAs) String() string { return holdsNames[h] }

// Phase is where a replica is on its way.
type Phase int8

// The phases of a replica.
const (
	Reserved Phase = iota // its room is kept; others may still be leaving it
	Running               // it holds its GPUs
	Leaving               // it still holds its GPUs, within its grace
)

// Replica is one replica of a pool on one node.
type Replica struct {
	Node   int    `json:"n"` // index into Partition.Nodes
	Phase  Phase  `json:"p,omitempty"`
	HeldAs HeldAs `json:"h,omitempty"`
	// Order is the number of the order to leave that a leaving replica obeys: that
	// of the record which gave it. 0: it stays, or was told before orders had numbers.
	Order uint64 `json:"o,omitempty"`
}

// Departure is what makes a workload leave, and where it goes then.
type Departure struct {
	GraceEnds Instant    `json:"graceEnds,omitempty"` // when its leaving replicas must be gone
	For       uint64     `json:"for,omitempty"`       // workload that needs its room
	Orders    Few[Order] `json:"orders,omitzero"`     // to leave, that are not carried out yet
	Moves     *Move      `json:"moves,omitempty"`     // where it goes once it has left its nodes
	Passed    uint64     `json:"passed,omitempty"`    // head, of flex or of its own quota's queue, that it passed when it started, and which may take its room back; 0: none
}

// places are where a workload stands in the state's indexes.
type places struct {
	partition *Partition
	account   *Account // nil on flex
	queued    []queueSpot
	stands    int32      // what it counts for in its namespace's standing
	restood   uint32     // grows with every change of what of it stays
	watchedAt *Partition // on whose watched lists it may be
	restEnds  Instant    // at which its waiting units are filed anew, see awaitRest; 0: at none
}

// ProtectionCut is a change by people that left running work unprotected. It is never
// changed once it is there.
type ProtectionCut struct {
	At     Instant `json:"at"`
	GPUs   int     `json:"gpus"`
	Change string  `json:"change"` // in words
	By     string  `json:"by"`
	Reason string  `json:"reason,omitempty"`
}

// Move is another target for a workload that still has to leave its nodes.
type Move struct {
	Target    string `json:"target"`
	Partition string `json:"partition,omitempty"`
}
