package kube

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/core"
	"github.com/muster-fleet/muster/internal/driver"
	"github.com/muster-fleet/muster/internal/driver/kube/kubetest"
	"github.com/muster-fleet/muster/internal/driver/kube/translate"
	"github.com/muster-fleet/muster/internal/driver/simulated"
	"github.com/muster-fleet/muster/internal/engine"
	"github.com/muster-fleet/muster/internal/fleet"
	"github.com/muster-fleet/muster/internal/scenario"
)

// stage plays a story on a real control plane. The story's clock stands still until
// the cluster has come to rest, so that everything has the time that it takes.
//
// Work is submitted as people submit it: pods with a target, of which the agent
// makes a workload. What the programs in the pods would do, and when (end after
// their secret runtime, use their whole grace), a simulated cluster says, which
// hears every decision too; the stage lets it happen to the pods, and Muster learns
// it from the cluster alone. A finalizer keeps a pod that leaves until then.
type stage struct {
	t       *testing.T
	c       *kubetest.Cluster
	config  string // kubeconfig of the agent
	set     scenario.Setting
	cluster string

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

var _ scenario.Stage = (*stage)(nil)

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

// held is the finalizer of pods that the story holds.
const held = "test.muster.dev/stays"

// Join begins with a new agent, which knows nothing but what it is told anew.
func (s *stage) Join(ctx context.Context, e *engine.Engine) error {
	if s.leave != nil {
		s.leave()
	}
	client, err := Connect(s.config, "")
	if err != nil {
		return err
	}
	s.engine, s.driver = e, NewDriver()
	s.agent = NewAgent(client, (*stageEngine)(s), Options{
		Translate: translate.Defaults(s.cluster), Mode: fleet.Enforce, Driver: s.driver, Now: s.set.Now, Log: slog.New(slog.NewTextHandler(s.t.Output(), nil)),
		Send: func(r driver.Report) error { return (*stageEngine)(s).Do(ctx, engine.RequestOf(r)) },
	})
	s.agent.born = func(p translate.Pod) fleet.Instant { return s.born[p.UID] }
	watching, leave := context.WithCancel(ctx)
	s.leave = leave
	go s.agent.watch.Run(watching, client, false)
	return nil
}

// stageEngine is the engine as the agent sees it. What it is refused is kept.
type stageEngine stage

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

// Run, Stop, Lost, Gone, Again and Resync tell both: the driver of the cluster, and
// the programs that run there.
func (s *stage) Run(at fleet.Instant, job driver.Job, spots []fleet.Spot, mend bool) {
	s.driver.Run(at, job, spots, mend)
	s.programs.Run(at, job, spots, mend)
}

func (s *stage) Stop(at fleet.Instant, id uint64, spots []fleet.Spot, until fleet.Instant) {
	s.driver.Stop(at, id, spots, until)
	s.programs.Stop(at, id, spots, until)
}

// Lost lets the pods go down with their nodes: in a story a node that fails is dead
// for certain.
func (s *stage) Lost(at fleet.Instant, id uint64, spots []fleet.Spot) {
	s.driver.Lost(at, id, spots)
	s.programs.Lost(at, id, spots)
	for _, spot := range spots {
		s.lost = append(s.lost, s.placesOf(id, spot))
	}
}

func (s *stage) Gone(at fleet.Instant, id uint64) {
	s.driver.Gone(at, id)
	s.programs.Gone(at, id)
}

func (s *stage) Again(at fleet.Instant, stands driver.Standing) {
	s.driver.Again(at, stands)
	s.programs.Again(at, stands)
}

func (s *stage) Resync(at fleet.Instant, all []driver.Standing) {
	s.driver.Resync(at, all)
	s.programs.Resync(at, all)
}

// placesOf says which pods a spot of a workload is, by what the driver was told.
func (s *stage) placesOf(id uint64, spot fleet.Spot) lostPods {
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

func (s *stage) nodeName(partition string, n int) (name string) {
	s.engine.Read(func(state *fleet.State) { name = state.Partition(partition).Nodes[n].Name })
	return name
}

// Due is when a program does something by itself.
func (s *stage) Due() fleet.Instant { return s.programs.Due() }

// Happen lets the pods do what their programs do at this moment.
func (s *stage) Happen(ctx context.Context, now fleet.Instant) error {
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
func (s *stage) letGo(ctx context.Context, of *driver.Stopped) error {
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
	for _, p := range s.list(ctx) {
		if p.DeletionTimestamp == "" || p.key() != key {
			continue
		}
		for _, spot := range of.Spots {
			if pools[spot.Pool].Name == p.Labels[translate.LabelPool] && slices.ContainsFunc(spot.Nodes, func(n int) bool { return names[n] == p.node() }) {
				if err := s.release(ctx, p, false); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// end lets all of a workload's pods end, well or badly.
func (s *stage) end(ctx context.Context, id uint64, how string) error {
	var key [2]string
	s.engine.Read(func(state *fleet.State) {
		if w := state.Workloads[id]; w != nil {
			key = [2]string{w.Namespace, w.Name}
		}
	})
	if c := s.crews[key]; c != nil {
		c.leaving = true
	}
	for _, p := range s.list(ctx) {
		var err error
		switch {
		case p.key() != key:
		case len(p.gates) > 0 || p.DeletionTimestamp != "":
			err = s.release(ctx, p, true)
		default:
			err = s.c.Call(ctx, http.MethodPatch, p.path(), notes("test.muster.dev/"+how, "now"), nil)
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
	gates                []kubetest.JSON
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
func (s *stage) list(ctx context.Context) (pods []stagePod) {
	var all struct {
		Items []struct {
			Metadata stagePod
			Spec     struct {
				NodeName        string
				SchedulingGates []kubetest.JSON
			}
			Status struct{ Phase string }
		}
	}
	if err := s.c.Call(ctx, http.MethodGet, "/api/v1/pods", nil, &all); err != nil {
		s.t.Fatal(err)
	}
	for _, p := range all.Items {
		is := p.Metadata
		is.gates, is.on, is.phase = p.Spec.SchedulingGates, p.Spec.NodeName, p.Status.Phase
		pods = append(pods, is)
	}
	slices.SortFunc(pods, func(a, b stagePod) int { return strings.Compare(a.path(), b.path()) })
	return pods
}

// release takes the finalizer of a pod away, and the pod too where it is to go at once.
func (s *stage) release(ctx context.Context, p stagePod, now bool) error {
	err := s.c.Call(ctx, http.MethodPatch, p.path(), kubetest.JSON{"metadata": kubetest.JSON{"finalizers": nil}}, nil)
	if err == nil && now {
		err = s.c.Call(ctx, http.MethodDelete, p.path()+"?gracePeriodSeconds=0", nil, nil)
	}
	if codeOf(err) == http.StatusNotFound {
		return nil
	}
	return err
}

// Do submits work as pods, and lets work fail; all else are commands.
func (s *stage) Do(ctx context.Context, r core.Request) (done bool, refusal *core.Refusal, err error) {
	switch c := r.Command.(type) {
	case core.Submit:
		if c.Spec.User != "" || len(c.Spec.Groups) > 0 {
			return true, nil, errors.New("pods have no user; such a story is not one for a cluster")
		}
		refusal, err = s.submit(ctx, c.Spec)
		return true, refusal, err
	case core.ReportFinished:
		return true, nil, s.end(ctx, c.ID, "fails")
	}
	return false, nil, nil
}

func (s *stage) submit(ctx context.Context, spec fleet.Spec) (*core.Refusal, error) {
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
func (s *stage) taken(ctx context.Context, spec fleet.Spec) (*core.Refusal, error) {
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

// deadlineOfRest is how long the cluster may take to come to rest.
const deadlineOfRest = patient

// Rest lets the agent compare until nothing changes any more.
func (s *stage) Rest(ctx context.Context) error {
	until := time.Now().Add(deadlineOfRest)
	for {
		why, err := s.round(ctx)
		if err != nil || why == "" {
			return err
		}
		if time.Now().After(until) {
			return fmt.Errorf("the cluster does not come to rest: %s", why)
		}
		time.Sleep(20 * time.Millisecond) // the cluster is another process: there is nothing to wait on
	}
}

// round does once what everybody on the cluster does, and says what is not at rest.
func (s *stage) round(ctx context.Context) (why string, err error) {
	if err := s.nodes(ctx); err != nil {
		return "", err
	}
	pods := s.list(ctx)
	if why, err = s.control(ctx, pods); why != "" || err != nil {
		return why, err
	}
	if why = s.unseen(pods); why != "" {
		return why, nil
	}
	before, pictured := s.seq(), fmt.Sprint(pods)
	s.agent.saidAt = time.Now()
	if err := s.agent.compare(ctx); err != nil {
		return "", err
	}
	if s.seq() != before || len(s.lost) > 0 {
		return "Muster learned something", nil
	}
	if pods = s.list(ctx); fmt.Sprint(pods) != pictured {
		return "something happened meanwhile", nil
	}
	return onTheirWay(pods), nil
}

func (s *stage) seq() (seq uint64) {
	s.engine.Read(func(state *fleet.State) { seq = state.Seq })
	return seq
}

// onTheirWay says which pod is started and does not run yet, or is to end or to go
// and has not.
func onTheirWay(pods []stagePod) string {
	for _, p := range pods {
		ends := p.Annotations["test.muster.dev/"+"succeeds"]+p.Annotations["test.muster.dev/"+"fails"] != ""
		switch {
		case len(p.gates) == 0 && p.phase == "Pending":
			return p.Name + " does not run yet"
		case p.DeletionTimestamp != "" && len(p.Finalizers) == 0:
			return p.Name + " is not gone yet"
		case ends && !p.over():
			return p.Name + " has not ended yet"
		}
	}
	return ""
}

// unseen says what the agent's watch does not show as it is.
func (s *stage) unseen(pods []stagePod) string {
	if !s.agent.watch.Synced() {
		return "nothing is listed yet"
	}
	if n, want := len(s.agent.watch.nodes.all()), len(s.known); n != want {
		return fmt.Sprintf("%d of %d nodes are seen", n, want)
	}
	for _, n := range s.agent.watch.nodes.all() {
		if n.Broken != "" || slices.ContainsFunc(n.Signals, func(s fleet.Signal) bool { return !s.Well }) {
			return n.Name + " is not ready yet" // in a story no kubelet is late
		}
	}
	seen := map[string]translate.Pod{}
	for _, p := range s.agent.watch.pods.all() {
		seen[p.UID] = p
	}
	for _, p := range pods {
		is, ok := seen[p.UID]
		if !ok || is.Gated != (len(p.gates) > 0) || is.Node != p.on || is.Leaving != (p.DeletionTimestamp != "") || is.Over != p.over() {
			return p.Name + " is not seen as it is"
		}
		delete(seen, p.UID)
	}
	if len(seen) > 0 {
		return "a pod is seen that is gone"
	}
	return ""
}

// nodes makes the nodes that the story has and the cluster has not.
func (s *stage) nodes(ctx context.Context) error {
	var list []kubetest.JSON
	s.engine.Read(func(state *fleet.State) {
		for _, part := range state.Partitions {
			for _, n := range part.Nodes {
				if s.known[n.Name] {
					continue
				}
				s.known[n.Name] = true
				island := part.Islands[n.Island].Name
				node := kubetest.Node(n.Name, "none", island, fmt.Sprintf("%s-r%03d", island, n.Rack))
				node["metadata"].(kubetest.JSON)["labels"].(kubetest.JSON)["muster.dev/gpu"] = part.GPU
				if n.GPUs != 8 {
					amounts := kubetest.JSON{"cpu": "192", "memory": "2Ti", "pods": "110", "nvidia.com/gpu": fmt.Sprint(n.GPUs)}
					node["status"] = kubetest.JSON{"capacity": amounts, "allocatable": amounts}
				}
				list = append(list, node)
			}
		}
	})
	if len(list) == 0 {
		return nil
	}
	return s.c.CreateAll(ctx, "/api/v1/nodes", list)
}

// control does what controllers and kubelets do: it makes the pods that are missing,
// and takes away those of work that is over and those that went down with a node.
func (s *stage) control(ctx context.Context, pods []stagePod) (did string, err error) {
	there, leaving := map[string]int{}, s.seats(fleet.Leaving)
	for _, p := range pods {
		seat := fmt.Sprint(p.key(), p.Labels[translate.LabelPool], " on ", p.node())
		if p.DeletionTimestamp != "" {
			leaving[seat]--
		}
		over, standing := s.over(p.key())
		switch c := s.crews[p.key()]; {
		case c == nil || over && !standing || over && len(p.gates) > 0 || s.refused[p.key()] != nil || p.DeletionTimestamp != "" && leaving[seat] < 0 || s.isLost(p):
			did = p.Name + " is taken away"
			if err := s.release(ctx, p, true); err != nil {
				return "", err
			}
		case !p.over() && p.DeletionTimestamp == "":
			there[fmt.Sprint(p.key(), p.Labels[translate.LabelPool])]++
		}
	}
	s.lost = nil
	for key, c := range s.crews {
		if over, _ := s.over(key); over || c.leaving || s.refused[key] != nil {
			continue
		}
		for _, pool := range c.spec.Pools {
			n := pool.Max - there[fmt.Sprint(key, pool.Name)]
			if n <= 0 {
				continue
			}
			did = "pods of " + c.spec.Name + " are made"
			if err := s.makePods(ctx, c.spec, pool, n); err != nil {
				return "", err
			}
		}
	}
	return did, nil
}

// over says whether a workload has ended, and whether some of it still stands. What
// Muster does not know yet has not.
func (s *stage) over(key [2]string) (over, standing bool) {
	s.engine.Read(func(state *fleet.State) {
		if w := state.Workload(key[0], key[1]); w != nil && s.crews[key] != nil && w.ID > s.crews[key].after {
			over, standing = w.State.Ended(), w.At() != nil
		}
	})
	return over, standing
}

func (s *stage) isLost(p stagePod) bool {
	for i := range s.lost {
		l := &s.lost[i]
		if l.key != p.key() || l.pool != p.Labels[translate.LabelPool] || p.node() == "" {
			continue
		}
		if k := slices.Index(l.nodes, p.node()); k >= 0 {
			l.nodes = slices.Delete(l.nodes, k, k+1)
			return true
		}
	}
	return false
}

// seats counts the replicas of the state in a phase, by workload, pool and node.
func (s *stage) seats(phase fleet.Phase) (count map[string]int) {
	s.engine.Read(func(state *fleet.State) { count = seatsIn(state, phase) })
	return count
}

func seatsIn(state *fleet.State, phase fleet.Phase) map[string]int {
	count := map[string]int{}
	for _, w := range state.Workloads {
		if w.At() == nil {
			continue
		}
		for pool, replicas := range w.Held {
			for _, r := range replicas {
				if r.Phase == phase {
					count[fmt.Sprint([2]string{w.Namespace, w.Name}, w.Pools[pool].Name, " on ", w.At().Nodes[r.Node].Name)]++
				}
			}
		}
	}
	return count
}

// makePods makes pods of a pool, several at one time.
func (s *stage) makePods(ctx context.Context, spec fleet.Spec, pool fleet.Pool, n int) error {
	if err := s.home(ctx, spec.Namespace); err != nil {
		return err
	}
	todo := make(chan kubetest.JSON, n)
	for range n {
		s.made++
		todo <- s.podOf(spec, pool)
	}
	close(todo)
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range min(n, 16) {
		all.Go(func() {
			for p := range todo {
				var made struct{ Metadata struct{ UID string } }
				err := s.c.Call(ctx, http.MethodPost, "/api/v1/namespaces/"+spec.Namespace+"/pods", p, &made)
				mu.Lock()
				s.born[made.Metadata.UID] = s.set.Now().Add(-settling)
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return failed
}

// podOf is a pod as a person's template says.
func (s *stage) podOf(spec fleet.Spec, pool fleet.Pool) kubetest.JSON {
	size := fmt.Sprint(pool.Min)
	if pool.Elastic {
		size = fmt.Sprintf("%d..%d", pool.Min, pool.Max)
	}
	p := target(kubetest.Pod(spec.Namespace, fmt.Sprintf("%s-%s-%05d", spec.Name, strings.ToLower(pool.Name), s.made), pool.GPUs), strings.ReplaceAll(spec.Target, "/", "."),
		translate.AnnotationPriority, spec.Priority.String(), translate.AnnotationRank, fmt.Sprint(pool.Rank), translate.AnnotationReach, string(pool.Reach),
		translate.AnnotationReplicas, size, translate.AnnotationGrace, spec.Grace.String())
	meta := p["metadata"].(kubetest.JSON)
	labels, notes := meta["labels"].(kubetest.JSON), meta["annotations"].(kubetest.JSON)
	labels[translate.LabelWorkload], labels[translate.LabelPool] = spec.Name, pool.Name
	meta["finalizers"] = []string{held}
	for key, d := range map[string]time.Duration{translate.AnnotationMaxRuntime: spec.MaxRuntime, translate.AnnotationCheckpoint: spec.CheckpointEvery} {
		if d > 0 {
			notes[key] = d.String()
		}
	}
	if spec.Partition != "" {
		notes[translate.AnnotationPartition] = spec.Partition
	}
	return p
}

// home makes a namespace that is enrolled, once.
func (s *stage) home(ctx context.Context, name string) error {
	if s.homes[name] {
		return nil
	}
	s.homes[name] = true
	if err := s.c.Call(ctx, http.MethodPost, "/api/v1/namespaces", kubetest.Namespace(name), nil); err != nil && codeOf(err) != http.StatusConflict {
		return err
	}
	labels := kubetest.JSON{"metadata": kubetest.JSON{"labels": kubetest.JSON{"muster.dev/enrolled": "true"}}}
	return s.c.Call(ctx, http.MethodPatch, "/api/v1/namespaces/"+name, labels, nil)
}

// Wrong lists where the cluster is not as the state says.
func (s *stage) Wrong(state *fleet.State) (wrong []string) {
	want, leaving := seatsIn(state, fleet.Running), seatsIn(state, fleet.Leaving)
	for _, p := range s.list(context.Background()) {
		seat := fmt.Sprint(p.key(), p.Labels[translate.LabelPool], " on ", p.node())
		switch {
		case len(p.gates) > 0 || p.over():
		case p.DeletionTimestamp != "":
			leaving[seat]--
		default:
			want[seat]--
		}
	}
	for seat, n := range want {
		if n != 0 {
			wrong = append(wrong, fmt.Sprintf("%s: %d more should run", seat, n))
		}
	}
	for seat, n := range leaving {
		if n != 0 {
			wrong = append(wrong, fmt.Sprintf("%s: %d more should be leaving", seat, n))
		}
	}
	slices.Sort(wrong)
	return wrong
}

// clear takes all pods and nodes away; the namespaces stay.
func (s *stage) clear(ctx context.Context) {
	w := &world{t: s.t, c: s.c, ctx: ctx}
	w.eventually(patient, "an empty stage", func() string {
		_ = s.c.Call(ctx, http.MethodDelete, "/api/v1/nodes", nil, nil)
		pods := s.list(ctx)
		for _, p := range pods {
			_ = s.release(ctx, p, true)
		}
		var nodes struct{ Items []kubetest.JSON }
		if err := s.c.Call(ctx, http.MethodGet, "/api/v1/nodes", nil, &nodes); err != nil || len(nodes.Items)+len(pods) > 0 {
			return fmt.Sprintf("%d pods and %d nodes are left, %v", len(pods), len(nodes.Items), err)
		}
		return ""
	})
}

// dump logs what the driver wants and what is there.
func (s *stage) dump() {
	for _, w := range s.driver.all() {
		s.t.Logf("wanted: %+v running %v leaving %v", w.Job, w.running, w.leaving)
	}
	for _, p := range s.list(context.Background()) {
		s.t.Logf("pod %s: gates %d, on %q, pinned %q, %s %s %v", p.path(), len(p.gates), p.on, p.Annotations[translate.AnnotationNode], p.phase, p.DeletionTimestamp, p.Finalizers)
	}
}
