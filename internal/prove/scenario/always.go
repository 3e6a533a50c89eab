package scenario

import (
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file asks at every moment what must always hold, whatever the story expects.

// check notes what is not sound in the state after a record.
func (w *world) check(r event.Record, s *fleet.State) func() {
	if err := view.Check(s); err != nil {
		w.note(err.Error())
	}
	for _, b := range append(invariant.Check(s), invariant.CheckEvictions(s, evictions(r))...) {
		w.note(b.String())
	}
	if w.watch != nil {
		w.watch(r, s)
	}
	return nil
}

// note keeps what is wrong, once: what is broken usually stays so.
func (w *world) note(wrong string) {
	for _, known := range w.wrong {
		if known == wrong {
			return
		}
	}
	w.wrong = append(w.wrong, wrong)
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

// idle says whether deciding again changes nothing, as it must.
func (w *world) idle() (idle bool) {
	w.engine.Read(func(s *fleet.State) { idle = core.Idle(s, w.now) })
	return idle
}

// checkAlways reports what was not sound up to a step.
func (t *telling) checkAlways(s Step) {
	for _, wrong := range t.world.wrong {
		t.fail(s.Line, "what always holds", "no violation", wrong)
	}
	t.world.wrong = nil
	t.world.engine.Read(func(state *fleet.State) {
		for _, wrong := range t.world.stage.Wrong(state) {
			t.fail(s.Line, "the cluster", "as the state says", wrong)
		}
	})
	if !t.world.idle() {
		t.fail(s.Line, "what always holds", "that deciding again changes nothing", "a change")
	}
}
