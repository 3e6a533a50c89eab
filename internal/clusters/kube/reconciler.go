package kube

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/dcgm"
	"github.com/muster-fleet/muster/internal/clusters/kube/kueue"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Engine is what decides, and keeps the state.
type Engine interface {
	// Do has a request done. Of a batch in which each command stands for itself, left says
	// by position why a command was left out. The error may be a *core.Refusal.
	Do(ctx context.Context, r core.Request) (left []*core.Refusal, err error)
	Read(look func(*fleet.State))
	// Study shows a view beside the state that is decided on, a moment old at most, which
	// the planner may be asked about for as long as it takes.
	Study(look func(*fleet.State))
}

// Options say how a cluster is joined.
type Options struct {
	Translate translate.Options
	Mode      fleet.Mode // of a cluster that is not known yet
	// Quotas says that the cluster's own quotas are taken over where Muster does not
	// act: ResourceQuotas and Kueue's queues.
	Quotas bool
	// Kueue says that quota is written to Kueue's queues; see kueuemode.go.
	Kueue bool
	// FenceAfter is how long a node must be silent, and a pod of Muster's be leaving it,
	// until the node is fenced: see outofservice.go. 0: never.
	FenceAfter time.Duration
	// Usage says what GPUs do; nil: nobody measures that.
	Usage *dcgm.Client
	Log   *slog.Logger         // nil: nothing is logged
	Now   func() fleet.Instant // nil: the machine's clock
	// Created is when a pod was created, by Now's clock; nil: as the pod says.
	Created func(translate.Pod) fleet.Instant
	// Quiet says that pods are not told where they stand.
	Quiet bool
}

// Agent keeps Muster's state and a cluster in step.
type Agent struct {
	Options
	client *Client
	engine Engine
	watch  *Watch

	mu       sync.Mutex
	foreign  Foreign
	problems []translate.Problem
	queues   parts // what Kueue said when it was asked last
	kueue    *kueueWatch
	// kueueSays is what was planned for Kueue last.
	kueueSays kueue.Plan
	// work is that of the last picture, and unmeasured what is said of its usage.
	work         []translate.Work
	unmeasured   []translate.Problem
	measureEvery time.Duration
	first        chan struct{}
	once         sync.Once
	decided      chan struct{} // has room for one: something was decided for the cluster

	// Of what Muster manages. What is here is a memory only: a new agent does without.
	sent        map[string]sent             // pods that were let start, by UID, before the watch shows it
	toldLeaving map[string]string           // what pods were told that leave, by UID
	owners      map[string]owner            // by kind, namespace and name
	told        map[string]string           // last signal of each node's checks
	news        news                        // what was logged
	goneSince   map[[2]string]fleet.Instant // workloads without any pod
	overSince   map[[2]string]fleet.Instant // workloads all of whose pods have ended, and nobody says why
	refused     map[[2]string]string        // workloads that Muster did not take, and why
	suspendable map[ownerID]translate.Suspendable
	toggled     map[ownerID]toggle       // suspensions that were changed, before the watch shows it
	toldOwner   map[ownerID]string       // why what is suspended waits
	leftSince   map[string]fleet.Instant // pods that leave, by UID
	unasked     map[string]bool          // owners that could not be asked in this round
	saidAt      time.Time
	saidUpTo    [2]string     // the workload that was last in turn to be asked about
	startedAt   time.Time     // when a pod was let start last
	taking      takingOver    // see takeover.go
	waited      time.Duration // for the API server, in this comparison
}

// NewAgent is an agent that has not begun.
func NewAgent(c *Client, e Engine, o Options) *Agent {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = func() fleet.Instant { return fleet.InstantOf(time.Now()) }
	}
	a := &Agent{
		Options: o, measureEvery: measureEvery, client: c, engine: e, first: make(chan struct{}), decided: make(chan struct{}, 1),
		sent: map[string]sent{}, toldLeaving: map[string]string{}, owners: map[string]owner{}, told: map[string]string{},
		goneSince: map[[2]string]fleet.Instant{}, refused: map[[2]string]string{}, toggled: map[ownerID]toggle{}, toldOwner: map[ownerID]string{}, leftSince: map[string]fleet.Instant{}, overSince: map[[2]string]fleet.Instant{},
	}
	a.watch = NewWatch(&a.Translate)
	a.kueue = newKueueWatch(a.watch.changed, &a.Translate)
	return a
}

