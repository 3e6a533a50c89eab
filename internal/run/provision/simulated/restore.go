package simulated

import (
	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Grant gives an account a limit of a meter that it does not have yet.
func (w *World) Grant(subscription, region, meter string, limit int) {
	w.mu.Lock()
	_, has := w.accounts[subscription+"/"+region][meter]
	w.mu.Unlock()
	if !has {
		w.SetCloud(subscription, region, fleet.CloudCount{Meter: meter, Limit: limit})
	}
}

// Restore brings back what a world of this cluster knew that ended with its process:
// operations that are under way take the rest of their time, and scale sets stand.
func (w *World) Restore(l *fleet.Life, b *fleet.Blueprint) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range l.Steps {
		op := s.Operation
		if w.operations[op.ID] != nil || op.Started == 0 || op.State == fleet.OperationFailed {
			continue
		}
		o := provision.Order{ID: op.ID, Step: s.Step, Generation: op.Generation, Attempt: op.Attempt, Record: l.Record, Blueprint: *b}
		is := &operation{order: o, ends: op.Started.Add(b.Takes[s.Step])}
		w.operations[op.ID] = is
		if op.State == fleet.OperationSucceeded {
			w.apply(is)
		}
	}
}
