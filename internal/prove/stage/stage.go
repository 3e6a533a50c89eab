package kube

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/plain"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Stage plays a story on a Kubernetes cluster. The story's clock stands still until
// the cluster has come to rest, so that everything has the time that it takes.
//
// Work is submitted as people submit it: pods with a target, of which the agent
// makes a workload. What the programs in the pods would do, and when (end after
// their secret runtime, use their whole grace), a simulated cluster says, which
// hears every decision too; the stage lets it happen to the pods, and Muster learns
// it from the cluster alone. A finalizer keeps a pod that leaves until then.
//
// All that it makes carries the label muster.dev/story; it touches nothing else.
type Stage struct {
	log     *slog.Logger
	people  *plain.Server // who make nodes and pods, and do what kubelets do
	client  *Client       // the agent's
	now     func() fleet.Instant
	cluster string
	speed   time.Duration // how long the cluster may take to come to rest

	programs *simulated.Driver
	driver   *Driver
	agent    *Agent
	engine   *engine.Engine
	leave    context.CancelFunc // ends the agent's watch

	crews   map[[2]string]*crew
	born    map[string]fleet.Instant // of pods, by UID, by the story's clock
	made    int
	known   map[string]bool // nodes that were made
	homes   map[string]bool // namespaces that were made
	lost    []lostPods
	refused map[[2]string]*core.Refusal
}

// crew is who keeps the pods of a workload, as a controller does.
type crew struct {
	spec    fleet.Spec
	after   uint64 // the last workload before it
	leaving bool   // nobody makes new ones
}

// lostPods are pods that went down with their nodes.
type lostPods struct {
	key   [2]string
	pool  string
	nodes []string
}

// ofAStory is the label of all that stories make.
const ofAStory = "muster.dev/story"

// held is the finalizer of pods that the story holds.
const held = "test.muster.dev/stays"

// Join begins with a new agent, which knows nothing but what it is told anew.
func (s *Stage) Join(ctx context.Context, e *engine.Engine) error {
	if s.leave != nil {
		s.leave()
	}
	s.engine, s.driver = e, NewDriver()
	s.agent = NewAgent(s.client, (*stageEngine)(s), Options{
		Translate: translate.Defaults(s.cluster), Mode: fleet.Enforce, Driver: s.driver, Now: s.now, Log: s.log,
		Send: func(r driver.Report) error { return (*stageEngine)(s).Do(ctx, engine.RequestOf(r)) },
	})
	s.agent.born = func(p translate.Pod) fleet.Instant { return s.born[p.UID] }
	watching, leave := context.WithCancel(ctx)
	s.leave = leave
	go s.agent.watch.Run(watching, s.client, false)
	return nil
}

// stageEngine is the engine as the agent sees it. What it is refused is kept.
type stageEngine Stage

func (s *stageEngine) Do(ctx context.Context, r core.Request) error {
	_, err := s.engine.Do(ctx, r)
	var no *core.Refusal
	if submit, ok := r.Command.(core.Submit); ok && errors.As(err, &no) {
		s.refused[[2]string{submit.Spec.Namespace, submit.Spec.Name}] = no
	}
	return err
}

func (s *stageEngine) Read(look func(*fleet.State))  { s.engine.Read(look) }
func (s *stageEngine) Study(look func(*fleet.State)) { s.engine.Study(look) }

// Run tells both, as all that a driver hears: the driver of the cluster, and the
// programs that run there.
func (s *Stage) Run(at fleet.Instant, job driver.Job, spots []fleet.Spot, mend bool) {
	s.driver.Run(at, job, spots, mend)
	s.programs.Run(at, job, spots, mend)
}

// Stop tells both that replicas should leave.
func (s *Stage) Stop(at fleet.Instant, id uint64, spots []fleet.Spot, until fleet.Instant) {
	s.driver.Stop(at, id, spots, until)
	s.programs.Stop(at, id, spots, until)
}

// Lost lets the pods go down with their nodes: in a story a node that fails is dead
// for certain.
func (s *Stage) Lost(at fleet.Instant, id uint64, spots []fleet.Spot) {
	s.driver.Lost(at, id, spots)
	s.programs.Lost(at, id, spots)
	for _, spot := range spots {
		s.lost = append(s.lost, s.placesOf(id, spot))
	}
}

// Gone tells both that a workload is over.
func (s *Stage) Gone(at fleet.Instant, id uint64) {
	s.driver.Gone(at, id)
	s.programs.Gone(at, id)
}

// Again tells both all that stands of one workload.
func (s *Stage) Again(at fleet.Instant, stands driver.Standing) {
	s.driver.Again(at, stands)
	s.programs.Again(at, stands)
}

// Resync tells both all that stands.
func (s *Stage) Resync(at fleet.Instant, all []driver.Standing) {
	s.driver.Resync(at, all)
	s.programs.Resync(at, all)
}

