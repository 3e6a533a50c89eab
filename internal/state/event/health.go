package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// SignalsTaken says: monitors, or people, said this of nodes. It carries only
// what is news; what follows from it for a node's state is events of their own.
type SignalsTaken struct {
	Sightings []fleet.Sighting `json:"sightings"`
}

// HealthPolicySet says: what automation may do to nodes is now this.
type HealthPolicySet struct {
	Policy fleet.HealthPolicy `json:"policy"`
}

// BreakerTripped says: automation wanted so many nodes of a partition out of service
// within so short a time that it stopped; it waits for a person.
type BreakerTripped struct {
	Partition string `json:"partition"`
	Nodes     int    `json:"nodes"`
}

// BreakerReset says: a person let automation act again in a partition.
type BreakerReset struct {
	Partition string `json:"partition"`
}

// PartitionHalted says: a mistake of Muster's was met while it decided in a partition,
// and nothing new is decided there until a person resets its breaker.
type PartitionHalted struct {
	Partition string `json:"partition"`
	Why       string `json:"why"`
}

// BurstAccused says: one signature is on so many nodes that the job or the
// monitor is flagged first.
type BurstAccused struct {
	Partition string      `json:"partition"`
	Burst     fleet.Burst `json:"burst"`
}

// BurstJudged says: a person decided whether a burst is real, so that it counts
// against the nodes after all.
type BurstJudged struct {
	Partition string `json:"partition"`
	Signature string `json:"signature"`
	Real      bool   `json:"real"`
}

// BurstOver says: no node shows the signature any more.
type BurstOver struct {
	Partition string `json:"partition"`
	Signature string `json:"signature"`
}

// NodeOwned says: a person or another program keeps a node's state from now on.
type NodeOwned struct {
	Partition string           `json:"partition"`
	Node      string           `json:"node"`
	Owner     fleet.StateOwner `json:"owner"`
}

// NodeValidated says: checks were run on a node, and it passed them or not.
type NodeValidated struct {
	Partition string   `json:"partition"`
	Node      string   `json:"node"`
	Passed    bool     `json:"passed"`
	Checks    []string `json:"checks,omitempty"` // those that passed
	Note      string   `json:"note,omitempty"`
}

// FailureExplained says: why a workload failed, from the signals on its nodes.
type FailureExplained struct {
	Workload uint64           `json:"workload"`
	Cause    fleet.Cause      `json:"cause"`
	Evidence []fleet.Evidence `json:"evidence,omitempty"`
}

func (SignalsTaken) Kind() string     { return "signals.taken" }     // Kind is the event's stable name.
func (HealthPolicySet) Kind() string  { return "health.policy.set" } // Kind is the event's stable name.
func (BreakerTripped) Kind() string   { return "breaker.tripped" }   // Kind is the event's stable name.
func (PartitionHalted) Kind() string  { return "partition.halted" }  // Kind is the event's stable name.
func (BreakerReset) Kind() string     { return "breaker.reset" }     // Kind is the event's stable name.
func (BurstAccused) Kind() string     { return "burst.accused" }     // Kind is the event's stable name.
func (BurstJudged) Kind() string      { return "burst.judged" }      // Kind is the event's stable name.
func (BurstOver) Kind() string        { return "burst.over" }        // Kind is the event's stable name.
func (NodeOwned) Kind() string        { return "node.owned" }        // Kind is the event's stable name.
func (NodeValidated) Kind() string    { return "node.validated" }    // Kind is the event's stable name.
func (FailureExplained) Kind() string { return "failure.explained" } // Kind is the event's stable name.
