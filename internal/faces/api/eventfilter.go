package api

import (
	"strings"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// choice is which records a question is for.
type choice struct {
	since      fleet.Instant
	who, about string         // "": any
	subject    *words.Subject // what about means; nil where it is ""
}

// choose is the record with the events that are wanted.
func (c choice) choose(r event.Record) event.Record {
	if !strings.Contains(r.Actor, c.who) {
		r.Events = nil
	}
	if c.about == "" {
		return r
	}
	var kept []event.Event
	for _, e := range r.Events {
		if c.subject.In(e) {
			kept = append(kept, e)
		}
	}
	r.Events = kept
	return r
}
