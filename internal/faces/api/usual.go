package api

import (
	"context"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/run/gate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// usualEngine is an engine that is read as usual by calls that give way to others (gate.Aside), too. Who reads holds a
// lock, and all others would wait until such a call has had a processor.
type usualEngine struct{ Engine }

// Read is part of Engine.
func (e usualEngine) Read(fn func(*fleet.State)) { gate.Usual(func() { e.Engine.Read(fn) }) }

// Look is part of Engine. A call that gives way looks where those look who take long: what is brought up to date waits for
// all who look, and all who come then wait for it.
func (e usualEngine) Look(fn func(*fleet.State)) { e.look(e.Engine.Look, fn) }

// Study is part of Engine.
func (e usualEngine) Study(fn func(*fleet.State)) { e.look(e.Engine.Study, fn) }

func (e usualEngine) look(by func(func(*fleet.State)), fn func(*fleet.State)) {
	if gate.GivesWay() {
		by = e.Ponder
	}
	gate.Usual(func() { by(fn) })
}

// LookBack is part of Engine.
func (e usualEngine) LookBack(ctx context.Context, at fleet.Instant, fn func(*fleet.State)) (err error) {
	gate.Usual(func() { err = e.Engine.LookBack(ctx, at, fn) })
	return err
}

// usualPast is the same of what was gathered of the past.
type usualPast struct{ Past }

// Read is part of Past.
func (p usualPast) Read(ctx context.Context, seq uint64, fn func(*past.Book)) (err error) {
	gate.Usual(func() { err = p.Past.Read(ctx, seq, fn) })
	return err
}