// placesOf says which pods a spot of a workload is, by what the driver was told.
func (s *Stage) placesOf(id uint64, spot fleet.Spot) lostPods {
	s.driver.mu.Lock()
	defer s.driver.mu.Unlock()
	w := s.driver.want[id]
	if w == nil || spot.Pool >= len(w.Job.Pools) {
		return lostPods{}
	}
	is := lostPods{key: [2]string{w.Job.Namespace, w.Job.Name}, pool: w.Job.Pools[spot.Pool].Name}
	for _, n := range spot.Nodes {
		is.nodes = append(is.nodes, s.nodeName(w.Job.Partition, n))
	}
	return is
}

func (s *Stage) nodeName(partition string, n int) (name string) {
	s.engine.Read(func(state *fleet.State) { name = state.Partition(partition).Nodes[n].Name })
	return name
}

// Due is when a program does something by itself.
func (s *Stage) Due() fleet.Instant { return s.programs.Due() }

// Happen lets the pods do what their programs do at this moment.
func (s *Stage) Happen(ctx context.Context, now fleet.Instant) error {
	for _, r := range s.programs.Take(now) {
		var err error
		switch {
		case r.Stopped != nil:
			err = s.letGo(ctx, r.Stopped)
		case r.Finished != nil:
			err = s.end(ctx, r.Finished.ID, "succeeds")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// letGo lets pods that leave go.
func (s *Stage) letGo(ctx context.Context, of *driver.Stopped) error {
	var key [2]string
	var pools []fleet.Pool
	var names []string
	s.engine.Read(func(state *fleet.State) {
		if w := state.Workloads[of.ID]; w != nil && w.At() != nil {
			key, pools = [2]string{w.Namespace, w.Name}, w.Pools
			for _, n := range w.At().Nodes {
				names = append(names, n.Name)
			}
		}
	})
	pods, err := s.list(ctx)
	if err != nil {
		return err
	}
	for _, p := range pods {
		if p.DeletionTimestamp == "" || p.key() != key {
			continue
		}
		is := func(spot fleet.Spot) bool {
			return pools[spot.Pool].Name == p.Labels[translate.LabelPool] && slices.ContainsFunc(spot.Nodes, func(n int) bool { return names[n] == p.node() })
		}
		if slices.ContainsFunc(of.Spots, is) {
			if err := s.release(ctx, p, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// end lets all of a workload's pods end, well or badly.
func (s *Stage) end(ctx context.Context, id uint64, how string) error {
	var key [2]string
	s.engine.Read(func(state *fleet.State) {
		if w := state.Workloads[id]; w != nil {
			key = [2]string{w.Namespace, w.Name}
		}
	})
	if c := s.crews[key]; c != nil {
		c.leaving = true
	}
	pods, err := s.list(ctx)
	if err != nil {
		return err
	}
	for _, p := range pods {
		switch {
		case p.key() != key:
		case len(p.gates) > 0 || p.DeletionTimestamp != "":
			err = s.release(ctx, p, true)
		default:
			err = s.people.Call(ctx, http.MethodPatch, p.path(), object{"metadata": object{"annotations": object{"test.muster.dev/" + how: "now"}}}, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stagePod is a pod of the story as the API server has it.
type stagePod struct {
	Namespace, Name, UID string
	DeletionTimestamp    string
	Finalizers           []string
	Labels, Annotations  map[string]string
	gates                []object
	on, phase            string
}

func (p *stagePod) key() [2]string {
	return [2]string{p.Namespace, p.Labels[translate.LabelWorkload]}
}
func (p *stagePod) path() string { return "/api/v1/namespaces/" + p.Namespace + "/pods/" + p.Name }
func (p *stagePod) over() bool   { return p.phase == "Succeeded" || p.phase == "Failed" }

// node is where the pod is, or will be.
func (p *stagePod) node() string {
	if p.on == "" && len(p.gates) == 0 {
		return p.Annotations[translate.AnnotationNode]
	}
	return p.on
}

// list lists all pods, in order of name.
func (s *Stage) list(ctx context.Context) (pods []stagePod, err error) {
	var all struct {
		Items []struct {
			Metadata stagePod
			Spec     struct {
				NodeName        string
				SchedulingGates []object
			}
			Status struct{ Phase string }
		}
	}
	if err := s.people.Call(ctx, http.MethodGet, "/api/v1/pods?labelSelector="+ofAStory, nil, &all); err != nil {
		return nil, err
	}
	for _, p := range all.Items {
		is := p.Metadata
		is.gates, is.on, is.phase = p.Spec.SchedulingGates, p.Spec.NodeName, p.Status.Phase
		pods = append(pods, is)
	}
	slices.SortFunc(pods, func(a, b stagePod) int { return strings.Compare(a.path(), b.path()) })
	return pods, nil
}

// release takes the finalizer of a pod away, and the pod too where it is to go at once.
func (s *Stage) release(ctx context.Context, p stagePod, now bool) error {
	err := s.people.Call(ctx, http.MethodPatch, p.path(), object{"metadata": object{"finalizers": nil}}, nil)
	if err == nil && now {
		err = s.people.Call(ctx, http.MethodDelete, p.path()+"?gracePeriodSeconds=0", nil, nil)
	}
	if plain.CodeOf(err) == http.StatusNotFound {
		return nil
	}
	return err
}

// ErrNotHere says that a story cannot be told on a cluster: it has users, and pods have none.
var ErrNotHere = errors.New("its work has users, and pods have none")

// Do submits work as pods, and lets work fail; all else are commands.
func (s *Stage) Do(ctx context.Context, r core.Request) (done bool, refusal *core.Refusal, err error) {
	switch c := r.Command.(type) {
	case core.Submit:
		if c.Spec.User != "" || len(c.Spec.Groups) > 0 {
			return true, nil, ErrNotHere
		}
		refusal, err = s.submit(ctx, c.Spec)
		return true, refusal, err
	case core.ReportFinished:
		return true, nil, s.end(ctx, c.ID, "fails")
	}
	return false, nil, nil
}

func (s *Stage) submit(ctx context.Context, spec fleet.Spec) (*core.Refusal, error) {
	key := [2]string{spec.Namespace, spec.Name}
	c := &crew{spec: spec}
	s.engine.Read(func(state *fleet.State) {
		for id := range state.Workloads {
			c.after = max(c.after, id)
		}
	})
	if was := s.crews[key]; was != nil && !was.leaving { // the name is taken: what controls its pods refuses it
		return s.taken(ctx, spec)
	}
	s.crews[key] = c
	delete(s.refused, key)
	if err := s.Rest(ctx); err != nil {
		return nil, err
	}
	if no := s.refused[key]; no != nil {
		s.crews[key].leaving = true
		return no, nil
	}
	var wrong error
	s.engine.Read(func(state *fleet.State) {
		w := state.Workload(spec.Namespace, spec.Name)
		spec.Grace = min(spec.Grace, state.Policy.MaxGrace)
		if w == nil || !sameSpec(w.Spec, spec) {
			wrong = fmt.Errorf("%s/%s came to Muster as another: %+v, not %+v", spec.Namespace, spec.Name, w, spec)
		}
	})
	return nil, wrong
}

// taken asks Muster itself, because two pods of one workload's name are one workload.
func (s *Stage) taken(ctx context.Context, spec fleet.Spec) (*core.Refusal, error) {
	_, err := s.engine.Do(ctx, core.Request{Command: core.Submit{Spec: spec}, Actor: core.Driver})
	var no *core.Refusal
	if errors.As(err, &no) {
		return no, nil
	}
	return nil, fmt.Errorf("%s/%s was submitted twice: %w", spec.Namespace, spec.Name, err)
}

// sameSpec says whether work that was seen is what was submitted.
func sameSpec(a, b fleet.Spec) bool {
	byName := func(x, y fleet.Pool) int { return strings.Compare(x.Name, y.Name) }
	pools := slices.Clone(b.Pools)
	slices.SortFunc(pools, byName)
	return a.Target == b.Target && a.Partition == b.Partition && a.Priority == b.Priority && a.MaxRuntime == b.MaxRuntime &&
		a.CheckpointEvery == b.CheckpointEvery && a.Grace == b.Grace && slices.Equal(a.Pools, pools)
}

// Clear takes away what the stage has made; the namespaces stay.
func (s *Stage) Clear(ctx context.Context) error {
	if s.leave != nil {
		s.leave()
	}
	for until := time.Now().Add(s.speed); ; time.Sleep(50 * time.Millisecond) { // the cluster is another process: there is nothing to wait on
		err := s.people.Call(ctx, http.MethodDelete, "/api/v1/nodes?labelSelector="+ofAStory, nil, nil)
		pods, err2 := s.list(ctx)
		for _, p := range pods {
			err2 = errors.Join(err2, s.release(ctx, p, true))
		}
		var nodes struct{ Items []object }
		err3 := s.people.Call(ctx, http.MethodGet, "/api/v1/nodes?labelSelector="+ofAStory, nil, &nodes)
		err = errors.Join(err, err2, err3)
		switch {
		case err == nil && len(nodes.Items)+len(pods) == 0:
			return nil
		case time.Now().After(until):
			return errors.Join(fmt.Errorf("%d pods and %d nodes of the story are left", len(pods), len(nodes.Items)), err)
		}
	}
}

// Says is what the driver wants and what is there: for who looks for why a story fails.
func (s *Stage) Says() (lines []string) {
	for _, w := range s.driver.all() {
		lines = append(lines, fmt.Sprintf("wanted: %+v running %v leaving %v", w.Job, w.running, w.leaving))
	}
	pods, _ := s.list(context.Background())
	for _, p := range pods {
		lines = append(lines, fmt.Sprintf("pod %s: gates %d, on %q, pinned %q, %s %s %v", p.path(), len(p.gates), p.on, p.Annotations[translate.AnnotationNode], p.phase, p.DeletionTimestamp, p.Finalizers))
	}
	return lines
}
