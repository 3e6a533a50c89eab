package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/demo"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/server/datafolder"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// reconcilers are those of a server for Kubernetes clusters, a singleCluster or a multiCluster: each cluster is brought to
// what the state says.
type reconcilers interface {
	Run(ctx context.Context) error // until ctx ends
	Wake(cluster string)           // a record names a workload that stands there, or stood there
	// Listen takes connections of agents until ctx ends. Where no agent connects to this
	// server, it returns at once.
	Listen(ctx context.Context) error
	// Said is what the clusters themselves say of a workload.
	Said(namespace, name, target string) []string
	// WatchedOnly says how a cluster was joined that is watched only; "": it is not.
	WatchedOnly(cluster string) string
	// Invite says what there is, and what to do next.
	Invite(nodes, live int)
}

// backend is what carries decisions out: reconcilers, or a driver, of which the
// simulated one is the only one yet. Under a demo that one also has people who use it.
type backend struct {
	log         *slog.Logger
	reconcilers reconcilers   // nil: a driver carries decisions out
	driver      driver.Pumped // nil: reconcilers do
	demo        *demo.Cluster
	seed        uint64
	crowd       *demo.Crowd
}

// newBackend is what carries this server's decisions out.
func (s *server) newBackend() (*backend, error) {
	return backendKindOf(s.upOptions, backendKinds()).make(s)
}

func newSimulated(mark *datafolder.Demo, log *slog.Logger) *backend {
	b := &backend{log: log}
	if mark == nil {
		b.driver = simulated.New(simulated.Options{Delays: simulated.RealisticDelays()})
	} else {
		b.seed, b.demo = mark.Seed, demo.NewCluster(mark.Seed)
		b.driver = b.demo
	}
	return b
}

// options let the engine tell the backend what was decided.
func (b *backend) options(o engine.Options) engine.Options {
	if b.reconcilers != nil {
		o.Wake = b.reconcilers.Wake
	} else {
		o.Driver = b.driver
	}
	return o
}

// start wakes the demo's people.
func (b *backend) start(ctx context.Context, e *engine.Engine) error {
	if b.demo == nil {
		return nil
	}
	now := wallClock{}.Now()
	e.Read(func(s *fleet.State) { b.demo.Watch(max(now, s.Time), s) })
	b.crowd = demo.NewCrowd(e, b.seed, now)
	return b.crowd.Wake(ctx, now, does(e))
}

// does lets an engine carry requests out. While the journal cannot be reached, it waits.
func does(e *engine.Engine) func(context.Context, core.Request) error {
	return func(ctx context.Context, r core.Request) error {
		_, err := patiently(ctx, func() (engine.Result, error) { return e.Do(ctx, r) })
		return err
	}
}

// patiently does something again until the journal can be reached. What a cluster reports
// twice is refused the second time, as it is so already.
func patiently(ctx context.Context, do func() (engine.Result, error)) (engine.Result, error) {
	for {
		res, err := do()
		var away *engine.AwayError
		if !errors.As(err, &away) {
			return res, err
		}
		select {
		case <-ctx.Done():
			return res, err
		case <-time.After(max(0, time.Until(away.Next))):
		}
	}
}

// live takes what clusters report to the engine, and lets the demo's people
// live, until ctx ends.
func (b *backend) live(ctx context.Context, e *engine.Engine, line *statusLine) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var parts sync.WaitGroup
	do := does(e)
	parts.Go(func() {
		if b.reconcilers != nil {
			stop(b.reconcilers.Run(ctx))
			return
		}
		stop(b.driver.Pump(ctx, wallClock{}, func(r driver.Report) error { return b.report(ctx, do, r) }))
	})
	if b.crowd != nil {
		parts.Go(func() {
			if err := b.crowd.Run(ctx, wallClock{}.Now, do); err != nil {
				stop(err)
			}
		})
		parts.Go(func() { summaries(ctx, e, line) })
	}
	parts.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// report takes one report to the engine. What the engine refuses to believe is
// logged, and the rest goes on.
func (b *backend) report(ctx context.Context, do func(context.Context, core.Request) error, r driver.Report) error {
	request := engine.RequestOf(r)
	if b.demo != nil {
		request = b.demo.Request(r)
	}
	err := do(ctx, request)
	var no *core.Refusal
	if errors.As(err, &no) {
		b.log.Warn("a report of the cluster was refused", "why", no.Error())
		return nil
	}
	return err
}

func demoFleet() (fleetfile.File, error) { return demo.Fleet() }

// build makes a new fleet of a file, in one step.
func (s *server) build(ctx context.Context, file fleetfile.File, reason string) error {
	commands := fleetfile.Commands(file)
	if len(commands) == 0 {
		return nil
	}
	_, err := s.engine.Do(ctx, core.Request{Command: core.Batch{Commands: commands}, Actor: core.System, Reason: reason})
	if err != nil {
		return blame(fmt.Errorf("%s: %w", reason, err))
	}
	return nil
}
