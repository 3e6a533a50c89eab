package event

import (
	"encoding/json"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// FitObserved says: nodes of a partition take fewer replicas of a footprint than their GPUs would allow
// (Tight), or as many again (Loose). Of other nodes it says nothing.
type FitObserved struct {
	Partition string      `json:"partition"`
	Footprint string      `json:"footprint"`
	Tight     []TightNode `json:"tight,omitempty"`
	Loose     []string    `json:"loose,omitempty"`
}

// TightNode is a node that takes fewer replicas, and why.
type TightNode struct {
	Node string `json:"node"`
	fleet.Takings
	Why string   `json:"why"`
	By  []string `json:"by,omitempty"` // pods that are not Muster's and have most of what is short
}

// fitObserved1 did not say how many replicas an empty node would take: as many as it took.
func fitObserved1(data json.RawMessage) (Event, error) {
	e, err := as[FitObserved](data)
	if err != nil {
		return nil, err
	}
	is := e.(FitObserved)
	for i := range is.Tight {
		is.Tight[i].Empty = is.Tight[i].Takes
	}
	return is, nil
}

// ReplicasUnfit says: replicas could not start where they were to, because a node does not take them.
// They look for other nodes, with their workload's age. Nothing of them has run.
type ReplicasUnfit struct {
	ID    uint64       `json:"id"`
	Spots []fleet.Spot `json:"spots"`
	Why   string       `json:"why"`
}

func (FitObserved) Kind() string   { return "fit.observed" }   // Kind is the event's stable name.
func (ReplicasUnfit) Kind() string { return "replicas.unfit" } // Kind is the event's stable name.
