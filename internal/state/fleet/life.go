package fleet

import (
	"slices"
	"strings"
	"time"
)

// ConditionType names one fact that building a cluster needs.
type ConditionType string

// The conditions of a cluster, in the order in which they are waited for; then those of its end.
const (
	SpecValid             ConditionType = "SpecValid"
	QuotaAvailable        ConditionType = "QuotaAvailable"
	CheckedIn             ConditionType = "CheckedIn"
	BootstrapSucceeded    ConditionType = "BootstrapSucceeded"
	InfrastructureReady   ConditionType = "InfrastructureReady"
	NodesReady            ConditionType = "NodesReady"
	NodesValidated        ConditionType = "NodesValidated"
	ServicesDeployed      ConditionType = "ServicesDeployed"
	ProjectsApplied       ConditionType = "ProjectsApplied"
	DependenciesSatisfied ConditionType = "DependenciesSatisfied"
	ClusterHealthy        ConditionType = "Healthy"

	WorkEnded             ConditionType = "WorkEnded"
	RemovalConfirmed      ConditionType = "RemovalConfirmed"
	InfrastructureRemoved ConditionType = "InfrastructureRemoved"
)

// ConditionTypes lists every condition, in order.
func ConditionTypes() []ConditionType {
	return []ConditionType{
		SpecValid, QuotaAvailable, CheckedIn, BootstrapSucceeded, InfrastructureReady, NodesReady, NodesValidated, ServicesDeployed,
		ProjectsApplied, DependenciesSatisfied, ClusterHealthy, WorkEnded, RemovalConfirmed, InfrastructureRemoved,
	}
}

// ConditionStatus says whether a condition holds.
type ConditionStatus string

// The statuses of a condition.
const (
	StatusTrue    ConditionStatus = "True"
	StatusFalse   ConditionStatus = "False"
	StatusUnknown ConditionStatus = "Unknown"
)

// ClusterCondition is what the log says of a condition: when it last changed.
type ClusterCondition struct {
	Type   ConditionType   `json:"type"`
	Status ConditionStatus `json:"status"`
	Reason string          `json:"reason"`
	Since  Instant         `json:"since"`          // of this status
	Turn   Instant         `json:"turn,omitempty"` // when all that comes before it was there
	Took   time.Duration   `json:"took,omitempty"` // from its turn until it first held
	Person bool            `json:"person,omitempty"`
	Asked  Instant         `json:"asked,omitempty"` // since when a person is waited for
	Late   Instant         `json:"late,omitempty"`  // when it was found past its p90, in this status
}

// ErrorClass says what an error asks for (cluster-life.md §3.5).
type ErrorClass string

// The classes of errors. What has none is tried five times, and then needs a person.
const (
	ErrorUnknown ErrorClass = ""
	ErrorRetry   ErrorClass = "retry"
	ErrorWait    ErrorClass = "wait"
	ErrorFix     ErrorClass = "fix"
	ErrorPerson  ErrorClass = "person"
)

// Parks says whether an error of the class waits for a person, or for a change.
func (c ErrorClass) Parks() bool { return c == ErrorFix || c == ErrorPerson }

// OperationState says how an act on the outside stands.
type OperationState string

// The states of an operation.
const (
	OperationIntended  OperationState = "intended" // written down, and not known to have begun
	OperationRunning   OperationState = "running"
	OperationBlocked   OperationState = "blocked" // waits outside for a person
	OperationSucceeded OperationState = "succeeded"
	OperationFailed    OperationState = "failed"
)

// Operation is one act on the outside. Its ID is made from cluster, step, generation and attempt.
type Operation struct {
	ID         string         `json:"id"`
	Generation int            `json:"generation"`
	Attempt    int            `json:"attempt"` // from 1 in each generation
	State      OperationState `json:"state"`
	Intended   Instant        `json:"intended"`
	Started    Instant        `json:"started,omitempty"`
	Ended      Instant        `json:"ended,omitempty"`
	Link       string         `json:"link,omitempty"`
	Unblocked  bool           `json:"unblocked,omitempty"` // a person let it go on
	Says       string         `json:"says,omitempty"`      // what the outside says of it while it runs
}

// LinkKubernetes begins the link of a join whose nodes the cluster itself reports: none are
// made up when it goes into production.
const LinkKubernetes = "kubernetes://"

// ReportsNodes says whether the cluster's nodes are those that its own API server shows.
func (l *Life) ReportsNodes() bool {
	return strings.HasPrefix(l.Step(StepJoin).Operation.Link, LinkKubernetes)
}

// Live says whether the operation may still change something outside.
func (o *Operation) Live() bool {
	return o.State == OperationIntended || o.State == OperationRunning || o.State == OperationBlocked
}

// Trouble is what the last tries of a step met.
type Trouble struct {
	Class    ErrorClass `json:"class,omitempty"`
	Error    string     `json:"error,omitempty"`
	Failures int        `json:"failures,omitempty"` // in a row
	Next     Instant    `json:"next,omitempty"`     // no try before then
	Parked   bool       `json:"parked,omitempty"`   // no try before a person, or a change, says so
}

// StepState is how a step of a cluster stands.
type StepState struct {
	Step      Step      `json:"step"`
	Tries     int       `json:"tries,omitempty"`
	Begun     int       `json:"begun,omitempty"` // operations begun outside
	Operation Operation `json:"operation,omitzero"`
	Trouble   Trouble   `json:"trouble,omitzero"`
}

// StepEvidence is what was last seen outside of one step.
type StepEvidence struct {
	Step       Step    `json:"step"`
	Holds      bool    `json:"holds"`
	Generation int     `json:"generation"`
	At         Instant `json:"at"`
	Detail     string  `json:"detail,omitempty"`
	Link       string  `json:"link,omitempty"`
}

