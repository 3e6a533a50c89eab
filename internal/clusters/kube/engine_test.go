package kube

import (
	"context"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// testEngine is a real engine by the interface that this package uses.
type testEngine struct{ *engine.Engine }

func (e testEngine) Do(ctx context.Context, r core.Request) ([]*core.Refusal, error) {
	is, err := e.Engine.Do(ctx, r)
	return is.Refused, err
}

func (e testEngine) Read(look func(*fleet.State)) { e.Engine.Read(look) }
