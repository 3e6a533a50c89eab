package driver

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Job is what a driver needs to know of a workload to run it.
type Job struct {
	ID              uint64 // of the workload; never used twice
	Namespace, Name string
	Partition       string // where it stands; spots count this partition's nodes
	Run             uint64 // number of its last start; that of its end is reported
	Pools           []fleet.Pool
	MaxRuntime      time.Duration // what the submitter declared; 0: unknown
	CheckpointEvery time.Duration // 0: an eviction loses everything since the start
}

// Standing is all that a driver should have of one workload at a moment.
type Standing struct {
	Job     Job
	Started fleet.Instant // last start of its lowest-rank pools; 0: they have not started
	Running []fleet.Spot
	Leaving []fleet.Spot
	Until   fleet.Instant // when those that leave must be gone
}

// Driver carries decisions out. Its methods are called one after another, in
// the order of the log; they take note and return at once, and answer later
// with Reports. None can refuse: what cannot be done is reported. What it is
// handed it may read and keep, but not change.
type Driver interface {
	// Run makes these replicas run. mend says that they replace replicas lost with
	// their nodes.
	Run(at fleet.Instant, job Job, spots []fleet.Spot, mend bool)
	// Stop asks replicas to leave by a moment. The spots name the order; all it
	// names is to be reported as Stopped, what the driver knows nothing of too.
	Stop(at fleet.Instant, id uint64, spots []fleet.Spot, until fleet.Instant)
	// Forget says that replicas went down with their node: nothing is reported of them.
	Forget(at fleet.Instant, id uint64, spots []fleet.Spot)
	// Delete says that the workload is over: whatever still runs of it must go at
	// once, and nothing is reported of it.
	Delete(at fleet.Instant, id uint64)
	// Restate says all that stands of one workload once more, because an order to leave has not
	// been answered in time: what has left by it is reported once more, and what is
	// there after all is made to leave.
	Restate(at fleet.Instant, stands Standing)
	// Resync says all that stands, in order of ID: what is missing on the cluster
	// starts, what should leave and has left is reported as Stopped, and whatever
	// else runs there goes at once.
	Resync(at fleet.Instant, all []Standing)
}
