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
	holds      []uint64       // of the quota that about names, in force and over
	subject    *words.Subject // what about means; nil where it is ""
}

// mean finds out what about means in a state.
func (c *choice) mean(s *fleet.State) {
	c.subject = words.NewSubject(c.about, s)
	for _, id := range c.holds {
		c.subject.Holds(id)
	}
}

// choose is the record with the events that are wanted.
func (c choice) choose(r event.Record) event.Record {
	if !strings.Contains(r.Actor, c.who) {
		r.Events = nil
	}
	if c.about == "" {
		return r
	}
	r.Events = c.subject.Of(r)
	return r
}
