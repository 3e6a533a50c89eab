package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// WorkloadResized says: a pool of a workload has another size. Where more of it
// stood than it has now, some leave within their grace, and room that was only
// reserved is given up at once. This is no eviction: nobody needed the room. A Max of 0
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
