package kube

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// testPlane is the control plane that the tests of this package share; its start
// takes some seconds. Each test has nodes and namespaces of its own.
var testPlane struct {
	sync.Once
	cluster *kubetest.Cluster
	err     error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if testPlane.cluster != nil {
		if part := os.Getenv("MUSTER_CONTROLPLANE_LOG"); part != "" {
			fmt.Println(testPlane.cluster.Log(part)) // to see why a test of a part that is not ours fails
		}
		testPlane.cluster.Stop()
	}
	os.Exit(code)
}

// thin is the test that runs wherever a control plane is built; the others take
// minutes, and run where they are asked for: make prove.
const thin = "TestAGangStartsWholeInOneIsland"

// controlPlane is the shared control plane, or skips the test where there is none.
func controlPlane(t *testing.T) *kubetest.Cluster {
	t.Helper()
	if os.Getenv(kubetest.Wanted) == "" && t.Name() != thin {
		t.Skip("it takes long; make controlplane-test runs it, or " + kubetest.Wanted + "=1")
	}
	if testing.Short() {
		t.Skip("a control plane is started, and -short was asked for")
	}
	testPlane.Do(func() { testPlane.cluster, testPlane.err = kubetest.Start(context.Background()) })
	if kubetest.Skips(testPlane.err) {
		t.Skip(testPlane.err)
	}
	if testPlane.err != nil {
		t.Fatal(testPlane.err)
	}
	return testPlane.cluster
}

// world is a control plane with an engine and an agent on it.
type world struct {
	t       *testing.T
	c       *kubetest.Cluster
	ctx     context.Context
	engine  *engine.Engine
	journal journal.Journal
	agent   *Reconciler
	joined  atomic.Pointer[Reconciler] // the same, to be woken
	way     *kubetest.Proxy            // by which the agent reaches the API server; nil: directly
	decided func(event.Record)         // hears what is decided, before it is durable; may be nil
	stop    func()                     // ends the agent, and waits until it has
	kill    func()                     // ends the agent in the middle of what it does
	options func(*Options)             // changes those of the next agent; nil: nothing
	binds   bool                       // Muster binds pods by itself, whatever the environment says
	yields  bool                       // kube-scheduler binds them, whatever it says
}

// newWorld clears the cluster and joins it in a mode.
func newWorld(t *testing.T, mode fleet.Mode) *world { return newWorldBy(t, nil, mode) }

func newWorldBy(t *testing.T, way *kubetest.Proxy, mode fleet.Mode, set ...func(*world)) *world {
	w := &world{t: t, c: controlPlane(t), way: way}
	for _, each := range set {
		each(w)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Minute)
	w.ctx = ctx
	t.Cleanup(cancel)
	w.clear()
	w.journal = memory.New()
	w.open()
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = 0
	w.do(core.SetPolicy{Policy: policy})
	t.Cleanup(func() { _ = w.engine.Close() })
	w.join(mode)
	return w
}

