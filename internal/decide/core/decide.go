package core

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Decide says what a command means for the state: the events it leads to by
// itself, or a refusal. It changes nothing. Promise and placement react to the
// events in Step.
func Decide(s *fleet.State, r Request, now fleet.Instant) ([]event.Event, *Refusal) {
	command, refusal := called(s, r)
	if refusal != nil {
		return nil, refusal
	}
	r.Command = command
	switch c := r.Command.(type) {
	case Tick:
		return nil, nil
	case Batch:
		return decideBatch(s, r, c, now)
	case Submit:
		return submit(s, c)
	case Cancel:
		return cancel(s, r, c)
	case Retarget:
		return retarget(s, r, c, now)
	case Prioritise:
		return prioritise(s, r, c)
	}
	if events, refusal, known := decideResize(s, r, now); known {
		return events, refusal
	}
	if events, refusal, known := decideRequest(s, r, now); known {
		return events, refusal
	}
	if !r.Actor.Operator {
		return nil, refuse(AccessDenied, "only operators may do this; %s is none", r.Actor.Name)
	}
	if events, refusal, known := decideObserve(s, r.Command); known {
		return events, refusal
	}
	if events, refusal, known := decideAdopt(s, r.Command); known {
		return events, refusal
	}
	if events, refusal, known := decideMetal(s, r.Command); known {
		return events, refusal
	}
	if events, refusal, known := decideHealth(s, r, now); known {
		return events, refusal
	}
	if events, refusal, known := decideQuota(s, r, now); known {
		return events, refusal
	}
	if events, refusal, known := decideHaircut(s, r, now); known {
		return events, refusal
	}
	if events, refusal, known := decideSubscription(s, r, now); known {
		return events, refusal
	}
	if events, known := decideReport(s, r.Command); known {
		return events, nil
	}
	panic(fmt.Sprintf("core: nobody decides %T", r.Command))
}

// decideBatch decides several commands, each on the state that those before it
// leave behind; one refusal refuses them all.
func decideBatch(s *fleet.State, r Request, b Batch, now fleet.Instant) ([]event.Event, *Refusal) {
	if len(b.Commands) == 1 {
		r.Command = b.Commands[0]
		return Decide(s, r, now)
	}
	c := s.Clone()
	var all []event.Event
	for i, command := range b.Commands {
		r.Command = command
		events, refusal := Decide(c, r, now)
		if refusal != nil {
			refusal.Message = fmt.Sprintf("command %d of %d: %s", i+1, len(b.Commands), refusal.Message)
			return nil, refusal
		}
		for _, e := range events {
			apply(c, e, now)
		}
		all = append(all, events...)
	}
	return all, nil
}

func one(e event.Event) ([]event.Event, *Refusal) { return []event.Event{e}, nil }
