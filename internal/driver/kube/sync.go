package kube

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/core"
	"github.com/muster-fleet/muster/internal/driver"
	"github.com/muster-fleet/muster/internal/driver/kube/translate"
	"github.com/muster-fleet/muster/internal/fleet"
)

// Engine is what decides, and keeps the state.
type Engine interface {
	Do(ctx context.Context, r core.Request) error
	Read(look func(*fleet.State))
}

// Options say how a cluster is joined.
type Options struct {
	Translate translate.Options
	Mode      fleet.Mode // of a cluster that is not known yet
	// Quotas says that the cluster's own quotas are taken over: ResourceQuotas and Kueue's queues.
	Quotas bool
	// Driver is what Muster tells of its decisions, and Send takes what came of them;
	// nil: nothing is carried out.
	Driver *Driver
	Send   func(driver.Report) error
	Log    *slog.Logger // nil: nothing is logged
	Now    func() fleet.Instant
}

// Agent keeps Muster's state and a cluster in step.
type Agent struct {
	Options
	client *Client
	engine Engine
	watch  *Watch

	mu       sync.Mutex
	problems []translate.Problem
	queues   parts // what Kueue said when it was asked last
	first    chan struct{}
	once     sync.Once
}

// NewAgent is an agent that has not begun.
func NewAgent(c *Client, e Engine, o Options) *Agent {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = func() fleet.Instant { return fleet.InstantOf(time.Now()) }
	}
	a := &Agent{Options: o, client: c, engine: e, first: make(chan struct{})}
	a.watch = NewWatch(&a.Translate)
	return a
}

// How often things are done.
const (
	gap       = 300 * time.Millisecond // least time between two comparisons
	anyway    = 5 * time.Second        // compared though nothing seems to have changed
	beat      = 5 * time.Second        // the API server is asked whether it is there
	rareBeat  = 30 * time.Second       // and for objects that seldom change
	batchSize = 200                    // commands that are done at once
)

// First is closed when everything was compared once.
func (a *Agent) First() <-chan struct{} { return a.first }

// Problems lists what could not be understood in the last picture.
func (a *Agent) Problems() []translate.Problem {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.problems
}

// Run keeps both in step until ctx ends.
func (a *Agent) Run(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	all.Go(func() { a.watch.Run(ctx, a.client, a.Quotas) })
	all.Go(func() { a.pulse(ctx) })
	tick := time.NewTicker(anyway)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.watch.changed:
		case <-tick.C:
		}
		if a.watch.Synced() {
			if err := a.compare(ctx); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(gap):
		}
	}
}

// compare brings the state to what the cluster shows, step by step: each step
// sees what those before it have led to.
func (a *Agent) compare(ctx context.Context) error {
	p := picture(a.parts())
	for _, step := range a.steps() {
		var commands []core.Command
		var more []translate.Problem
		a.engine.Read(func(s *fleet.State) { commands, more = step(s, p) })
		p.Problems = append(p.Problems, more...)
		if err := a.do(ctx, commands); err != nil {
			return err
		}
	}
	p.sortProblems()
	a.tell(p.Problems)
	a.once.Do(func() { close(a.first) })
	return nil
}

type step func(*fleet.State, Picture) ([]core.Command, []translate.Problem)

func (a *Agent) steps() []step {
	cluster := a.Translate.Cluster
	steps := []step{
		func(s *fleet.State, p Picture) ([]core.Command, []translate.Problem) {
			return newMetal(s, cluster, a.Mode, p.Nodes, a.Now())
		},
		func(s *fleet.State, p Picture) ([]core.Command, []translate.Problem) {
			return nodeStates(s, cluster, p.Nodes, a.Now()), nil
		},
	}
	if a.Quotas {
		steps = append(steps, func(s *fleet.State, p Picture) ([]core.Command, []translate.Problem) {
			return grants(s, cluster, p.Quotas)
		})
	}
	return append(steps, func(s *fleet.State, p Picture) ([]core.Command, []translate.Problem) {
		return observed(s, cluster, p)
	})
}

func (a *Agent) parts() parts {
	p := a.watch.parts()
	a.mu.Lock()
	defer a.mu.Unlock()
	p.quotas, p.queues = append(p.quotas, a.queues.quotas...), a.queues.queues
	return p
}

// do has commands done, many at once. Where one is refused, those with it are
// done one by one: what is right is not held up by what is not.
func (a *Agent) do(ctx context.Context, commands []core.Command) error {
	for len(commands) > 0 {
		n := min(len(commands), batchSize)
		if err := a.request(ctx, core.Batch{Commands: commands[:n]}); err != nil {
			var no *core.Refusal
			if !errors.As(err, &no) {
				return err
			}
			for _, c := range commands[:n] {
				if err := a.request(ctx, c); errors.As(err, &no) {
					a.Log.Warn("what the cluster shows was refused", "cluster", a.Translate.Cluster, "why", no.Error())
				} else if err != nil {
					return err
				}
			}
		}
		commands = commands[n:]
	}
	return nil
}

func (a *Agent) request(ctx context.Context, c core.Command) error {
	err := a.engine.Do(ctx, core.Request{Command: c, Actor: core.Driver, Reason: "as cluster " + a.Translate.Cluster + " shows it"})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// tell logs problems that are new.
func (a *Agent) tell(problems []translate.Problem) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known := map[translate.Problem]bool{}
	for _, p := range a.problems {
		known[p] = true
	}
	const most = 20
	said := 0
	for _, p := range problems {
		if !known[p] {
			if said++; said <= most {
				a.Log.Warn("not understood, or left out", "cluster", a.Translate.Cluster, "object", p.Object, "why", p.Text)
			}
		}
	}
	if said > most {
		a.Log.Warn("and more of the like", "cluster", a.Translate.Cluster, "objects", said-most)
	}
	a.problems = problems
}
