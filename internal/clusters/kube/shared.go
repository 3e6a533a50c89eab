package kube

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/dcgm"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Engine is what decides, and keeps the state.
type Engine interface {
	// Do has a request done. Of a batch in which each command stands for itself, left says
	// by position why a command was left out. The error may be a *core.Refusal.
	Do(ctx context.Context, r core.Request) (left []*core.Refusal, err error)
	// Read shows the state between two commands.
	Read(look func(*fleet.State))
	// Study shows a copy of the state that may be a moment old. The planner may be asked
	// about it for as long as it takes: no decision waits for that.
	Study(look func(*fleet.State))
}

// Options say how a cluster is joined.
type Options struct {
	Translate translate.Options
	Mode      fleet.Mode // of a cluster that is not known yet
	// Quotas says that the cluster's own quotas are taken over where Muster does not
	// act: ResourceQuotas and Kueue's queues.
	Quotas bool
	// Kueue says that quota is written to Kueue's queues; see kueuecontroller.go.
	Kueue bool
	// ByList says that people sign in at the server: a quota without an access list is closed to pods.
	ByList bool
	// FenceAfter is how long a node must be silent, and a pod of Muster's be leaving it,
	// until the node is fenced: see outofservice.go. 0: never.
	FenceAfter time.Duration
	// Usage says what GPUs do; nil: that is not measured.
	Usage *dcgm.Client
	Log   *slog.Logger         // nil: nothing is logged
	Now   func() fleet.Instant // nil: the machine's clock
	// Created is when a pod was created, by Now's clock; nil: as the pod says.
	Created func(translate.Pod) fleet.Instant
	// NewFleet says that a fleet begins anew: work that another fleet has started here is
	// stopped where this one does not want it, and not taken for a sign that the journal is lost.
	NewFleet bool
	// Quiet says that pods are not told where they stand.
	Quiet bool
}

// workloadKey is a workload's namespace and name.
type workloadKey = [2]string

// shared is what the controllers of a cluster use in common.
type shared struct {
	Options
	client  *Client
	engine  Engine
	watch   *Watch
	logged  logOnce
	refused map[workloadKey]string // workloads that Muster did not take, and why
	waited  time.Duration          // for the API server, in this round
}

func newShared(c *Client, e Engine, o Options) *shared {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = func() fleet.Instant { return fleet.InstantOf(time.Now()) }
	}
	s := &shared{Options: o, client: c, engine: e, refused: map[workloadKey]string{}}
	s.watch = NewWatch(&s.Translate)
	return s
}

// acts says whether Muster decides what runs on the cluster.
func (c *shared) acts() (acts bool) {
	c.engine.Read(func(s *fleet.State) {
		mode := c.Mode
		if is := s.Cluster(c.Translate.Cluster); is != nil {
			mode = is.Mode
		}
		acts = mode == fleet.Enforce
	})
	return acts
}

// do has commands done, many in one record. A command that is refused holds up no other.
func (c *shared) do(ctx context.Context, commands []core.Command) error {
	for batch := range slices.Chunk(commands, batchSize) {
		left, err := c.request(ctx, core.Batch{Commands: batch, Each: true})
		if no := (*core.Refusal)(nil); errors.As(err, &no) {
			left, err = c.oneByOne(ctx, batch)
		}
		if err != nil {
			return err
		}
		for i, no := range left {
			c.noteRefusal(batch[i], no)
		}
	}
	return nil
}

// oneByOne has each command done by itself, after a batch of them was refused as a whole:
// one of them met a mistake of Muster's, and the others are not to blame.
func (c *shared) oneByOne(ctx context.Context, batch []core.Command) (left []*core.Refusal, err error) {
	left = make([]*core.Refusal, len(batch))
	for i, command := range batch {
		if _, err := c.request(ctx, command); err != nil && !errors.As(err, &left[i]) {
			return nil, err
		}
	}
	return left, nil
}

// noteRefusal keeps why a workload was refused, and logs refusals that are new; nil:
// the command was done.
func (c *shared) noteRefusal(command core.Command, no *core.Refusal) {
	submit, ok := command.(core.Submit)
	key := workloadKey{submit.Spec.Namespace, submit.Spec.Name}
	switch {
	case no == nil:
		delete(c.refused, key)
	case !ok:
		c.Log.Warn("what the cluster shows was refused", "cluster", c.Translate.Cluster, "why", no.Error())
	case c.refused[key] != no.Error():
		c.refused[key] = no.Error()
		c.Log.Warn("a workload was refused", "cluster", c.Translate.Cluster, "workload", key[0]+"/"+key[1], "why", no.Error())
	}
}

// actor is who speaks for the pods of the cluster.
func (c *shared) actor() core.Actor {
	is := core.Reporter
	is.ByList = c.ByList
	return is
}

func (c *shared) request(ctx context.Context, command core.Command) (left []*core.Refusal, err error) {
	left, err = c.engine.Do(ctx, core.Request{Command: command, Actor: c.actor(), Reason: "as cluster " + c.Translate.Cluster + " shows it"})
	if err != nil && ctx.Err() != nil {
		return nil, nil //nolint:nilerr // it was told to stop: what that broke is not logged
	}
	return left, err
}

// silence is how long the API server may be silent until the cluster's reports count as
// stopped.
func (c *shared) silence() (d time.Duration) {
	c.engine.Read(func(s *fleet.State) { d = s.Policy.Silence() })
	return d
}

// writers is how many calls that change objects are made at a time.
const writers = 32

// atOnce makes calls, several at a time.
func (c *shared) atOnce(ctx context.Context, calls []func() error) {
	began := time.Now()
	defer func() { c.waited += time.Since(began) }()
	todo := make(chan func() error)
	var all sync.WaitGroup
	var lock sync.Mutex
	var failed []error
	for range min(writers, len(calls)) {
		all.Go(func() {
			for call := range todo {
				if err := call(); err != nil && ctx.Err() == nil {
					lock.Lock()
					failed = append(failed, err)
					lock.Unlock()
				}
			}
		})
	}
	for _, call := range calls {
		todo <- call
	}
	close(todo)
	all.Wait()
	c.logFailed(failed)
}

// logFailed logs calls that failed. They are made again in every round: one that fails
// again as before is logged seldom, and of many that fail together the first.
func (c *shared) logFailed(failed []error) {
	if len(failed) == 0 {
		return
	}
	slices.SortFunc(failed, func(x, y error) int { return cmp.Compare(x.Error(), y.Error()) })
	if c.logged.seldom(cause(failed[0])) {
		c.Log.Warn("it could not be carried out, and is tried again", "cluster", c.Translate.Cluster, "why", failed[0], "and so many more", len(failed)-1)
	}
}
