package executor

import (
	"context"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Order is one update that a visit brings to its node. What it is handed an executor may
// read and keep, but not change.
type Order struct {
	ID      string // of the visit and the update's place in its bundle: no other order ever has it
	Cluster string
	Node    string
	Update  fleet.NodeUpdate
	Begins  fleet.Instant // when the work would begin if all before it took as long as is said
	Takes   bool          // the visit takes the node out of service: it is marked on its cluster as under maintenance
}

// State is how an order stands outside.
type State string

// The states of an order.
const (
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
)

// Report is how an order stands.
type Report struct {
	State State
	Why   string            // with Failed, in the outside's own words
	Runs  []fleet.Component // what the node was seen to run; what it does not name was not looked at
	Again fleet.Instant     // when it is worth another look; 0: at the usual pace
}

// Executor carries out updates on nodes. Both methods may be slow, may fail, and end with
// their context. Calls for one order never overlap.
type Executor interface {
	// Find looks an order up by its ID; false: it never began.
	Find(ctx context.Context, o Order) (Report, bool, error)
	// Begin begins an order that Find did not find; to begin it twice is to begin it once. A
	// *Refused error says that nothing has begun and nothing will; after any other error it is
	// not known, and Find is asked again.
	Begin(ctx context.Context, o Order) (Report, error)
}

// Refused is an error of Begin after which nothing has begun, and which no second try mends.
type Refused struct{ Err error }

func (r *Refused) Error() string { return r.Err.Error() }
func (r *Refused) Unwrap() error { return r.Err }
