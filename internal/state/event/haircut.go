package event

import "github.com/muster-fleet/muster/internal/state/fleet"

// HaircutPlanned says: a haircut was planned and saved. It carries the whole plan.
type HaircutPlanned struct {
	Haircut fleet.Haircut `json:"haircut"`
}

// HaircutReviewed says: a person has looked at a haircut and agrees.
type HaircutReviewed struct {
	Haircut string `json:"haircut"`
	By      string `json:"by"`
}

// HaircutTold says: the people whom the waves over these clusters concern were told. They are the
// owners of the quotas that are cut or whose work is touched, in order of name.
type HaircutTold struct {
	Haircut  string   `json:"haircut"`
	Clusters []string `json:"clusters"`
	People   []string `json:"people,omitempty"`
	By       string   `json:"by"`
}

// HaircutApplied says: the wave of a class over a cluster is in force. The grants
// that it changed follow as events of their own in the same record. Backing is
// what backed the quotas of its partitions just before. No class: the plan has
// one wave for each cluster.
type HaircutApplied struct {
	Haircut string                `json:"haircut"`
	Cluster string                `json:"cluster"`
	Class   fleet.CutClass        `json:"class,omitempty"`
	Backing []fleet.PartitionBack `json:"backing,omitempty"`
}

// HaircutUndone says: the wave of a class over a cluster is in force no more; its
// grants follow as they were before it.
type HaircutUndone struct {
	Haircut string         `json:"haircut"`
	Cluster string         `json:"cluster"`
	Class   fleet.CutClass `json:"class,omitempty"`
}

// HaircutDeleted says: a saved haircut of which no wave was in force is gone.
type HaircutDeleted struct {
	Haircut string `json:"haircut"`
}

func (HaircutDeleted) Kind() string  { return "haircut.deleted" }  // Kind is the event's stable name.
func (HaircutPlanned) Kind() string  { return "haircut.planned" }  // Kind is the event's stable name.
func (HaircutReviewed) Kind() string { return "haircut.reviewed" } // Kind is the event's stable name.
func (HaircutTold) Kind() string     { return "haircut.told" }     // Kind is the event's stable name.
func (HaircutApplied) Kind() string  { return "haircut.applied" }  // Kind is the event's stable name.
func (HaircutUndone) Kind() string   { return "haircut.undone" }   // Kind is the event's stable name.
