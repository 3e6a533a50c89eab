package kube

import (
	"context"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/kueue"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Reconciler keeps Muster's state and one cluster in step. It observes the cluster, tells
// the engine what is new, and brings the cluster to what the state says. Its controllers
// do the work; each is about one kind of thing.
type Reconciler struct {
	*shared
	controllers

	checked bool          // the fleet of what runs on the cluster is this one
	decided chan struct{} // has room for one: something was decided about a workload of the cluster
	first   chan struct{}
	once    sync.Once

	mu       sync.Mutex
	problems []translate.Problem
}

// controllers are a cluster's. What they remember is a memory only: a new reconciler
// does without, and comes to the same end.
type controllers struct {
	nodes       *nodeController       // observes nodes; shows the states in which Muster keeps them
	fences      *fenceController      // fences nodes whose kubelet is silent
	foreign     *foreignController    // counts the GPU pods that Muster does not manage
	owners      *ownerController      // asks what makes pods how many it makes, and whether it has ended
	workloads   *workloadController   // makes workloads of pods, and ends them
	pods        *podController        // starts and evicts pods
	fits        *fitController        // says which nodes take fewer pods than they have GPUs for
	suspensions *suspensionController // starts and evicts what makes pods
	conditions  *conditionController  // tells pods where they stand
	kueue       *kueueController      // reads Kueue's queues, and writes backed quota to them
	usage       *usageController      // measures what GPUs do
	takeover    *takeoverController   // takes over what was only watched
	authors     *authorController     // finds out who made new work
}

// NewReconciler is a reconciler that has not begun.
func NewReconciler(c *Client, e Engine, o Options) *Reconciler {
	s := newShared(c, e, o)
	suspensions := newSuspensionController(s)
	fits := newFitController(s)
	pods := newPodController(s, suspensions, fits)
	return &Reconciler{
		shared: s, decided: make(chan struct{}, 1), first: make(chan struct{}),
		controllers: controllers{
			nodes:   &nodeController{shared: s, lastSignal: map[string]string{}},
			fences:  &fenceController{shared: s, leavingSince: map[string]fleet.Instant{}},
			foreign: &foreignController{shared: s},
			owners:  newOwnerController(s, suspensions), workloads: &workloadController{shared: s, goneSince: map[workloadKey]fleet.Instant{}},
			pods: pods, fits: fits, suspensions: suspensions, conditions: &conditionController{shared: s, pods: pods, suspensions: suspensions},
			kueue: &kueueController{shared: s, objects: newKueueWatch(s.watch.changed, &s.Translate)},
			usage: &usageController{shared: s, every: measureEvery}, takeover: &takeoverController{shared: s, adopted: map[string]string{}},
			authors: &authorController{shared: s},
		},
	}
}

// How often things are done.
const (
	minPause           = 100 * time.Millisecond // between two rounds
	pauseFactor        = 3                      // the pause is so many times the last round: a quarter of a core at most
	maxPause           = 500 * time.Millisecond
	roundEvery         = 5 * time.Second  // though nothing seems to have changed
	heartbeatEvery     = 5 * time.Second  // the API server is asked whether it is there
	rareHeartbeatEvery = 30 * time.Second // and for objects that seldom change
	batchSize          = 200              // commands in one record
)

// Wake says that something was decided about a workload of the cluster: Run compares at once.
func (r *Reconciler) Wake() {
	select {
	case r.decided <- struct{}{}:
	default:
	}
}

// First is closed when everything was compared once.
func (r *Reconciler) First() <-chan struct{} { return r.first }

// Problems lists what could not be understood in the last round.
func (r *Reconciler) Problems() []translate.Problem {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.problems
}

// Foreign counts the GPU pods of the last round that are bound and not Muster's.
func (r *Reconciler) Foreign() Foreign { return r.foreign.last() }

// Said is what the cluster says of a workload beside its state: that it is not counted as it asks
// for, why Kueue keeps it waiting, and where Kueue and Muster do not mean the same.
func (r *Reconciler) Said(namespace, name, target string) []string {
	return append(r.noted(namespace, name), r.kueue.said(namespace, name, target)...)
}

// noted is what was not understood of a workload in the last round, or is counted otherwise than it says.
func (r *Reconciler) noted(namespace, name string) (list []string) {
	for _, p := range r.Problems() {
		if p.Object == "workload/"+namespace+"/"+name {
			list = append(list, p.Text)
		}
	}
	return list
}

// Watch watches the cluster until ctx ends, and changes nothing. Run does so by itself.
func (r *Reconciler) Watch(ctx context.Context) { r.watch.Run(ctx, r.client, r.Quotas) }

// Observed is what the watch shows of nodes and pods; listed is false until everything
// was listed once.
func (r *Reconciler) Observed() (nodes []translate.Node, pods []translate.Pod, listed bool) {
	return r.watch.nodes.all(), r.watch.gpuPods(), r.watch.Synced()
}

// Run keeps both in step until ctx ends.
func (r *Reconciler) Run(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	all.Go(func() { r.Watch(ctx) })
	all.Go(func() { (&heartbeat{r.shared, r.takeover, r.kueue}).run(ctx) })
	if r.Usage != nil {
		all.Go(func() { r.usage.run(ctx) })
	}
	if r.Quotas || r.Kueue {
		all.Go(func() { r.kueue.follow(ctx) })
	}
	tick := time.NewTicker(roundEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.watch.changed:
		case <-r.decided:
		case <-tick.C:
		}
		began := time.Now()
		if r.watch.Synced() {
			if err := r.Reconcile(ctx); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(r.pause(time.Since(began))):
		}
	}
}

