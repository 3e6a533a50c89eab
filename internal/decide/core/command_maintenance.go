package core

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Commands about planned work on nodes (docs/contract/maintenance.md).
type (
	// AddUpdate makes an update known. What has become of it is not the caller's to say.
	AddUpdate struct{ Update fleet.NodeUpdate }
	// WithdrawUpdate takes an update back; rollouts that bring it are abandoned between visits.
	WithdrawUpdate struct{ Name string }
	// StartRollout begins a rollout as soon as it may; what is zero is as the contract has it.
	StartRollout struct {
		Name string
		Plan fleet.RolloutPlan
	}
	// MoveRollout pauses a rollout, lets it run again, or abandons it, between visits.
	MoveRollout struct {
		Name  string
		State fleet.RolloutState
		// NotTheUpdate: the failures of its canaries had another cause, which the reason names. Other canaries are taken.
		NotTheUpdate bool
	}
	// AddZone adds a no-fly zone.
	AddZone struct{ Zone fleet.Zone }
	// EndZone ends a zone now.
	EndZone struct{ Name string }
	// AddNotice announces a maintenance at a fixed moment: the provider's, or people's.
	AddNotice struct {
		Name     string
		Nodes    []string
		Starts   fleet.Instant
		Lasts    time.Duration
		Impact   fleet.Impact
		Freeze   time.Duration // of an impact freeze: how long the nodes pause at most; 0: not known
		Provider bool
	}
	// CancelNotice takes an announced maintenance back; visits that have begun are finished.
	CancelNotice struct{ Name string }
	// AgreeToStop says that a workload may be stopped as a whole at a moment, for the visits of its nodes.
	AgreeToStop struct {
		Namespace, Name string
		At              fleet.Instant
	}
	// ReportVisit says how a visit's work went: worked (its validation begins), passed or failed.
	ReportVisit struct {
		Node    string
		Key     uint64 // of the visit; 0: whichever is open
		Outcome string
		Why     string
		Runs    fleet.Runs // what the node was seen to run; nil: it was not looked at
	}
	// ObserveRuns says what a node runs.
	ObserveRuns struct {
		Node string
		Runs fleet.Runs
	}
)

// The outcomes that ReportVisit tells.
const (
	Worked = "worked"
	Passed = "passed"
	Failed = "failed"
)

func (AddUpdate) command()      {}
func (WithdrawUpdate) command() {}
func (StartRollout) command()   {}
func (MoveRollout) command()    {}
func (AddZone) command()        {}
func (EndZone) command()        {}
func (AddNotice) command()      {}
func (CancelNotice) command()   {}
func (AgreeToStop) command()    {}
func (ReportVisit) command()    {}
func (ObserveRuns) command()    {}
