package core

import (
	"github.com/muster-fleet/muster/internal/decide/haircut"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Commands about haircuts.
type (
	// PlanHaircut makes a plan from the state as it is, tries it, and saves it.
	PlanHaircut struct {
		Name      string // "": one is made up
		Ask       haircut.Ask
		Effective fleet.Instant // the day from which waves take effect, as people are told; 0: none is named
	}
	// ReviewHaircut says that a person has looked at a plan and agrees.
	ReviewHaircut struct{ Name string }
	// TellHaircut says that the people whom a wave concerns were told.
	TellHaircut struct{ Name, Cluster string } // Cluster "": all waves
	// ApplyHaircut applies one wave of a plan: the next in order, or the next over
	// one cluster, or that of a class over a cluster.
	ApplyHaircut struct {
		Name, Cluster string         // Cluster "": any
		Class         fleet.CutClass // "": the next
		Early         bool           `json:",omitempty"` // before the day that people were told, with a reason
	}
	// UndoHaircut gives back what one wave cut.
	UndoHaircut struct {
		Name, Cluster string // Cluster "": the last that was applied
		Overcommit    bool   `json:",omitempty"` // though its room was granted or held since, with a reason
	}
	// DeleteHaircut forgets a plan of which no wave is in force.
	DeleteHaircut struct{ Name string }
)

func (PlanHaircut) command()   {}
func (ReviewHaircut) command() {}
func (TellHaircut) command()   {}
func (ApplyHaircut) command()  {}
func (UndoHaircut) command()   {}
func (DeleteHaircut) command() {}