// pause is how long to rest after a round. Time spent waiting for the API server does not
// count, and a round on a busy machine takes long without computing much: so it is bounded.
func (r *Reconciler) pause(took time.Duration) time.Duration {
	return min(maxPause, max(minPause, pauseFactor*(took-r.waited)))
}

// Reconcile does one round: it brings the state to what the cluster shows, and where
// Muster acts, the cluster to what was decided.
func (r *Reconciler) Reconcile(ctx context.Context) error {
	r.waited = 0
	acts := r.acts()
	if acts && !r.checked {
		if err := r.checkFleet(r.watch.objects().pods); err != nil {
			return err
		}
		r.checked = true
	}
	p, err := r.observe(ctx, acts)
	if err != nil {
		return err
	}
	if err := r.updateState(ctx, acts, &p); err != nil {
		return err
	}
	if acts {
		if err := r.updateCluster(ctx, p); err != nil {
			return err
		}
	}
	if r.Kueue {
		p.Problems = append(p.Problems, r.kueue.write(ctx)...)
	}
	p.sortProblems()
	r.logProblems(p.Problems)
	r.once.Do(func() { close(r.first) })
	return nil
}

// observe puts together what the cluster shows now.
func (r *Reconciler) observe(ctx context.Context, acts bool) (Snapshot, error) {
	of := r.objects()
	if err := r.takeover.takeOver(ctx, acts, of.pods); err != nil {
		return Snapshot{}, err
	}
	if of.managed = acts; acts {
		r.owners.setSizes(ctx, of.pods)
		of.pods, of.started = r.pods.assumeStarted(ctx, of.pods), startedBy(r.pods.desired())
		of.pods = append(of.pods, r.owners.unmade(of.pods)...)
		of.pods = append(of.pods, r.suspensions.waiting(of.pods)...)
	} else {
		of.pods = kueue.Complete(of.pods, r.kueue.objects.work.all())
	}
	p := snapshotOf(of)
	p.Problems = append(p.Problems, r.usage.observe(p.Work)...)
	r.authors.find(ctx, &p)
	return p, nil
}

