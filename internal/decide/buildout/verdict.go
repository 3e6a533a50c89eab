package buildout

import (
	"strconv"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Phase says how far a cluster is. It follows from its conditions and decides nothing.
type Phase string

// The phases of a cluster's life.
const (
	Planned      Phase = "Planned"
	Provisioning Phase = "Provisioning"
	Provisioned  Phase = "Provisioned"
	InProduction Phase = "InProduction"
	Draining     Phase = "Draining"
	Retired      Phase = "Retired"
)

// Phases lists them in order.
func Phases() []Phase {
	return []Phase{Planned, Provisioning, Provisioned, InProduction, Draining, Retired}
}

// Fresh is how old evidence may be; what is older is Unknown.
const Fresh = 15 * time.Minute

// On is what a condition waits for.
type On struct {
	System string // cloud, person, git, pipeline, ...
	Object string // the operation, the account or the file there
	Link   string
}

// Condition is one fact that a cluster needs, as it is now.
type Condition struct {
	Type    fleet.ConditionType
	Status  fleet.ConditionStatus
	Reason  string // a stable word
	Message string // what is so, in a sentence
	On      On
	Turn    bool // all that comes before it is there
	Person  bool // a person has to do something
	Fell    bool // it held, and was seen not to hold any more
	Since   fleet.Instant
	Try     Try
	Expect  Expect
}

// Try is how the tries of a condition's step stand.
type Try struct {
	Tries int
	Next  fleet.Instant // 0: none is due
	Error string        // of the last one that failed, in its own words
}

// Expect is when a condition is to be expected; 0: it cannot be known.
type Expect struct {
	P50, P90 fleet.Instant
	Late     bool // it is past its p90
}

// Holds says whether the condition is True.
func (c *Condition) Holds() bool { return c.Status == fleet.StatusTrue }

// Intent is an operation that is to begin.
type Intent struct {
	Step       fleet.Step
	ID         string
	Generation int
	Attempt    int
}

// Verdict is what one look at a cluster says.
type Verdict struct {
	Conditions []Condition
	Phase      Phase
	Degraded   bool
	Fallen     string // what fell, where it is degraded
	Sound      bool   // all that is in production is known to be well
	Intents    []Intent
	Enter      bool // it enters production, at its present generation
	Empty      bool // nothing runs there any more: its nodes are to be released
	Retire     bool // nothing is left of it
	InProduct  Expect
	Wake       fleet.Instant // when time alone may change the verdict; Never: it cannot
}

// Waits is the first condition that is missing; nil: none is.
func (v *Verdict) Waits() *Condition {
	for i := range v.Conditions {
		if !v.Conditions[i].Holds() {
			return &v.Conditions[i]
		}
	}
	return nil
}

// Find finds a condition by its type; nil where the cluster does not need it now.
func (v *Verdict) Find(t fleet.ConditionType) *Condition {
	for i := range v.Conditions {
		if v.Conditions[i].Type == t {
			return &v.Conditions[i]
		}
	}
	return nil
}

// OperationID names an operation: the same act always has the same name.
func OperationID(cluster string, step fleet.Step, generation, attempt int) string {
	return cluster + "." + string(step) + ".g" + strconv.Itoa(generation) + "." + strconv.Itoa(attempt)
}
