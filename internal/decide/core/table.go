package core

import (
	"fmt"
	"reflect"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Giver says who may give a command.
type Giver int

// Who may give a command. Operators is checked before the command is decided. The others
// depend on what the command touches, so its decision checks them.
const (
	Operators  Giver = iota // operators, and Muster's own parts
	QuotaOwner              // who answers for the quota it touches, and operators
	Submitter               // who submitted the workload or made the request it touches, and operators
	Anyone                  // everybody; an access list may say more
)

// A row is all that the core knows of one command: its type, who may give it, and how it
// is decided.
type row struct {
	command Command // the type's zero value
	giver   Giver
	decide  func(s *fleet.State, r Request, now fleet.Instant) ([]event.Event, *Refusal)
}

// rows is the table of commands. A new command is one row.
func rows() []row {
	return []row{
		// Time, and several commands as one: each of them is judged by its own row.
		of(Anyone, alone(nothing[Tick])),
		of(Anyone, decideBatch),

		// Workloads.
		of(Anyone, alone(submit)),
		of(Submitter, byWhom(cancel)),
		of(Submitter, retarget),
		of(Submitter, byWhom(prioritise)),
		of(Submitter, resize),

		// Requests for quota.
		of(Anyone, requestQuota),
		of(Anyone, requestAccess),
		of(QuotaOwner, offerQuota),
		of(QuotaOwner, answerRequest),
		of(Submitter, byWhom(withdrawRequest)),

		// Metal.
		of(Operators, alone(addCluster)),
		of(Operators, alone(addPartition)),
		of(Operators, alone(addIslands)),
		of(Operators, alone(setMode)),
		of(Operators, alone(setPolicy)),
		of(Operators, alone(setBuffer)),
		of(Operators, alone(setTargets)),
		of(Operators, alone(stopReports)),
		of(Operators, alone(resumeReports)),

		// Nodes and their health.
		of(Operators, setNodes),
		of(Operators, alone(releaseNodes)),
		of(Operators, timed(takeSignals)),
		of(Operators, alone(setHealthPolicy)),
		of(Operators, byWhom(resetBreaker)),
		of(Operators, alone(haltPartition)),
		of(Operators, byWhom(judgeBurst)),
		of(Operators, recordValidation),
		of(Operators, byWhom(openIncident)),
		of(Operators, alone(updateIncident)),
		of(Operators, alone(closeIncident)),

		// Quota.
		of(Operators, alone(createQuota)),
		of(Operators, alone(deleteQuota)),
		of(Operators, alone(setAccess)),
		of(Operators, alone(setOwner)),
		of(Operators, grant),
		of(Operators, alone(transfer)),
		of(Operators, timed(placeHold)),
		of(Operators, alone(releaseHold)),

		// Haircuts.
		of(Operators, planHaircut),
		of(Operators, byWhom(reviewHaircut)),
		of(Operators, byWhom(tellHaircut)),
		of(Operators, timed(applyWave)),
		of(Operators, timed(undoWave)),

		// Subscriptions.
		of(Operators, subscribe),
		of(Operators, alone(unsubscribe)),

		// What drivers report.
		of(Operators, alone(observe)),
		of(Operators, alone(adopt)),
		of(Operators, alone(measureUsage)),
		of(Operators, alone(stopped)),
		of(Operators, alone(finished)),
	}
}

// table is the rows by the type of their command. It is filled when the program starts,
// because a batch looks up the commands in it.
var table map[reflect.Type]row

func init() {
	table = map[reflect.Type]row{}
	for _, r := range rows() {
		kind := reflect.TypeOf(r.command)
		if _, twice := table[kind]; twice {
			panic(fmt.Sprintf("core: %v has two rows", kind))
		}
		table[kind] = r
	}
}

// decision is how commands of one type are decided.
type decision[C Command] func(s *fleet.State, r Request, c C, now fleet.Instant) ([]event.Event, *Refusal)

func of[C Command](giver Giver, decide decision[C]) row {
	var zero C
	return row{command: zero, giver: giver, decide: func(s *fleet.State, r Request, now fleet.Instant) ([]event.Event, *Refusal) {
		return decide(s, r, r.Command.(C), now) //nolint:forcetypeassert // the table is looked up by this very type
	}}
}

// alone is a decision that depends on the state and the command alone.
func alone[C Command](decide func(*fleet.State, C) ([]event.Event, *Refusal)) decision[C] {
	return func(s *fleet.State, _ Request, c C, _ fleet.Instant) ([]event.Event, *Refusal) { return decide(s, c) }
}

// timed is a decision that depends on the moment too.
func timed[C Command](decide func(*fleet.State, C, fleet.Instant) ([]event.Event, *Refusal)) decision[C] {
	return func(s *fleet.State, _ Request, c C, now fleet.Instant) ([]event.Event, *Refusal) {
		return decide(s, c, now)
	}
}

// byWhom is a decision that depends on who asks, or why, too.
func byWhom[C Command](decide func(*fleet.State, Request, C) ([]event.Event, *Refusal)) decision[C] {
	return func(s *fleet.State, r Request, c C, _ fleet.Instant) ([]event.Event, *Refusal) {
		return decide(s, r, c)
	}
}

// nothing is the decision of a command that changes nothing by itself.
func nothing[C Command](*fleet.State, C) ([]event.Event, *Refusal) { return nil, nil }
