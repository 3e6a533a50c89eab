package core

import (
	"github.com/muster-fleet/muster/internal/decide/buildout"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// KeptLedger is the ledger of a cloud account as a decision reads it.
func KeptLedger(s *fleet.State, account string, now fleet.Instant) buildout.Ledger {
	return *(&turn{s: s, now: now}).ledger(account)
}

// Apply lets an event happen.
func Apply(s *fleet.State, e event.Event, at fleet.Instant) { apply(s, e, at) }