// open starts the engine on the journal.
func (w *world) open() {
	w.t.Helper()
	e, err := engine.Open(w.ctx, engine.Options{
		Journal: w.journal,
		Wake: func(string) {
			if r := w.joined.Load(); r != nil {
				r.Wake()
			}
		},
		Plan: func(r event.Record, _ *fleet.State) func() {
			if w.decided != nil {
				w.decided(r)
			}
			return nil
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.engine = e
}

// restart is a server that dies and comes back on the same journal.
func (w *world) restart(mode fleet.Mode) {
	w.t.Helper()
	w.stop()
	_ = w.engine.Close()
	w.open()
	w.join(mode)
}

// join starts an agent; an earlier one must have been stopped.
func (w *world) join(mode fleet.Mode) {
	client, judge := w.entitledClient(w.entitled(mode), mode)
	o := Options{Translate: translate.Defaults("tiger"), Mode: mode, Quotas: true, Log: slog.New(slog.NewTextHandler(w.t.Output(), nil))}
	if w.options != nil {
		w.options(&o)
	}
	w.agent = NewReconciler(client, testEngine{w.engine}, o)
	w.joined.Store(w.agent)
	ctx, stop := context.WithCancel(w.ctx)
	done := make(chan error, 1)
	go func() { done <- w.agent.Run(ctx) }()
	w.kill = stop
	w.stop = sync.OnceFunc(func() {
		stop()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
		judge()
	})
	w.t.Cleanup(w.stop)
}

// entitled is the kubeconfig of a user who has exactly the rights of
// deploy/kubernetes/rbac.yaml for a mode, and no others.
func (w *world) entitled(mode fleet.Mode) string {
	w.t.Helper()
	w.manifest("../../../deploy/kubernetes/rbac.yaml")
	roles := []string{"muster-observe"}
	if o := new(Options); w.options != nil {
		if w.options(o); o.Kueue {
			roles = append(roles, "muster-kueue")
		}
	}
	if mode == fleet.Enforce {
		roles = append(roles, "muster-manage")
	}
	if mode == fleet.Enforce && w.direct() {
		roles = append(roles, "muster-bind")
	}
	for _, role := range []string{"muster-manage", "muster-kueue", "muster-bind"} {
		w.c.Revoke(w.ctx, role)
	}
	for _, role := range roles {
		if err := w.c.Grant(w.ctx, "agent", role); err != nil {
			w.t.Fatal(err)
		}
	}
	file := filepath.Join(w.t.TempDir(), "kubeconfig")
	url := w.c.URL
	if w.way != nil {
		url = w.way.URL()
	}
	if err := os.WriteFile(file, kubetest.KubeconfigTo(url, "agent"), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return file
}

// keptSpaces are namespaces that are emptied, not deleted: the namespace controller
// takes more than five seconds for that, whatever is in them.
var keptSpaces = []string{"ash", "elm", "oak", "stranger", "stray", "trial"}

// clear removes what tests have made.
func (w *world) clear() {
	w.t.Helper()
	began := time.Now()
	defer func() { w.t.Logf("cleared in %s", time.Since(began).Round(time.Millisecond)) }()
	w.eventually(patient, "an empty cluster", func() (left string) {
		if err := w.c.Call(w.ctx, http.MethodDelete, "/api/v1/nodes", nil, nil); err != nil { // a test that failed in a visit has left its marks
			_ = w.c.Call(w.ctx, http.MethodDelete, "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/muster-maintenance", nil, nil)
		}
		if w.c.Call(w.ctx, http.MethodGet, kueueAPI+"clusterqueues", nil, nil) == nil { // who only watches takes quotas from there
			left = w.withoutKueue()
		}
		for _, space := range w.spaces() {
			w.empty(space)
			if !slices.Contains(keptSpaces, space) {
				_ = w.c.Call(w.ctx, http.MethodDelete, "/api/v1/namespaces/"+space, nil, nil)
				left = space
			}
		}
		var pods, nodes struct{ Items []kubetest.JSON }
		if err := errors.Join(w.c.Call(w.ctx, http.MethodGet, "/api/v1/pods", nil, &pods), w.c.Call(w.ctx, http.MethodGet, "/api/v1/nodes", nil, &nodes)); err != nil {
			return err.Error()
		}
		if n, m := len(pods.Items), len(nodes.Items); n+m > 0 {
			left = fmt.Sprintf("%d pods and %d nodes", n, m)
		}
		return left
	})
}

// empty removes everything in a namespace, first what makes pods.
func (w *world) empty(space string) {
	const all = "?propagationPolicy=Background&gracePeriodSeconds=0"
	for _, kind := range []string{
		"/apis/trainer.kubeflow.org/v1alpha1/%s/trainjobs", "/apis/trainer.kubeflow.org/v1alpha1/%s/trainingruntimes", // where the cluster knows them
		"/apis/jobset.x-k8s.io/v1alpha2/%s/jobsets", "/apis/leaderworkerset.x-k8s.io/v1/%s/leaderworkersets", "/apis/ray.io/v1/%s/rayclusters",
		"/apis/kubeflow.org/v2beta1/%s/mpijobs",
		"/apis/apps/v1/%s/deployments", "/apis/apps/v1/%s/statefulsets", "/apis/apps/v1/%s/replicasets", "/apis/batch/v1/%s/jobs",
		"/apis/policy/v1/%s/poddisruptionbudgets", "/api/v1/%s/pods", "/api/v1/%s/resourcequotas", "/api/v1/%s/events",
	} {
		_ = w.c.Call(w.ctx, http.MethodDelete, fmt.Sprintf(kind, "namespaces/"+space)+all, nil, nil)
	}
	labels := kubetest.JSON{"metadata": kubetest.JSON{"labels": kubetest.JSON{"muster.dev/enrolled": nil}}}
	_ = w.c.Call(w.ctx, http.MethodPatch, "/api/v1/namespaces/"+space, labels, nil)
}

// spaces lists the namespaces that tests have made.
func (w *world) spaces() (names []string) {
	var list struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	if err := w.c.Call(w.ctx, http.MethodGet, "/api/v1/namespaces", nil, &list); err != nil {
		return []string{err.Error()}
	}
	for _, s := range list.Items {
		if !strings.HasPrefix(s.Metadata.Name, "kube") && s.Metadata.Name != "default" {
			names = append(names, s.Metadata.Name)
		}
	}
	return names
}

func (w *world) do(c core.Command) {
	w.t.Helper()
	if _, err := w.engine.Do(w.ctx, core.Request{Command: c, Actor: core.Actor{Name: "operator:ops", Operator: true}, Reason: "the test"}); err != nil {
		w.t.Fatalf("%T: %v", c, err)
	}
}

func (w *world) call(method, path string, send kubetest.JSON, into any) {
	w.t.Helper()
	var body any
	if send != nil {
		body = send
	}
	if err := w.c.Call(w.ctx, method, path, body, into); err != nil {
		w.t.Fatal(err)
	}
}

// nodes makes islands i0, i1, ... of nodes each, half of them in either rack.
func (w *world) nodes(islands, each int) {
	w.t.Helper()
	var list []kubetest.JSON
	for i := range islands {
		for k := range each {
			island := fmt.Sprintf("i%d", i)
			list = append(list, kubetest.Node(fmt.Sprintf("%s-n%03d", island, k), "NVIDIA-H200", island, fmt.Sprintf("%s-r%d", island, 2*k/each)))
		}
	}
	if err := w.c.CreateAll(w.ctx, "/api/v1/nodes", list); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) namespace(name string, gpus int) {
	w.t.Helper()
	if err := w.c.Call(w.ctx, http.MethodPost, "/api/v1/namespaces", kubetest.Namespace(name), nil); err != nil && codeOf(err) != http.StatusConflict {
		w.t.Fatal(err)
	}
	if gpus > 0 {
		w.call(http.MethodPost, "/api/v1/namespaces/"+name+"/resourcequotas", kubetest.ResourceQuota(name, gpus), nil)
	}
}

func (w *world) pod(p kubetest.JSON) {
	w.t.Helper()
	w.call(http.MethodPost, "/api/v1/namespaces/"+p["metadata"].(kubetest.JSON)["namespace"].(string)+"/pods", p, nil)
}

// read looks at the state, on a copy that may be asked anything.
func (w *world) read(look func(*fleet.State)) {
	w.engine.Read(func(s *fleet.State) { look(s.Fork()) })
}

// patient is how long anything may take: a machine may be busy with other things. A test that waits
// for nothing must end well before all of them have to.
const patient = 5 * time.Minute

// eventually waits until nothing is missing any more; missing says what is, "" for
// nothing. However short within is, a busy machine is given its time.
func (w *world) eventually(within time.Duration, what string, missing func() string) {
	w.t.Helper()
	within = max(within, patient)
	deadline := time.Now().Add(within)
	for {
		lacks := missing()
		if lacks == "" {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("%s: not within %s: %s", what, within, lacks)
		}
		time.Sleep(50 * time.Millisecond) // the cluster is another process: there is nothing to wait on
	}
}

// sound asks that no law is broken.
func (w *world) sound() {
	w.t.Helper()
	w.read(func(s *fleet.State) {
		for _, b := range invariant.Check(s) {
			w.t.Errorf("broken: %s", b)
		}
	})
}
