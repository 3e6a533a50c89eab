package core

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Commands about clusters that are built.
type (
	// AddBlueprint adds a version of a blueprint.
	AddBlueprint struct{ Blueprint fleet.Blueprint }
	// PlanCluster enters the record of a cluster that is to be built.
	PlanCluster struct{ Record fleet.ClusterRecord }
	// ChangeCluster changes what is wanted of a cluster: its record, or the version of its blueprint.
	ChangeCluster struct {
		Record  fleet.ClusterRecord
		Version int // of its blueprint; 0: the one it has
	}
	// CheckIn says that the cluster is checked in.
	CheckIn struct {
		Cluster string
		Commit  string // "": not known
	}
	// SteerCluster is what a person does to a cluster's life.
	SteerCluster struct {
		Cluster string
		Do      Steer
		Step    fleet.Step // with retry and unblock; "": every step that waits for it
		Confirm string     // with confirm: the cluster's name once more
	}

	// ReportCounts says what the cloud counts in a subscription and a region.
	ReportCounts struct {
		Subscription, Region string
		Counts               []fleet.CloudCount
		Error                string           // why it could not be read
		Class                fleet.ErrorClass // of the error
	}
	// ReportOperation says how an operation on the outside stands.
	ReportOperation struct {
		Cluster string
		Step    fleet.Step
		ID      string
		State   fleet.OperationState
		Refused bool // it has not begun: the outside would not have it yet; with failed: it never will
		Link    string
		Detail  string
		Class   fleet.ErrorClass
		Error   string
		After   time.Duration // the outside's hint when to try again; 0: none
	}
	// ReportEvidence says what is seen of steps of a cluster.
	ReportEvidence struct {
		Cluster string
		Seen    []fleet.StepEvidence
	}
	// ConfirmOutside says that clusters and cloud accounts were looked at, and are as they were.
	ConfirmOutside struct {
		Clusters, Accounts []string
		Steps              []fleet.SeenAgain // of clusters of which only these steps were seen
		At                 fleet.Instant     // when the first of them was looked at; 0: just now
	}
)

// Steer is what a person may do to a cluster's life.
type Steer string

// What a person may do.
const (
	Quota   Steer = "quota" // says that the cores are there, where no cloud counts them
	Hold    Steer = "hold"
	Go      Steer = "go"
	Retry   Steer = "retry"
	Unblock Steer = "unblock"
	Retire  Steer = "retire"
	Confirm Steer = "confirm"
)

// Steers lists what a person may do.
func Steers() []Steer { return []Steer{Quota, Hold, Go, Retry, Unblock, Retire, Confirm} }

func (AddBlueprint) command()    {}
func (PlanCluster) command()     {}
func (ChangeCluster) command()   {}
func (CheckIn) command()         {}
func (SteerCluster) command()    {}
func (ReportCounts) command()    {}
func (ReportOperation) command() {}
func (ReportEvidence) command()  {}
func (ConfirmOutside) command()  {}
