package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/faces/metrics"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/notify"
)

// decider is the engine as the API asks for it. What it answers is counted.
type decider struct {
	*engine.Engine
	metrics *metrics.Metrics
}

func (d decider) Do(ctx context.Context, r core.Request) (api.Result, error) {
	began := time.Now()
	res, err := d.Engine.Do(ctx, r)
	d.metrics.Answered(outcome(res, err), time.Since(began))
	if errors.Is(err, engine.ErrFollows) || errors.Is(err, engine.ErrClosed) { // it was asked while that changed
		err = fmt.Errorf("%w: %w", journal.ErrDeposed, err)
	}
	return api.Result(res), err
}

// notifier is the notifier as the API asks for it.
type notifier struct{ *notify.Notifier }

func (n notifier) Status(name string) (api.Deliveries, bool) {
	st, ok := n.Notifier.Status(name)
	return api.Deliveries(st), ok
}

func outcome(res engine.Result, err error) metrics.Outcome {
	var refusal *core.Refusal
	switch {
	case errors.As(err, &refusal):
		return metrics.Refused
	case err != nil:
		return metrics.Failed
	case res.Repeat:
		return metrics.Repeated
	}
	return metrics.Accepted
}

func (d decider) DryRun(ctx context.Context, r core.Request) (api.Result, error) {
	res, err := d.Engine.DryRun(ctx, r)
	return api.Result(res), err
}