// SeenAgain is the steps of a cluster that were looked at again, and are as they were.
type SeenAgain struct {
	Cluster string `json:"cluster"`
	Steps   []Step `json:"steps"`
}

// Touch is something that a person had to do.
type Touch struct {
	What   string        `json:"what"` // entry, quota, checkin, retry, unblock
	Step   Step          `json:"step,omitempty"`
	By     string        `json:"by"`
	At     Instant       `json:"at"`
	Waited time.Duration `json:"waited,omitempty"` // for this person
}

// Reservation is cores of one meter that the ledger keeps for a cluster.
type Reservation struct {
	Meter string  `json:"meter"`
	Cores int     `json:"cores"`
	At    Instant `json:"at"`
	Base  int     `json:"base"` // cores in use when the cluster's scale sets began, or when it was reserved
}

// Course is what people and the end of steps have made of a cluster.
type Course struct {
	Held        Instant `json:"held,omitempty"` // a person stopped it
	HeldBy      string  `json:"heldBy,omitempty"`
	CheckedIn   Instant `json:"checkedIn,omitempty"`
	Commit      string  `json:"commit,omitempty"`
	Produced    Instant `json:"produced,omitempty"`   // first time in production
	Generation  int     `json:"generation,omitempty"` // that is in production
	Degraded    Instant `json:"degraded,omitempty"`   // since when it was found so; 0: all conditions hold
	Retiring    Instant `json:"retiring,omitempty"`
	Emptied     Instant `json:"emptied,omitempty"` // no work is left, its nodes are released
	Confirmed   Instant `json:"confirmed,omitempty"`
	ConfirmedBy string  `json:"confirmedBy,omitempty"`
	Retired     Instant `json:"retired,omitempty"`
}

// Life is a cluster from its record to its end.
type Life struct {
	Record     ClusterRecord      `json:"record"`
	Version    int                `json:"version"`    // of its blueprint
	Generation int                `json:"generation"` // grows with what is wanted of it
	Number     uint64             `json:"number"`     // order of entry
	Entered    Instant            `json:"entered"`
	Touches    []Touch            `json:"touches,omitempty"`
	Steps      []StepState        `json:"steps,omitempty"`
	Evidence   []StepEvidence     `json:"evidence,omitempty"`
	Conditions []ClusterCondition `json:"conditions,omitempty"`
	Reserved   []Reservation      `json:"reserved,omitempty"`
	Settled    map[string]int     `json:"settled,omitempty"` // cores by meter that the cloud counts as its own
	Course     Course             `json:"course,omitzero"`
}

// Step finds how a step stands; one that was never tried stands at zero.
func (l *Life) Step(step Step) StepState {
	for i := range l.Steps {
		if l.Steps[i].Step == step {
			return l.Steps[i]
		}
	}
	return StepState{Step: step}
}

// EnsureStep is the step's own entry, to be changed.
func (l *Life) EnsureStep(step Step) *StepState {
	for i := range l.Steps {
		if l.Steps[i].Step == step {
			return &l.Steps[i]
		}
	}
	l.Steps = append(l.Steps, StepState{Step: step})
	return &l.Steps[len(l.Steps)-1]
}

// Saw finds what was last seen of a step.
func (l *Life) Saw(step Step) (StepEvidence, bool) {
	for i := range l.Evidence {
		if l.Evidence[i].Step == step {
			return l.Evidence[i], true
		}
	}
	return StepEvidence{}, false
}

// See keeps what was seen of a step.
func (l *Life) See(e StepEvidence) {
	for i := range l.Evidence {
		if l.Evidence[i].Step == e.Step {
			l.Evidence[i] = e
			return
		}
	}
	l.Evidence = append(l.Evidence, e)
}

// SeeAgain says that what was last seen of these steps is still so at a moment.
func (l *Life) SeeAgain(steps []Step, at Instant) {
	for i := range l.Evidence {
		if slices.Contains(steps, l.Evidence[i].Step) {
			l.Evidence[i].At = max(l.Evidence[i].At, at)
		}
	}
}

// Condition finds what the log says of a condition.
func (l *Life) Condition(t ConditionType) (ClusterCondition, bool) {
	for i := range l.Conditions {
		if l.Conditions[i].Type == t {
			return l.Conditions[i], true
		}
	}
	return ClusterCondition{}, false
}

// SetCondition keeps a condition.
func (l *Life) SetCondition(c ClusterCondition) {
	for i := range l.Conditions {
		if l.Conditions[i].Type == c.Type {
			l.Conditions[i] = c
			return
		}
	}
	l.Conditions = append(l.Conditions, c)
}

// ReservedOf is the cores of a meter that are reserved for the cluster.
func (l *Life) ReservedOf(meter string) int {
	for _, r := range l.Reserved {
		if r.Meter == meter {
			return r.Cores
		}
	}
	return 0
}

// KeepSettled drops of its own cores what the cluster does not need any more by a
// blueprint: its scale sets give them back.
func (l *Life) KeepSettled(b Blueprint) {
	need := map[string]int{}
	for _, m := range b.Meters {
		need[m.Meter] = m.PerNode * l.Record.Nodes()
	}
	for meter, n := range l.Settled {
		if l.Settled[meter] = min(n, need[meter]); l.Settled[meter] == 0 {
			delete(l.Settled, meter)
		}
	}
}

// Needs is the cores of a meter that the cluster still has to reserve.
func (l *Life) Needs(m Meter) int {
	return max(0, l.Record.Nodes()*m.PerNode-l.Settled[m.Meter]-l.ReservedOf(m.Meter))
}