// objects are what the watches show.
func (r *Reconciler) objects() objects {
	of := r.watch.objects()
	for i := range of.pods {
		if r.Created != nil {
			of.pods[i].Created = r.Created(of.pods[i])
		}
	}
	quotas, queues := r.kueue.quotas()
	of.quotas, of.queues = append(of.quotas, quotas...), queues
	return of
}

// updateState brings the state to a snapshot step by step: each step sees what those
// before it have led to.
func (r *Reconciler) updateState(ctx context.Context, acts bool, p *Snapshot) error {
	for _, step := range r.steps(ctx, acts, *p) {
		var commands []core.Command
		var more []translate.Problem
		r.engine.Read(func(s *fleet.State) { commands, more = step(s) })
		p.Problems = append(p.Problems, more...)
		if err := r.do(ctx, commands); err != nil {
			return err
		}
	}
	return nil
}

// step lists the commands that are missing until the state says one kind of thing.
type step func(*fleet.State) ([]core.Command, []translate.Problem)

func (r *Reconciler) steps(ctx context.Context, acts bool, p Snapshot) []step {
	cluster := r.Translate.Cluster
	steps := []step{
		func(s *fleet.State) ([]core.Command, []translate.Problem) {
			return inventory(s, cluster, r.Mode, p.Nodes, r.Now())
		},
		func(s *fleet.State) ([]core.Command, []translate.Problem) {
			if acts {
				return append(r.nodes.signals(s, p), r.nodes.stateFromMarks(s, p)...), nil
			}
			return nodeStates(s, cluster, p.Nodes, r.Now()), nil
		},
		func(s *fleet.State) ([]core.Command, []translate.Problem) { return observedRuns(s, p.Nodes) },
	}
	if acts {
		steps = append(steps, func(s *fleet.State) ([]core.Command, []translate.Problem) {
			return announcedWork(s, cluster, p.Nodes, r.Now()), nil
		}, func(s *fleet.State) ([]core.Command, []translate.Problem) { return r.fits.report(s, p), nil })
	}
	if r.Quotas && !acts { // where Muster acts, people change what is assigned
		steps = append(steps, func(s *fleet.State) ([]core.Command, []translate.Problem) {
			if r.Kueue {
				return grantsOnce(s, cluster, p.Quotas)
			}
			return grants(s, cluster, p.Quotas)
		})
	}
	if acts {
		ends := r.owners.endings(ctx, p)
		return append(steps, func(s *fleet.State) ([]core.Command, []translate.Problem) { return r.workloads.managed(s, p, ends) })
	}
	return append(steps, func(s *fleet.State) ([]core.Command, []translate.Problem) { return observed(s, cluster, r.actor(), p) })
}

// updateCluster brings the cluster to what was decided, and shows there what people
// should know.
func (r *Reconciler) updateCluster(ctx context.Context, p Snapshot) error {
	r.takeover.finish(ctx)
	r.foreign.count(p)
	busy, err := r.pods.reconcile(ctx, p)
	if err != nil {
		return err
	}
	r.nodes.showMarks(ctx, p)
	r.nodes.showStages(ctx, p)
	r.fences.reconcile(ctx, p)
	if !r.Quiet && !busy { // while pods start, none is told where it stands
		r.conditions.reconcile(ctx, p)
	}
	return nil
}

// logProblems logs problems that are new.
func (r *Reconciler) logProblems(problems []translate.Problem) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := map[translate.Problem]bool{}
	for _, p := range r.problems {
		known[p] = true
	}
	const most = 20
	logged := 0
	for _, p := range problems {
		if known[p] {
			continue
		}
		if logged++; logged <= most {
			r.Log.Warn("not understood, or left out", "cluster", r.Translate.Cluster, "object", p.Object, "why", p.Text)
		}
	}
	if logged > most {
		r.Log.Warn("and more of the like", "cluster", r.Translate.Cluster, "objects", logged-most)
	}
	r.problems = problems
}
