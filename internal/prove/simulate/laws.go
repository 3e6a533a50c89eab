package simulate

import (
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// laws checks what must always hold (semantics §10). After each record it is shown it
// checks the laws of every partition. Now and then it checks what costs as much as the whole
// state: every index against a recount, and that deciding again changes nothing.
type laws struct {
	seen int
	took time.Duration
}

// deep is after how many records the whole state is asked.
const deep = 1000

func (l *laws) check(s *fleet.State, r event.Record) []engine.Violation {
	began := time.Now()
	defer func() { l.took += time.Since(began) }()
	l.seen++
	found := invariant.After(s, partitions(s), evictions(r))
	if l.seen%deep == 0 {
		found = append(found, invariant.Recount(s)...)
		if !core.Idle(s, r.At) {
			found = append(found, invariant.Broken{Rule: "deciding again changes nothing", Detail: "it does after " + s.String()})
		}
	}
	return violations(found)
}

func partitions(s *fleet.State) []string {
	ids := make([]string, len(s.Partitions))
	for i, p := range s.Partitions {
		ids[i] = p.ID
	}
	return ids
}

func evictions(r event.Record) []invariant.Eviction {
	var list []invariant.Eviction
	for _, e := range r.Events {
		if e, ok := e.(event.ReplicasEvicted); ok {
			list = append(list, invariant.Eviction{Victim: e.ID, Owner: e.For, Spots: e.Spots})
		}
	}
	return list
}

func violations(found []invariant.Broken) []engine.Violation {
	var list []engine.Violation
	for _, b := range found {
		list = append(list, engine.Violation{Partition: b.Partition, Rule: b.Rule, Detail: b.Detail})
	}
	return list
}
