package server

import (
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// checkInvariants asks what must always hold of the state right after a record. It trusts
// the state's indexes, so that a server can afford it now and then.
func checkInvariants(s *fleet.State, r event.Record) []engine.Violation {
	ids := make([]string, len(s.Partitions))
	for i, p := range s.Partitions {
		ids[i] = p.ID
	}
	var found []engine.Violation
	for _, b := range invariant.After(s, ids, evictions(r)) {
		found = append(found, engine.Violation{Partition: b.Partition, Rule: b.Rule, Detail: b.Detail})
	}
	return found
}

func evictions(r event.Record) []invariant.Eviction {
	var list []invariant.Eviction
	for _, e := range r.Events {
		if e, ok := e.(event.ReplicasEvicted); ok {
			list = append(list, invariant.Eviction{Victim: e.ID, Owner: e.For, Whole: e.Whole, Spots: e.Spots})
		}
	}
	return list
}
