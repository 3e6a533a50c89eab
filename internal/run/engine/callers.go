package engine

import (
	"slices"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Peek shows fn who may call: roles that are bound, tokens, and sign-ins that were ended. It shows the
// policy, too, and nothing else of the state. The last decision counts, though it may not be durable yet. Neither a
// decision, nor a reader, nor the disk delays it: all calls begin with it.
func (e *Engine) Peek(fn func(*fleet.State)) { fn(e.callers.Load()) }

// noteCallers takes note of a record that changes who may call, or the policy. The state has it already.
func (e *Engine) noteCallers(r event.Record) {
	if slices.ContainsFunc(r.Events, core.ChangesCallers) {
		e.callers.Store(e.state.Callers())
	}
}