// How often things are done.
const (
	gap       = 100 * time.Millisecond // least time between two comparisons
	ease      = 3                      // and so many times as long as the last one took: a quarter of a core at most
	longest   = 500 * time.Millisecond // and no longer
	anyway    = 5 * time.Second        // compared though nothing seems to have changed
	beat      = 5 * time.Second        // the API server is asked whether it is there
	sayEvery  = 2 * time.Second        // pods are told why they wait
	rareBeat  = 30 * time.Second       // and for objects that seldom change
	batchSize = 200                    // commands that are done at once
)

// Wake says that something was decided for the cluster: Run compares at once.
func (a *Agent) Wake() {
	select {
	case a.decided <- struct{}{}:
	default:
	}
}

// First is closed when everything was compared once.
func (a *Agent) First() <-chan struct{} { return a.first }

// Problems lists what could not be understood in the last picture.
func (a *Agent) Problems() []translate.Problem {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.problems
}

// Watch watches the cluster until ctx ends, and changes nothing. Run does so by itself.
func (a *Agent) Watch(ctx context.Context) { a.watch.Run(ctx, a.client, a.Quotas) }

// Observed is what the watch shows of nodes and pods; listed is false until everything
// was listed once.
func (a *Agent) Observed() (nodes []translate.Node, pods []translate.Pod, listed bool) {
	return a.watch.nodes.all(), a.watch.pods.all(), a.watch.Synced()
}

// Run keeps both in step until ctx ends.
func (a *Agent) Run(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	all.Go(func() { a.Watch(ctx) })
	all.Go(func() { a.pulse(ctx) })
	if a.Usage != nil {
		all.Go(func() { a.measure(ctx) })
	}
	if a.Quotas || a.Kueue {
		all.Go(func() { a.followKueue(ctx) })
	}
	tick := time.NewTicker(anyway)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.watch.changed:
		case <-a.decided:
		case <-tick.C:
		}
		began := time.Now()
		if a.watch.Synced() {
			if err := a.Reconcile(ctx); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(a.pause(time.Since(began))):
		}
	}
}

// pause is how long to rest after a comparison. What was waited for is no reason to
// rest, and on a busy machine thinking takes long without computing much: so it is bounded.
func (a *Agent) pause(took time.Duration) time.Duration {
	return min(longest, max(gap, ease*(took-a.waited)))
}

// Reconcile brings the state to what the cluster shows. Where Muster acts, the cluster
// is then brought to what was decided.
func (a *Agent) Reconcile(ctx context.Context) error {
	a.waited = 0
	acts := a.acts()
	p, err := a.see(ctx, acts)
	if err != nil {
		return err
	}
	if err := a.learn(ctx, acts, &p); err != nil {
		return err
	}
	if acts {
		if err := a.bringAbout(ctx, p); err != nil {
			return err
		}
	}
	if a.Kueue {
		p.Problems = append(p.Problems, a.writeKueue(ctx)...)
	}
	p.sortProblems()
	a.tell(p.Problems)
	a.once.Do(func() { close(a.first) })
	return nil
}

// see puts together what the cluster shows now.
func (a *Agent) see(ctx context.Context, acts bool) (Picture, error) {
	of := a.parts()
	if err := a.takeOver(ctx, acts, of.pods); err != nil {
		return Picture{}, err
	}
	if of.managed = acts; acts {
		a.sizes(ctx, of.pods)
		of.pods, of.started = a.believe(ctx, of.pods), startedBy(a.wants())
		of.pods = append(of.pods, a.staged(of.pods)...)
		of.pods = append(of.pods, a.waitingSuspended(of.pods)...)
	} else {
		of.pods = kueue.Complete(of.pods, a.kueue.work.all())
	}
	p := picture(of)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.work = p.Work
	p.Problems = append(p.Problems, a.unmeasured...)
	return p, nil
}

// learn brings the state to a picture step by step: each step sees what those before
// it have led to.
func (a *Agent) learn(ctx context.Context, acts bool, p *Picture) error {
	for _, step := range a.steps(ctx, acts, *p) {
		var commands []core.Command
		var more []translate.Problem
		a.engine.Read(func(s *fleet.State) { commands, more = step(s) })
		p.Problems = append(p.Problems, more...)
		if err := a.do(ctx, commands); err != nil {
			return err
		}
	}
	return nil
}

