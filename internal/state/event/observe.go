package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// ReplicasObserved says: on a cluster where Muster does not act, these replicas of
// a workload run, and no others. None: all of it waits.
type ReplicasObserved struct {
	ID        uint64       `json:"id"`
	Partition string       `json:"partition"`
	Spots     []fleet.Spot `json:"spots"`
}

// Kind is the event's stable name.
func (ReplicasObserved) Kind() string { return "replicas.observed" }
