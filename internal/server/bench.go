package server

import (
	"context"
	"net/http"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/faces/metrics"
	"github.com/muster-fleet/muster/internal/faces/web"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/prove/bench"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/gate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// remote serves an engine over the API on a free port of this machine.
func remote(e *engine.Engine) (bench.Server, error) {
	s, err := api.New(api.Options{Engine: decider{e, metrics.New(e.Read)}, Version: version()})
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(context.Background())
	l, err := api.Listen(ctx, "127.0.0.1:0", false)
	if err != nil {
		end()
		return nil, err
	}
	r := &served{address: l.Addr().String(), end: end, done: make(chan error, 1)}
	go func() { r.done <- s.Serve(ctx, l) }()
	return r, nil
}

// served is an engine that can be reached.
type served struct {
	address string
	end     context.CancelFunc
	done    chan error
}

// Dial is one more client.
func (s *served) Dial() bench.Caller {
	return caller{client.New(client.Options{Address: s.address})}
}

// Close ends the server.
func (s *served) Close() error {
	s.end()
	return <-s.done
}

// caller gives a bench's commands over the API.
type caller struct{ *client.Client }

// Submit submits a workload.
func (c caller) Submit(ctx context.Context, s fleet.Spec) error {
	_, err := c.Workloads.Submit(ctx, &musterv1.SubmitRequest{Spec: wire.Spec(s)})
	return err
}

// Cancel takes a workload back.
func (c caller) Cancel(ctx context.Context, namespace, name string) error {
	_, err := c.Workloads.Cancel(ctx, &musterv1.CancelRequest{Namespace: namespace, Name: name})
	return err
}

// reader is who asks for pages in a bench: there is no connection that would say whose it is.
type reader struct{}

// Identify lets every request in.
func (reader) Identify(*http.Request) (api.Identity, error) {
	return api.Identity{User: "bench", Operator: true}, nil
}

// Find knows no other user.
func (reader) Find(string) (who api.Identity, ok bool) { return who, false }

// pages are the pages over an engine, as `muster up` has them.
func pages(e *engine.Engine) (http.Handler, func(context.Context) error, error) {
	s, err := api.New(api.Options{Engine: decider{e, metrics.New(e.Read)}, Auth: reader{}, Version: version()})
	if err != nil {
		return nil, nil, err
	}
	w := web.New(web.Options{API: s.Handler(), Watch: e.Watch, Last: e.Durable, Version: version()})
	live := func(ctx context.Context) error {
		defer gate.SpareThreads()()
		return w.Run(ctx)
	}
	return w, live, nil
}
