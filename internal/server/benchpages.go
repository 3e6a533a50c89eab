package server

import (
	"context"
	"net/http"

	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/faces/metrics"
	"github.com/muster-fleet/muster/internal/faces/web"
	"github.com/muster-fleet/muster/internal/run/engine"
)

// pages are the pages over an engine, as `muster up` has them.
func pages(e *engine.Engine) (http.Handler, func(context.Context) error, error) {
	s, err := api.New(api.Options{Engine: decider{e, metrics.New(e.Read)}, Version: version()})
	if err != nil {
		return nil, nil, err
	}
	w := web.New(web.Options{API: s.Handler(), Watch: e.Watch, Last: e.Durable, Version: version()})
	live := func(ctx context.Context) error {
		defer spareThread()()
		return w.Run(ctx)
	}
	return w, live, nil
}