// bringAbout brings the cluster to what was decided, and says there what people should know.
func (a *Agent) bringAbout(ctx context.Context, p Picture) error {
	a.tookOver(ctx)
	a.countForeign(p)
	busy, err := a.carry(ctx, p)
	if err != nil {
		return err
	}
	a.showMarks(ctx, p)
	a.fence(ctx, p)
	if !a.Quiet && !busy && time.Since(a.saidAt) > sayEvery { // who starts pods does not talk meanwhile
		a.saidAt = time.Now()
		a.say(ctx, p)
	}
	return nil
}

// acts says whether Muster decides what runs on the cluster.
func (a *Agent) acts() (acts bool) {
	a.engine.Read(func(s *fleet.State) {
		mode := a.Mode
		if c := s.Cluster(a.Translate.Cluster); c != nil {
			mode = c.Mode
		}
		acts = mode == fleet.Enforce
	})
	return acts
}

type step func(*fleet.State) ([]core.Command, []translate.Problem)

func (a *Agent) steps(ctx context.Context, acts bool, p Picture) []step {
	cluster := a.Translate.Cluster
	steps := []step{
		func(s *fleet.State) ([]core.Command, []translate.Problem) {
			return newMetal(s, cluster, a.Mode, p.Nodes, a.Now())
		},
		func(s *fleet.State) ([]core.Command, []translate.Problem) {
			if acts {
				return append(a.signals(s, p), a.marks(s, p)...), nil
			}
			return nodeStates(s, cluster, p.Nodes, a.Now()), nil
		},
	}
	if a.Quotas && !acts { // where Muster acts, people change what is assigned
		steps = append(steps, func(s *fleet.State) ([]core.Command, []translate.Problem) {
			if a.Kueue {
				return grantsOnce(s, cluster, p.Quotas)
			}
			return grants(s, cluster, p.Quotas)
		})
	}
	if acts {
		ends := a.endings(ctx, p)
		return append(steps, func(s *fleet.State) ([]core.Command, []translate.Problem) { return a.managed(s, p, ends) })
	}
	return append(steps, func(s *fleet.State) ([]core.Command, []translate.Problem) { return observed(s, cluster, p) })
}

func (a *Agent) parts() parts {
	p := a.watch.parts()
	for i := range p.pods {
		if a.Created != nil { // a clock of its own, such as a story's
			p.pods[i].Created = a.Created(p.pods[i])
		}
	}
	var of parts
	a.mu.Lock()
	of.quotas, of.queues = a.queues.quotas, a.queues.queues
	a.mu.Unlock()
	a.kueueParts(&of)
	p.quotas, p.queues = append(p.quotas, of.quotas...), of.queues
	return p
}

// do has commands done, many in one record. A command that is refused holds up no other.
func (a *Agent) do(ctx context.Context, commands []core.Command) error {
	for batch := range slices.Chunk(commands, batchSize) {
		left, err := a.request(ctx, core.Batch{Commands: batch, Each: true})
		if err != nil {
			return err
		}
		for i, no := range left {
			a.noteRefusal(batch[i], no)
		}
	}
	return nil
}

// noteRefusal keeps why a workload was refused, and logs refusals that are new; nil:
// the command was done.
func (a *Agent) noteRefusal(c core.Command, no *core.Refusal) {
	submit, ok := c.(core.Submit)
	key := [2]string{submit.Spec.Namespace, submit.Spec.Name}
	switch {
	case no == nil:
		delete(a.refused, key)
	case !ok:
		a.Log.Warn("what the cluster shows was refused", "cluster", a.Translate.Cluster, "why", no.Error())
	case a.refused[key] != no.Error():
		a.refused[key] = no.Error()
		a.Log.Warn("a workload was refused", "cluster", a.Translate.Cluster, "workload", key[0]+"/"+key[1], "why", no.Error())
	}
}

func (a *Agent) request(ctx context.Context, c core.Command) (left []*core.Refusal, err error) {
	left, err = a.engine.Do(ctx, core.Request{Command: c, Actor: core.Driver, Reason: "as cluster " + a.Translate.Cluster + " shows it"})
	if err != nil && ctx.Err() != nil {
		return nil, nil //nolint:nilerr // it was told to stop: what that broke is not logged
	}
	return left, err
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
