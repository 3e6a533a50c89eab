package driver

import "github.com/muster-fleet/muster/internal/fleet"

// Report is one thing that happened on a cluster. Exactly one of its fields
// besides At is set.
type Report struct {
	At        fleet.Instant
	Stopped   *Stopped
	Finished  *Finished
	Nodes     *Nodes
	Reporting *Reporting
}

// Stopped says: replicas that were leaving are gone.
type Stopped struct {
	ID    uint64
	Spots []fleet.Spot
}

// Finished says: a workload ended by itself.
type Finished struct {
	ID     uint64
	Failed bool
}

// Nodes says: nodes of one partition are now in this state.
type Nodes struct {
	Names  []string
	State  fleet.NodeState
	Dead   int    // GPUs that do not work; only with degraded
	Signal string // what was seen: XID 79, operator, ...
}

// Reporting says: a cluster has stopped to report, or reports again.
type Reporting struct {
	Cluster string
	Stopped bool
}
