package core

import (
	"fmt"
	"reflect"

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A row is all that the core knows of one command: its type, what action it is in the
// table of the room access, which says whose roles allow it, and how it is decided.
type row struct {
	command Command // the type's zero value
	action  access.Action
	decide  func(s *fleet.State, r Request, now fleet.Instant) ([]event.Event, *Refusal)
}

// rows is the table of commands. A new command has its row here; the
// other steps are in CONTRIBUTING.md.
func rows() []row {
	return []row{
		// Time, and several commands as one: each of them is judged by its own row.
		of(access.Pass, alone(nothing[Tick])),
		of(access.Pass, decideBatch),

		// Workloads.
		of(access.SubmitWork, byWhom(submit)),
		of(access.ChangeWork, byWhom(cancel)),
		of(access.ChangeWork, retarget),
		of(access.ChangeWork, byWhom(prioritise)),
		of(access.ChangeWork, resize),

		// Requests for quota.
		of(access.AskQuota, requestQuota),
		of(access.AskQuota, requestAccess),
		of(access.OfferQuota, offerQuota),
		of(access.AnswerAccess, answerRequest),
		of(access.CallBack, byWhom(withdrawRequest)),

		// Clusters and nodes.
		of(access.Build, alone(addCluster)),
		of(access.Build, alone(addPartition)),
		of(access.Build, alone(addIslands)),
		of(access.SetMode, alone(setMode)),
		of(access.SetPolicy, byWhom(setPolicy)),
		of(access.SetPromise, alone(setBuffer)),
		of(access.SetPromise, alone(setTargets)),
		of(access.Report, timed(startServer)),
		of(access.Report, alone(stopReports)),
		of(access.Report, alone(resumeReports)),

		// Nodes and their health.
		of(access.RunNodes, setNodes),
		of(access.RunNodes, alone(releaseNodes)),
		of(access.SendSignals, timed(takeSignals)),
		of(access.SetHealth, alone(setHealthPolicy)),
		of(access.RunNodes, byWhom(resetBreaker)),
		of(access.Report, alone(haltPartition)),
		of(access.RunNodes, byWhom(judgeBurst)),
		of(access.RunNodes, acknowledge),
		of(access.Validate, recordValidation),
		of(access.RunIncidents, byWhom(openIncident)),
		of(access.RunIncidents, alone(updateIncident)),
		of(access.RunIncidents, alone(closeIncident)),

		// Quota.
		of(access.ManageQuota, alone(createQuota)),
		of(access.ManageQuota, alone(deleteQuota)),
		of(access.SetAccess, alone(setAccess)),
		of(access.ManageQuota, alone(setOwner)),
		of(access.ManageQuota, grant),
		of(access.MoveQuota, alone(transfer)),
		of(access.HoldInside, timed(placeHold)),
		of(access.HoldInside, alone(releaseHold)),

		// Haircuts.
		of(access.CutQuota, planHaircut),
		of(access.CutQuota, byWhom(reviewHaircut)),
		of(access.CutQuota, byWhom(tellHaircut)),
		of(access.CutQuota, applyWave),
		of(access.CutQuota, undoWave),
		of(access.CutQuota, alone(deleteHaircut)),

		// Who may do what.
		of(access.BindRoles, grantRole),
		of(access.BindRoles, alone(revokeRole)),
		of(access.BreakSeal, breakGlass),
		of(access.ManageToken, makeToken),
		of(access.ManageToken, alone(shortenToken)),
		of(access.ManageToken, alone(revokeToken)),

		of(access.EndSession, endSessions),

		// What takes two people: the action of what is proposed judges both of them.
		of(access.Second, propose),
		of(access.Second, answerProposal),
		of(access.Second, byWhom(withdrawProposal)),

		// Planned work on nodes.
		of(access.Maintain, addUpdate),
		of(access.Maintain, timed(withdrawUpdate)),
		of(access.Maintain, startRollout),
		of(access.Maintain, moveRollout),
		of(access.SetZone, addZone),
		of(access.SetZone, endZone),
		of(access.Maintain, addNotice),
		of(access.Maintain, timed(cancelNotice)),
		of(access.ChangeWork, agreeToStop),
		of(access.Maintain, reportVisit),
		of(access.Validate, alone(observeRuns)),

		// Clusters that are built, by people.
		of(access.Build, alone(addBlueprint)),
		of(access.Build, byWhom(planCluster)),
		of(access.Build, alone(changeCluster)),
		of(access.Build, checkIn),
		of(access.Build, steerCluster),

		// And what is reported about them.
		of(access.Report, alone(reportCounts)),
		of(access.Report, timed(reportOperation)),
		of(access.Report, timed(reportEvidence)),
		of(access.Report, timed(confirmOutside)),

		// Subscriptions.
		of(access.Subscribe, subscribe),
		of(access.Subscribe, alone(unsubscribe)),

		// What drivers report.
		of(access.Report, byWhom(observe)),
		of(access.Report, byWhom(adopt)),
		of(access.SendUsage, alone(measureUsage)),
		of(access.Report, alone(stopped)),
		of(access.Report, alone(observeFit)),
		of(access.Report, alone(unfit)),
		of(access.Report, alone(finished)),
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

func of[C Command](action access.Action, decide decision[C]) row {
	var zero C
	return row{command: zero, action: action, decide: func(s *fleet.State, r Request, now fleet.Instant) ([]event.Event, *Refusal) {
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
