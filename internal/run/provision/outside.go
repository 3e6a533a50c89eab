package provision

import (
	"context"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Order is one operation as an adapter needs to know it. What it is handed an adapter
// may read and keep, but not change.
type Order struct {
	ID         string
	Step       fleet.Step
	Generation int
	Attempt    int
	Record     fleet.ClusterRecord
	Blueprint  fleet.Blueprint
	Intended   fleet.Instant
	Unblocked  bool    // a person let it go on, or said that it is done
	Limits     []Limit // of the step quota: what the cloud is asked for; none: nothing is missing any more
}

// Limit is a limit of cloud quota that would be enough.
type Limit struct {
	Meter string
	Cores int
}

// Report is how an operation stands outside.
type Report struct {
	State  fleet.OperationState // running, blocked, succeeded or failed
	Link   string               // where a person sees it
	Detail string               // evidence: a commit, an empty plan
	Class  fleet.ErrorClass     // with failed
	Error  string               // with failed or blocked, in the outside's own words; with running: what it waits for
	Again  fleet.Instant        // when it is worth another look; 0: at the usual pace
}

// Subject is a cluster that is looked at.
type Subject struct {
	Record     fleet.ClusterRecord
	Blueprint  fleet.Blueprint
	Generation int
	CheckedIn  bool
	Since      fleet.Instant // when others could know of it: its check-in, or its entry
	Commit     string
	Done       []fleet.Step         // whose operations succeeded at this generation
	Orders     []Order              // those operations
	Known      []fleet.StepEvidence // what was last seen of its steps
}

// Order is the operation of a step that succeeded at this generation; false: none did.
func (s *Subject) Order(step fleet.Step) (Order, bool) {
	for _, o := range s.Orders {
		if o.Step == step {
			return o, true
		}
	}
	return Order{}, false
}

// Outside carries out the operations of one provider. Every method may be slow, may fail,
// and ends with its context. Calls for one operation never overlap.
type Outside interface {
	// Find looks an operation up by its ID; false: it never began.
	Find(ctx context.Context, o Order) (Report, bool, error)
	// Begin begins an operation that Find did not find. A *Refused error says that nothing
	// has begun; after any other error it is not known, and Find is asked again.
	Begin(ctx context.Context, o Order) (Report, error)
	// Unblock lets an operation go on that waits for a person. Doing it twice does nothing more.
	Unblock(ctx context.Context, o Order) error
	// Look says how the steps of a cluster stand that are done, or are only looked at.
	// Steps that it does not name are not known.
	Look(ctx context.Context, s Subject) ([]fleet.StepEvidence, error)
}

// Cloud reads what a cloud counts of its quota.
type Cloud interface {
	Counts(ctx context.Context, subscription, region string) ([]fleet.CloudCount, error)
}

// Checker is an Outside that can see whether a cluster is checked in.
type Checker interface {
	// CheckedIn finds the commit with which a cluster's files came to the branch that
	// counts; "": they are not there.
	CheckedIn(ctx context.Context, s Subject) (commit string, err error)
}

// Refused is an error of Begin after which nothing has begun.
type Refused struct {
	Class fleet.ErrorClass
	After time.Duration // the outside's own hint; 0: it gave none
	Err   error
}

func (r *Refused) Error() string { return r.Err.Error() }
func (r *Refused) Unwrap() error { return r.Err }
