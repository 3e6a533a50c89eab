package simulated

import (
	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A world is kept in memory, and ends with its process. Muster's state outlives it: this file
// makes a new world from it, as the old one was.

// Grant gives an account a limit of a meter. A limit that it has already stays.
func (w *World) Grant(subscription, region, meter string, limit int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	account := subscription + "/" + region
	if _, has := w.accounts[account][meter]; !has {
		w.setCloud(account, fleet.CloudCount{Meter: meter, Limit: limit})
	}
}

// Restore brings back the operations of one cluster: those that are under way take the rest of
// their time, and what those that succeeded have made stands.
func (w *World) Restore(l *fleet.Life, b *fleet.Blueprint) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range l.Steps {
		if w.lacks(s.Operation) {
			w.restore(orderOf(l, b, s), s.Operation)
		}
	}
}

// lacks says whether an operation was begun by an earlier world and matters to this one. An
// operation that failed made nothing, and the next attempt has an ID of its own.
func (w *World) lacks(op fleet.Operation) bool {
	return w.operations[op.ID] == nil && op.Started != 0 && op.State != fleet.OperationFailed
}

// orderOf is the order by which a step's operation was begun.
func orderOf(l *fleet.Life, b *fleet.Blueprint, s fleet.StepState) provision.Order {
	op := s.Operation
	return provision.Order{ID: op.ID, Step: s.Step, Generation: op.Generation, Attempt: op.Attempt, Record: l.Record, Blueprint: *b}
}

// restore takes an operation up where the earlier world left it.
func (w *World) restore(o provision.Order, was fleet.Operation) {
	op := &operation{order: o, ends: was.Started.Add(o.Blueprint.Takes[o.Step])}
	w.operations[o.ID] = op
	if was.State == fleet.OperationSucceeded {
		w.apply(op)
	}
}
