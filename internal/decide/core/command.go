package core

import (
	"strings"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Actor is who asks. What they may do is in the table of the room access.
type Actor struct {
	Name     string   // as the log shows it: user:ada, operator:ops for user:ada, driver, muster
	User     string   // whose work it is; "" for parts of Muster itself
	Groups   []string // the user's groups
	Operator bool     // everything is allowed: an admin's sign-in, the server's own OS user, Muster's own parts
	// Principal is the identity that the server has proved; the zero value: no proof was asked for.
	Principal fleet.Principal
	Brings    []access.Grant // roles that the sign-in itself brings
	// ByList: it speaks for work of others at a server where people sign in, as a cluster does for its pods. A quota
	// without an access list is closed to that work, whatever the actor itself may.
	ByList bool
	// Unnamed: the user that runs a server where people sign in. Which person that is, is not known, so it is no second one.
	Unnamed bool

	rights []access.Grant // Brings and what is bound, once they are looked up
	looked bool
}

// System is the actor of what Muster does by itself.
var System = Actor{Name: "muster", Operator: true}

// Reporter is the actor of what a cluster reports, by a driver or by a reconciler. Records and people call it "driver":
// that name is older than reconcilers, and stays.
var Reporter = Actor{Name: "driver", Operator: true}

// Request is a command with who asks, why, and how it is to be told apart from others.
type Request struct {
	Command     Command
	Actor       Actor
	Reason      string
	Key         string // idempotency key, "" for none
	Fingerprint uint64 // of the command, where a key is given
	Expect      uint64 // version of the state that the caller has seen; 0: any
	Trial       bool   // a dry run: what needs a reason is shown without one
	// Earlier is what is known of the key beyond what the state remembers; nil: nothing.
	Earlier *Earlier

	second bool        // two people want it, or one proposes it to another
	lets   *[]*Refusal // why a trial that passes would be refused, done for good; nil: not asked
}

// refused refuses a request, unless it is a trial: that notes what it would be refused for.
func (r Request) refused(refusal *Refusal) *Refusal {
	if !r.Trial {
		return refusal
	}
	if refusal != nil && r.lets != nil {
		*r.lets = append(*r.lets, refusal)
	}
	return nil
}

// passed is why a trial that passed would be refused, done for good.
func (r *Request) passed() []*Refusal {
	if r.lets == nil {
		return nil
	}
	return *r.lets
}

// reasoned refuses a request that gives no reason, as refused does: a trial needs none.
func (r Request) reasoned(format string, args ...any) *Refusal {
	if strings.TrimSpace(r.Reason) != "" {
		return nil
	}
	return r.refused(refuse(ReasonNeeded, format, args...))
}

// asksLeave says whether it is worth finding out what a request is refused for that a trial passes.
func (r Request) asksLeave() bool { return !r.Trial || r.lets != nil }

// Earlier is what the log says of a request's key.
type Earlier struct {
	Since fleet.Instant // all keys that were used since then are known; 0: all there ever were
	Use   *fleet.KeyUse // of this key; nil: it was not used since
}

// Command is a wish of a person or a program. Decide turns it into events or a refusal.
type Command interface{ command() }

// Commands about clusters and nodes.
type (
	// AddCluster adds a cluster.
	AddCluster struct {
		Name string
		Mode fleet.Mode // "" means enforce
	}
	// SetMode sets how far Muster acts on a cluster.
	SetMode struct {
		Cluster string
		Mode    fleet.Mode
	}
	// AddPartition adds a partition without nodes to a cluster.
	AddPartition struct {
		Cluster, GPU string
		GPUsPerNode  int // 0 means 8
	}
	// AddIslands adds islands with healthy nodes to a partition, or nodes to islands it has.
	AddIslands struct {
		Partition string
		Islands   []NewIsland
	}
	// NewIsland is an island to be: Nodes nodes named by the convention
	// <cluster>-<gpu>-<island>-NNN, or the nodes in Names.
	NewIsland struct {
		Name  string
		Nodes int
		Names []string
		Racks int // 0 means 1
		// On is the rack of each node in Names, from 0, where it is known; none: equal blocks.
		On []int
	}
	// SetPolicy sets the fleet's policy.
	SetPolicy struct{ Policy fleet.Policy }
	// SetBuffer sets the buffer policy of a cluster, a partition or an island; the zero Buffer
	// takes the scope's own policy away.
	SetBuffer struct {
		Scope  string
		Buffer fleet.Buffer
	}
	// SetTargets gives a cluster targets of its own; what is zero is as the policy has it.
	SetTargets struct {
		Cluster string
		Targets fleet.Targets
	}
	// SetNodes puts nodes into a state.
	SetNodes struct {
		Names  []string
		State  fleet.NodeState
		Dead   int // GPUs, only with degraded
		Signal string
		At     fleet.Instant // when it happened; 0: now. Another moment is refused: the log is not rewritten
	}
	// StopReports says that a cluster has stopped to report; ResumeReports that it reports again.
	StopReports struct{ Cluster string }
	// ResumeReports says that a cluster reports again.
	ResumeReports struct{ Cluster string }
	// OpenIncident opens a sev.
	OpenIncident struct {
		Name, Scope, Severity string
		Nodes                 []string
		Owner, Link           string
	}
	// CloseIncident closes a sev.
	CloseIncident struct{ Name string }
)

// Commands about quota.
type (
	// CreateQuota creates a quota, and its parents where they do not exist.
	CreateQuota struct {
		Path   string
		Access fleet.Access
		Owner  string // "": none is named
	}
	// DeleteQuota deletes a quota that has no grants, no children and no work.
	DeleteQuota struct{ Path string }
	// SetOwner names who answers for a quota; "" for none.
	SetOwner struct{ Path, Owner string }
	// SetAccess sets who may target a quota.
	SetAccess struct {
		Path   string
		Access fleet.Access
	}
	// SetGrant makes what lasts of a quota's grant in a partition this many GPUs; with Until
	// it makes what ends then this many, beside what lasts.
	SetGrant struct {
		Quota, Partition string
		GPUs             int
		Until            fleet.Instant `json:",omitzero"` // 0: it lasts
		Gang             int           // GPUs of the declared gang; 0: none
		KeepGang         bool          // keep the gang the grant has, as far as it fits
		Overcommit       bool
		None             bool // it ends the grant: the quota has none there then
		AsFound          bool // a fleet file or an import brings it: a gang that no island sustains is taken, and flagged
	}
	// Transfer moves GPUs from one quota's grant to another's.
	Transfer struct {
		From, To, Partition string
		GPUs                int
	}
	// PlaceHold earmarks free capacity for a quota until a moment or, with a user or
	// a namespace, part of the quota for them.
	PlaceHold struct {
		Quota, Partition string
		GPUs             int
		Until            fleet.Instant
		User, Namespace  string // at most one of them
	}
	// ReleaseHold gives a hold back.
	ReleaseHold struct{ ID uint64 }
)

// Commands about workloads.
type (
	// Submit submits a workload.
	Submit struct{ Spec fleet.Spec }
	// Cancel takes a workload back. Gone says that its pods are gone and nothing makes
	// others: no person has taken it back.
	Cancel struct {
		Namespace, Name string
		Gone            bool
	}
	// Retarget gives a workload another target; a running one stops first and waits anew, with its age.
	Retarget struct{ Namespace, Name, Target, Partition string }
	// Prioritise gives a workload another priority.
	Prioritise struct {
		Namespace, Name string
		Priority        fleet.Priority
	}
)

// Reports of clusters, by their drivers and reconcilers, and time.
type (
	// ReportStopped says that all replicas of a workload are gone which were to leave
	// these nodes by the orders that the spots name.
	ReportStopped struct {
		ID    uint64
		Spots []fleet.Spot
	}
	// ReportFinished says that a workload ended by itself. Run is the number of the
	// start that came to its end; 0: whichever is the last.
	ReportFinished struct {
		ID     uint64
		Run    uint64
		Failed bool
	}
	// Tick says nothing but that time has passed.
	Tick struct{}
	// Batch is several commands that become one record, each decided on the state that
	// those before it leave behind: all of them, or none where one is refused.
	Batch struct {
		Commands []Command
		// Each says that every command stands for itself: those that are refused are left
		// out (Outcome.Refused), and the others are done. Nothing is ever taken back, so no
		// copy of the state is needed.
		Each bool
	}
)

func (AddCluster) command()     {}
func (SetMode) command()        {}
func (AddPartition) command()   {}
func (AddIslands) command()     {}
func (SetPolicy) command()      {}
func (SetBuffer) command()      {}
func (SetTargets) command()     {}
func (SetNodes) command()       {}
func (StopReports) command()    {}
func (ResumeReports) command()  {}
func (OpenIncident) command()   {}
func (CloseIncident) command()  {}
func (CreateQuota) command()    {}
func (DeleteQuota) command()    {}
func (SetOwner) command()       {}
func (SetAccess) command()      {}
func (SetGrant) command()       {}
func (Transfer) command()       {}
func (PlaceHold) command()      {}
func (ReleaseHold) command()    {}
func (Submit) command()         {}
func (Cancel) command()         {}
func (Retarget) command()       {}
func (Prioritise) command()     {}
func (ReportStopped) command()  {}
func (ReportFinished) command() {}
func (Tick) command()           {}
func (Batch) command()          {}
