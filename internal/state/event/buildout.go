package event

import (
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// BlueprintAdded says: clusters can be built by this version of a blueprint.
type BlueprintAdded struct {
	Blueprint fleet.Blueprint `json:"blueprint"`
}

// ClusterPlanned says: the record of a cluster that is to be built was entered.
type ClusterPlanned struct {
	Record  fleet.ClusterRecord `json:"record"`
	Version int                 `json:"version"` // of its blueprint
	Number  uint64              `json:"number"`  // order of entry
}

// ClusterReplanned says: something else is wanted of a cluster from now on. Generation
// is the new one, or the same where nothing has to be built for it.
type ClusterReplanned struct {
	Record     fleet.ClusterRecord `json:"record"`
	Version    int                 `json:"version"`
	Generation int                 `json:"generation"`
}

// ClusterCheckedIn says: other projects know of the cluster.
type ClusterCheckedIn struct {
	Cluster string `json:"cluster"`
	By      string `json:"by"`
	Commit  string `json:"commit,omitempty"`
}

// ClusterTouched says: a person had to do something for a cluster. Waited is how long it
// was waited for. A touch of a step (retry, unblock) lets it go on.
type ClusterTouched struct {
	Cluster string        `json:"cluster"`
	What    string        `json:"what"`
	Step    fleet.Step    `json:"step,omitempty"`
	By      string        `json:"by"`
	Waited  time.Duration `json:"waited,omitempty"`
}

// LifeStage is a turn in a cluster's life.
type LifeStage string

// The turns of a cluster's life.
const (
	LifeHeld      LifeStage = "held"      // a person stopped it
	LifeResumed   LifeStage = "resumed"   // and let it go on
	LifeProduced  LifeStage = "produced"  // in production, at its present generation
	LifeLate      LifeStage = "late"      // a condition is past its p90
	LifeDegraded  LifeStage = "degraded"  // it is in production, and a condition fell
	LifeRecovered LifeStage = "recovered" // all its conditions hold again
	LifeRetiring  LifeStage = "retiring"  // a person retires it
	LifeEmptied   LifeStage = "emptied"   // no work is left, its nodes are released
	LifeConfirmed LifeStage = "confirmed" // a person confirmed that its infrastructure goes
	LifeRetired   LifeStage = "retired"
)

// LifeTurned says: a cluster's life took a turn.
type LifeTurned struct {
	Cluster    string              `json:"cluster"`
	Stage      LifeStage           `json:"stage"`
	By         string              `json:"by,omitempty"`
	Generation int                 `json:"generation,omitempty"` // with produced
	Condition  fleet.ConditionType `json:"condition,omitempty"`  // with late
}

// ConditionChanged says: a condition of a cluster is now this. Turn: all that comes
// before it is there.
type ConditionChanged struct {
	Cluster   string                `json:"cluster"`
	Condition fleet.ConditionType   `json:"condition"`
	Status    fleet.ConditionStatus `json:"status"`
	Reason    string                `json:"reason"`
	Turn      bool                  `json:"turn,omitempty"`
	Person    bool                  `json:"person,omitempty"` // a person has to do something
}

// CoresReserved says: the ledger keeps cores for a cluster.
type CoresReserved struct {
	Cluster  string              `json:"cluster"`
	Reserved []fleet.Reservation `json:"reserved"`
}

// CoresReleased says: reservations are over. Settled: the cloud counts the cores as the cluster's own.
type CoresReleased struct {
	Cluster string   `json:"cluster"`
	Meters  []string `json:"meters"`
	Settled bool     `json:"settled,omitempty"`
	Why     string   `json:"why"`
}

// CloudCounted says: what the cloud says of a subscription in a region is now this; with
// an error, that it could not be read.
type CloudCounted struct {
	Subscription string             `json:"subscription"`
	Region       string             `json:"region"`
	Counts       []fleet.CloudCount `json:"counts,omitempty"`
	Error        string             `json:"error,omitempty"`
	Class        fleet.ErrorClass   `json:"class,omitempty"` // of the error
}

// OutsideConfirmed says: all that was last seen of these clusters and cloud accounts was
// looked at again, and is still so.
type OutsideConfirmed struct {
	Clusters []string          `json:"clusters,omitempty"`
	Steps    []fleet.SeenAgain `json:"steps,omitempty"` // of clusters of which only a part was seen
	Accounts []string          `json:"accounts,omitempty"`
	At       fleet.Instant     `json:"at,omitempty"` // when the first of them was looked at; 0: just now
}

// OperationIntended says: this act on the outside is about to begin. It is carried out
// only once this is durable.
type OperationIntended struct {
	Cluster    string     `json:"cluster"`
	Step       fleet.Step `json:"step"`
	ID         string     `json:"operation"`
	Generation int        `json:"generation"`
	Attempt    int        `json:"attempt"`
}

// OperationReported says: this is how an act on the outside stands. Begun: it was not
// known to have begun before. Refused: the outside would not begin it yet; with failed: it never began, and will not.
type OperationReported struct {
	Cluster string               `json:"cluster"`
	Step    fleet.Step           `json:"step"`
	ID      string               `json:"operation"`
	State   fleet.OperationState `json:"state"`
	Begun   bool                 `json:"begun,omitempty"`
	Refused bool                 `json:"refused,omitempty"`
	Link    string               `json:"link,omitempty"`
	Detail  string               `json:"detail,omitempty"`
	Class   fleet.ErrorClass     `json:"class,omitempty"`
	Error   string               `json:"error,omitempty"`
	Next    fleet.Instant        `json:"next,omitempty"`   // no try before then
	Parked  bool                 `json:"parked,omitempty"` // no try before a person or a change says so
}

// EvidenceSeen says: this was seen of steps of a cluster.
type EvidenceSeen struct {
	Cluster string               `json:"cluster"`
	Seen    []fleet.StepEvidence `json:"seen"`
}

func (BlueprintAdded) Kind() string    { return "blueprint.added" }    // Kind is the event's stable name.
func (ClusterPlanned) Kind() string    { return "cluster.planned" }    // Kind is the event's stable name.
func (ClusterReplanned) Kind() string  { return "cluster.replanned" }  // Kind is the event's stable name.
func (ClusterCheckedIn) Kind() string  { return "cluster.checked-in" } // Kind is the event's stable name.
func (ClusterTouched) Kind() string    { return "cluster.touched" }    // Kind is the event's stable name.
func (LifeTurned) Kind() string        { return "cluster.turned" }     // Kind is the event's stable name.
func (ConditionChanged) Kind() string  { return "condition.changed" }  // Kind is the event's stable name.
func (CoresReserved) Kind() string     { return "cores.reserved" }     // Kind is the event's stable name.
func (CoresReleased) Kind() string     { return "cores.released" }     // Kind is the event's stable name.
func (CloudCounted) Kind() string      { return "cloud.counted" }      // Kind is the event's stable name.
func (OutsideConfirmed) Kind() string  { return "outside.confirmed" }  // Kind is the event's stable name.
func (OperationIntended) Kind() string { return "operation.intended" } // Kind is the event's stable name.
func (OperationReported) Kind() string { return "operation.reported" } // Kind is the event's stable name.
func (EvidenceSeen) Kind() string      { return "evidence.seen" }      // Kind is the event's stable name.
