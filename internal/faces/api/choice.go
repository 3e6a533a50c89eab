package api

import (
	"encoding/json"
	"strings"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// choice is which records somebody wants to see.
type choice struct {
	since      fleet.Instant
	who, about string // "": anybody, anything
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
		if names(e, c.about) {
			kept = append(kept, e)
		}
	}
	r.Events = kept
	return r
}

// names says whether a name stands in an event.
func names(e event.Event, name string) bool {
	data, err := json.Marshal(e)
	quoted, _ := json.Marshal(name)
	return err == nil && strings.Contains(string(data), string(quoted))
}
