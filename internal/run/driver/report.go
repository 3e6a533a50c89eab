package driver

import "github.com/muster-fleet/muster/internal/state/fleet"

// Report is one thing that happened on a cluster. Exactly one of its fields
// besides At is set.
type Report struct {
	At        fleet.Instant
	Stopped   *Stopped
	Finished  *Finished
	Nodes     *Nodes
	Reporting *Reporting
}

// Stopped says: all replicas of a workload are gone that were to leave these
// nodes by these orders. The spots name the orders as Stop or Resync did. Who
// leaves one node by one order is reported together, when the last has left: so a
// report may be late or doubled, and is never taken for another.
type Stopped struct {
	ID    uint64
	Spots []fleet.Spot
}

// Finished says: a workload ended by itself, in the run that Job.Run names.
type Finished struct {
	ID     uint64
	Run    uint64
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
