package core

import (
	"fmt"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ApplyRecord puts a record into the state. It decides nothing: a record that was
// written can always be applied, to the state it was written for.
func ApplyRecord(s *fleet.State, r event.Record) {
	s.Seq, s.Time = r.Seq-1, max(s.Time, r.At) // so s.Number() is r.Seq while the events are applied, as it was when they were decided
	for _, e := range r.Events {
		apply(s, e, r.At)
	}
	s.KeepHighs(r.At)
	s.Seq = r.Seq
	if r.Key != "" {
		s.Remember(fleet.KeyUse{Key: r.Key, Fingerprint: r.Fingerprint, Seq: r.Seq, At: r.At})
	}
}

func apply(s *fleet.State, e event.Event, at fleet.Instant) {
	if applyMetal(s, e, at) || applyPeople(s, e, at) || applyAccess(s, e, at) || applyHaircut(s, e, at) || applyWork(s, e, at) || applyMaintenance(s, e, at) || applyBuildout(s, e, at) {
		return
	}
	panic(fmt.Sprintf("core: no rule applies %q", e.Kind())) // the registry and this file have parted
}
