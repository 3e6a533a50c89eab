package scenario

import (
	"time"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Start is the moment at which every story begins.
var Start = fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))

// File is one scenario.
type File struct {
	Name  string // of the file, for messages
	Title string
	Peer  *Peer // whose situation the story retells; nil for the project's own
	Fleet fleetfile.File
	Steps []Step
	// NotYet is what the file asks for and this Muster cannot do yet. Such a file
	// counts as failed. It is told without the figures that cannot be told yet.
	NotYet yamlfile.Errors
	// Moments asks for every figure at each expect step and at the end (Report.Moments).
	Moments bool
}

// Step is one moment of the story: exactly one of Do, Restart and Expect.
type Step struct {
	Line    int
	At      time.Duration // from the start
	Do      Action
	Refused core.Code // the command must be refused with this code; "" means it must not be
	Restart bool
	Expect  []Expectation
}

// Action is a step that asks something of the engine. What it asks may depend on
// the state at that moment.
type Action interface {
	request(s *fleet.State) (core.Request, error)
}

// Told is an action that is the same whatever the state.
type Told struct {
	Command core.Command
	Reason  string
	User    string // who asks for it; "": an operator
}

func (t Told) request(*fleet.State) (core.Request, error) {
	actor := operator
	if t.User != "" {
		actor = core.Actor{Name: "user:" + t.User, User: t.User}
	}
	return core.Request{Command: t.Command, Actor: actor, Reason: t.Reason}, nil
}

// operator tells the story's commands.
var operator = core.Actor{Name: "scenario", User: "scenario", Operator: true}

// Submit submits a workload.
type Submit struct {
	Spec    fleet.Spec
	Runtime time.Duration // how long it really runs; only if Ends
	Ends    bool
}

func (a Submit) request(*fleet.State) (core.Request, error) {
	actor := operator
	if a.Spec.User != "" {
		actor = core.Actor{Name: "user:" + a.Spec.User, User: a.Spec.User, Groups: a.Spec.Groups}
	}
	return core.Request{Command: core.Submit{Spec: a.Spec}, Actor: actor}, nil
}

// SetPolicy puts the settings that a step names over the policy in force.
type SetPolicy struct {
	Policy fleetfile.Policy
	Reason string
}

func (a SetPolicy) request(s *fleet.State) (core.Request, error) {
	return Told{Command: core.SetPolicy{Policy: a.Policy.Over(s.Policy)}, Reason: a.Reason}.request(s)
}
