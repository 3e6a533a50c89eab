package main

import (
	"context"

	"github.com/muster-fleet/muster/internal/api"
	"github.com/muster-fleet/muster/internal/core"
	"github.com/muster-fleet/muster/internal/engine"
)

// decider is the engine as the API asks for it.
type decider struct{ *engine.Engine }

func (d decider) Do(ctx context.Context, r core.Request) (api.Result, error) {
	res, err := d.Engine.Do(ctx, r)
	return api.Result(res), err
}

func (d decider) DryRun(ctx context.Context, r core.Request) (api.Result, error) {
	res, err := d.Engine.DryRun(ctx, r)
	return api.Result(res), err
}
