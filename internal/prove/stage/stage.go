package stage

import (
	"context"

	"github.com/muster-fleet/muster/internal/clusters/kube"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Stage plays one story on a Kubernetes cluster.
//
// Work is submitted as users submit it: as pods with a target, of which the reconciler
// makes a workload. A simulated cluster, which hears every decision too, says what the
// programs in the pods would do and when: end after their secret runtime, use their
// whole grace. The stage applies that to the pods, and Muster learns it from the
// cluster alone. A finalizer keeps a pod that leaves until then.
type Stage struct {
	cluster *Cluster
	name    string // of the story's cluster
	now     func() fleet.Instant

	programs   *simulated.Driver
	engine     *engine.Engine
	reconciler *kube.Reconciler
	leave      context.CancelFunc // ends the reconciler's watch

	controllers map[workload]*controller
	jobs        map[uint64]driver.Job // by workload's ID, as the driver was told last
	created     created
	lost        []lostPods
	refused     map[workload]*core.Refusal
}

// workload is the namespace and the name of one.
type workload [2]string

// created is what the stage created on the cluster.
type created struct {
	nodes, namespaces map[string]bool
	pods              map[string]fleet.Instant // when, by UID and by the story's clock
	count             int                      // of pods, for their names
}

// lostPods are pods that went down with their nodes.
type lostPods struct {
	of    workload
	pool  string
	nodes []string
}

// Join starts a new reconciler, which knows nothing yet.
func (s *Stage) Join(ctx context.Context, e *engine.Engine) error {
	if s.leave != nil {
		s.leave()
	}
	s.engine = e
	s.reconciler = kube.NewReconciler(s.cluster.agent, (*stageEngine)(s), kube.Options{
		Translate: translate.Defaults(s.name), Mode: fleet.Enforce, Now: s.now, Log: s.cluster.Log,
		Created: func(p translate.Pod) fleet.Instant { return s.created.pods[p.UID] },
		Quiet:   true,
	})
	watching, leave := context.WithCancel(ctx)
	s.leave = leave
	go s.reconciler.Watch(watching)
	return nil
}

// stageEngine is the engine as the reconciler sees it. It keeps the refusals of submits.
type stageEngine Stage

// Do has a request done.
func (s *stageEngine) Do(ctx context.Context, r core.Request) ([]*core.Refusal, error) {
	is, err := s.engine.Do(ctx, r)
	b, _ := r.Command.(core.Batch)
	for i, no := range is.Refused {
		if submit, ok := b.Commands[i].(core.Submit); ok && no != nil {
			s.refused[workload{submit.Spec.Namespace, submit.Spec.Name}] = no
		}
	}
	return is.Refused, err
}

// Read shows the state.
func (s *stageEngine) Read(look func(*fleet.State)) { s.engine.Read(look) }

// Study shows a copy of the state that may be asked for long.
func (s *stageEngine) Study(look func(*fleet.State)) { s.engine.Study(look) }

// Run tells the programs that replicas should run. The reconciler reads the state by itself.
func (s *Stage) Run(at fleet.Instant, job driver.Job, spots []fleet.Spot, mend bool) {
	s.jobs[job.ID] = job
	s.programs.Run(at, job, spots, mend)
}

// Stop tells the programs that replicas should leave.
func (s *Stage) Stop(at fleet.Instant, id uint64, spots []fleet.Spot, until fleet.Instant) {
	s.programs.Stop(at, id, spots, until)
}

// Forget deletes the pods that go down with their nodes: in a story a failed node is dead
// for certain.
func (s *Stage) Forget(at fleet.Instant, id uint64, spots []fleet.Spot) {
	s.programs.Forget(at, id, spots)
	for _, spot := range spots {
		s.lost = append(s.lost, s.podsAt(id, spot))
	}
}

// Delete tells the programs that a workload is over.
func (s *Stage) Delete(at fleet.Instant, id uint64) {
	delete(s.jobs, id)
	s.programs.Delete(at, id)
}

// Restate tells the programs all that stands of one workload.
func (s *Stage) Restate(at fleet.Instant, stands driver.Standing) {
	s.jobs[stands.Job.ID] = stands.Job
	s.programs.Restate(at, stands)
}

// Resync tells the programs all that stands.
func (s *Stage) Resync(at fleet.Instant, all []driver.Standing) {
	clear(s.jobs)
	for _, stands := range all {
		s.jobs[stands.Job.ID] = stands.Job
	}
	s.programs.Resync(at, all)
}

// podsAt says which pods a spot of a workload is.
func (s *Stage) podsAt(id uint64, spot fleet.Spot) lostPods {
	job, known := s.jobs[id]
	if !known || spot.Pool >= len(job.Pools) {
		return lostPods{}
	}
	is := lostPods{of: workload{job.Namespace, job.Name}, pool: job.Pools[spot.Pool].Name}
	for _, n := range spot.Nodes {
		is.nodes = append(is.nodes, s.nodeName(job.Partition, n))
	}
	return is
}

func (s *Stage) nodeName(partition string, n int) (name string) {
	s.engine.Read(func(state *fleet.State) { name = state.Partition(partition).Nodes[n].Name })
	return name
}

// Due is when a program does something by itself.
func (s *Stage) Due() fleet.Instant { return s.programs.Due() }

// Happen applies to the pods what their programs do at this moment.
func (s *Stage) Happen(ctx context.Context, now fleet.Instant) error {
	for _, r := range s.programs.Take(now) {
		var err error
		switch {
		case r.Stopped != nil:
			err = s.letLeave(ctx, r.Stopped)
		case r.Finished != nil:
			err = s.end(ctx, r.Finished.ID, "succeeds")
		}
		if err != nil {
			return err
		}
	}
	return nil
}
