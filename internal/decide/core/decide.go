package core

import (
	"fmt"
	"reflect"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Decide says what a command means for the state: the events it leads to by
// itself, or a refusal. It changes nothing. What reacts to the
// events does so in Step (settle.go).
func Decide(s *fleet.State, r Request, now fleet.Instant) ([]event.Event, *Refusal) {
	command, refusal := withFullNames(s, &r)
	if refusal != nil {
		return nil, refusal
	}
	r.Command = command
	row, known := table[reflect.TypeOf(command)]
	if !known {
		panic(fmt.Sprintf("core: %T has no row in the table of commands", command))
	}
	r.Actor = r.Actor.resolved(s, now)
	if refusal := permitted(s, &r, row.action); refusal != nil {
		return nil, refusal
	}
	if refusal := alonePerson(s, &r); refusal != nil {
		return nil, refusal
	}
	return row.decide(s, r, now)
}

func one(e event.Event) ([]event.Event, *Refusal) { return []event.Event{e}, nil }
