package server

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// inTime is how long anything may take on a busy machine.
const inTime = 3 * time.Minute

// TestTwoClustersWithTheSameNames joins one control plane twice, as two clusters: so
// every node, namespace and workload has the same name in both. Each has an agent
// that dials in with the service account of the plain manifests: tiger is watched,
// lion is managed. Then lines are cut, the server dies, and both come back.
func TestTwoClustersWithTheSameNames(t *testing.T) {
	c := controlPlane(t)
	for _, object := range []struct {
		path string
		is   kubetest.JSON
	}{
		{"/api/v1/namespaces", kubetest.Namespace("oak")},
		{"/api/v1/nodes", kubetest.Node("node-1", "NVIDIA-H200", "a", "r1")},
		{"/api/v1/nodes", kubetest.Node("node-2", "NVIDIA-H200", "a", "r1")},
	} {
		c.must(http.MethodPost, object.path, object.is)
	}
	s := newSeveral(t, c)
	s.start()
	s.agent("tiger", "--observe", c.account("watch", "../../deploy/kubernetes/agent-observe.yaml"))
	s.agent("lion", "--manage", c.account("rule", "../../deploy/kubernetes/agent-manage.yaml"))
	s.until("both clusters' nodes are known, each by its own name", func(st *fleet.State) bool {
		tiger, _ := st.FindNode("node-1@tiger")
		lion, _ := st.FindNode("node-1@lion")
		return tiger != nil && tiger.ID == "tiger/h200" && lion != nil && lion.ID == "lion/h200"
	})

	c.gang("train", 2)
	s.until("lion has started the gang, and tiger sees a workload of the same name run", func(st *fleet.State) bool {
		here, there := st.Workload("oak@lion", "train"), st.Workload("oak@tiger", "train")
		return here != nil && here.State == fleet.RunningW && here.Where == "lion/h200" && there != nil && there.State == fleet.RunningW && there.Where == "tiger/h200"
	})
	before := c.pods()
	s.kubectl(c)

	s.do(core.SetPolicy{Policy: quick()})
	s.agents["lion"].stop()
	s.until("lion's reports have stopped, and tiger's have not", func(st *fleet.State) bool {
		return st.Cluster("lion").Stale && !st.Cluster("tiger").Stale
	})
	c.gang("more", 1)
	s.until("tiger sees that another pod waits", func(st *fleet.State) bool { return st.Workload("oak@tiger", "more") != nil })
	if now := c.pods(); now["train-0"] != before["train-0"] || now["train-1"] != before["train-1"] {
		t.Fatalf("a cluster that is cut off goes on with what it runs: it had %v and has %v", before, now)
	}
	s.agent("lion", "--manage", s.agents["lion"].kubeconfig)
	s.until("lion is back, and starts what waited", func(st *fleet.State) bool {
		w := st.Workload("oak@lion", "more")
		return !st.Cluster("lion").Stale && w != nil && w.State == fleet.RunningW
	})

	s.stop()
	s.start() // its agents dial again by themselves
	s.until("the server is back, and both clusters speak", func(*fleet.State) bool {
		return s.clusters().hub.Connected("tiger") == 1 && s.clusters().hub.Connected("lion") == 1
	})
	c.gang("last", 1)
	s.until("what is new starts", func(st *fleet.State) bool {
		w := st.Workload("oak@lion", "last")
		return w != nil && w.State == fleet.RunningW
	})
	after := c.pods()
	for name, was := range before {
		if after[name] != was {
			t.Errorf("pod %s was %s and is %s", name, was, after[name])
		}
	}
	if len(after) != 4 {
		t.Errorf("there are %d pods: %v", len(after), after)
	}
	s.until("everything is where its cluster shows it", func(st *fleet.State) bool {
		for _, name := range []string{"train", "more", "last"} {
			for _, cluster := range []string{"tiger", "lion"} {
				if w := st.Workload("oak@"+cluster, name); w == nil || w.Where != cluster+"/h200" {
					return false
				}
			}
		}
		return true
	})
	c.refuses("watch", [][2]string{
		{http.MethodPatch, "/api/v1/namespaces/oak/pods/train-0"},
		{http.MethodDelete, "/api/v1/namespaces/oak/pods/train-0"},
		{http.MethodPost, "/api/v1/namespaces/oak/pods/train-0/eviction"},
		{http.MethodPost, "/api/v1/namespaces/oak/pods/train-0/binding"},
		{http.MethodPost, "/api/v1/namespaces/oak/events"},
		{http.MethodPatch, "/api/v1/nodes/node-1"},
		{http.MethodGet, "/api/v1/namespaces"},
	})
	for _, namespace := range []string{"watch", "rule"} {
		c.refuses(namespace, [][2]string{
			{http.MethodGet, "/api/v1/secrets"},
			{http.MethodGet, "/api/v1/namespaces/oak/secrets/x"},
			{http.MethodGet, "/api/v1/configmaps"},
			{http.MethodPost, "/api/v1/namespaces/oak/pods"},
			{http.MethodPost, "/api/v1/namespaces/oak/pods/train-0/exec"},
			{http.MethodDelete, "/api/v1/nodes/node-1"},
			{http.MethodDelete, "/api/v1/namespaces/oak"},
			{http.MethodPost, "/apis/batch/v1/namespaces/oak/jobs"},
			{http.MethodPost, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"},
			{http.MethodPost, "/api/v1/namespaces/muster/serviceaccounts/default/token"},
		})
	}
}

// quick is a policy under which a silence is noticed soon.
func quick() fleet.Policy {
	p := fleet.DefaultPolicy()
	p.StaleAfter = time.Second
	return p
}

// several is a server for several clusters.
type several struct {
	t       *testing.T
	c       *plane
	data    string
	central []joinOptions // clusters that it reaches itself
	at      string        // where agents dial in; "" before the first start
	s       *server
	end     func()
	agents  map[string]*dialled
}

// dialled is an agent that runs.
type dialled struct {
	kubeconfig string
	stop       func()
}

func newSeveral(t *testing.T, c *plane) *several {
	s := &several{t: t, c: c, data: t.TempDir(), at: "127.0.0.1:0", agents: map[string]*dialled{}}
	t.Cleanup(func() {
		for _, a := range s.agents {
			a.stop()
		}
		s.stop()
	})
	return s
}

// start starts the server, where it was before.
func (s *several) start() {
	s.t.Helper()
	s.s, s.end = serving(s.c.ctx, s.t, upOptions{Data: s.data, Agents: s.at, Clusters: s.central})
	s.at = s.s.agents.Addr().String()
}

// serving runs a server on loopback, until it is ended.
func serving(ctx context.Context, t *testing.T, o upOptions) (s *server, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	o.Listen, o.LogLevel, o.Out, o.Err = cmp.Or(o.Listen, "127.0.0.1:0"), "info", t.Output(), t.Output()
	s = &server{began: time.Now(), upOptions: o}
	if err := s.listen(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.open(ctx); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		if err := s.run(ctx); err != nil {
			t.Error(err)
		}
		s.close()
	})
	return s, sync.OnceFunc(func() { cancel(); done.Wait() })
}

func (s *several) stop() {
	if s.end != nil {
		s.end()
	}
}

func (s *several) clusters() *multiCluster { return s.s.backend.reconcilers.(*multiCluster) }

// agent starts the agent of a cluster, as its own certificate and a service account.
func (s *several) agent(cluster, how, kubeconfig string) {
	s.t.Helper()
	is, err := enrol(s.data, enrolOptions{Cluster: cluster, Holds: time.Hour})
	if err != nil {
		s.t.Fatal(err)
	}
	identity := filepath.Join(s.t.TempDir(), cluster+".pem")
	if err := os.WriteFile(identity, append(append(is.Cert, is.Key...), is.Authority...), 0o600); err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(s.c.ctx)
	var done sync.WaitGroup
	done.Go(func() {
		o := agentOptions{Server: s.at, Identity: identity, Kubeconfig: kubeconfig, Name: cluster, Manage: how == "--manage", Kueue: how == "--kueue", Quotas: how == "--kueue", LogLevel: "info", Err: s.t.Output()}
		if err := runAgent(ctx, o); err != nil {
			s.t.Error(err)
		}
	})
	s.agents[cluster] = &dialled{kubeconfig, sync.OnceFunc(func() { cancel(); done.Wait() })}
}

// kubectl asks as people do who know their pods: of the one cluster, then of the other.
func (s *several) kubectl(c *plane) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, c.KubeconfigOf(c.Token), 0o600); err != nil {
		s.t.Fatal(err)
	}
	ask := func(args ...string) string {
		var out, trouble strings.Builder
		env := world()
		env.Out, env.Err, env.OutTerminal = &out, &trouble, false
		env.Getenv = func(string) string { return "" }
		if code := plugin(c.ctx, env, append(args, "--kubeconfig", file)); code != 0 {
			s.t.Errorf("kubectl muster %v: %d\n%s%s", args, code, &out, &trouble)
		}
		return out.String()
	}
	c.must(http.MethodPost, "/api/v1/namespaces", kubetest.Namespace("muster"))
	c.must(http.MethodPost, "/api/v1/namespaces/muster/configmaps", kubetest.JSON{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": kubetest.JSON{"name": "muster"},
		"data": kubetest.JSON{"cluster": "lion", "server": s.s.listener.Addr().String()},
	})
	for _, try := range []struct {
		args []string
		says string
	}{
		{[]string{"why", "train-0", "-n", "oak"}, "oak@lion/train"},
		{[]string{"why", "pod/train-1", "--namespace=oak"}, "oak@lion/train"},
		{[]string{"why", "train", "-n", "oak", "--cluster", "tiger"}, "oak@tiger/train"},
		{[]string{"why", "oak@tiger/train"}, "oak@tiger/train"},
		{[]string{"free", "-n", "oak"}, "lion/h200"},
		{[]string{"fit", "--gang", "1x8", "-n", "oak"}, "lion/h200"},
	} {
		if got := ask(try.args...); !strings.Contains(got, try.says) {
			s.t.Errorf("kubectl muster %v says nothing of %s:\n%s", try.args, try.says, got)
		}
	}
}

func (s *several) do(c core.Command) {
	s.t.Helper()
	if _, err := s.s.engine.Do(s.c.ctx, core.Request{Command: c, Actor: core.System, Reason: "the test"}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *several) read(look func(*fleet.State)) { s.s.engine.Read(look) }

func (s *several) until(what string, is func(*fleet.State) bool) {
	s.t.Helper()
	for end := time.Now().Add(inTime); ; time.Sleep(50 * time.Millisecond) {
		so := false
		s.read(func(st *fleet.State) { so = is(st) })
		if so {
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("after %v it is still not so: %s\npods: %v\nevents: %s", inTime, what, s.c.pods(), s.works())
		}
	}
}

func (s *several) works() string {
	var b strings.Builder
	s.read(func(st *fleet.State) {
		for _, w := range st.Workloads {
			fmt.Fprintf(&b, "%s/%s %s %s; ", w.Namespace, w.Name, w.State, w.Where)
		}
	})
	return b.String()
}

// TestAServerReachesClustersItself joins one control plane as two clusters, without any
// agent: by kubeconfigs that a file of clusters names. tiger is watched, lion is managed
// and its GPUs are measured. Then the server dies and comes back.
func TestAServerReachesClustersItself(t *testing.T) {
	c := controlPlane(t)
	c.must(http.MethodPost, "/api/v1/namespaces", kubetest.Namespace("oak"))
	c.must(http.MethodPost, "/api/v1/nodes", kubetest.Node("node-1", "NVIDIA-H200", "a", "r1"))
	s := newSeveral(t, c)
	s.central = []joinOptions{
		{Name: "tiger", Kubeconfig: c.account("watch", "../../deploy/kubernetes/agent-observe.yaml"), Quotas: true},
		{Name: "lion", Kubeconfig: c.account("rule", "../../deploy/kubernetes/agent-manage.yaml"), Manage: true, FenceAfter: 10 * time.Minute, Prometheus: "http://127.0.0.1:1"},
	}
	s.start()
	s.until("both clusters' nodes are known, each by its own name", func(st *fleet.State) bool {
		tiger, _ := st.FindNode("node-1@tiger")
		lion, _ := st.FindNode("node-1@lion")
		return tiger != nil && lion != nil && st.Cluster("tiger").Mode == fleet.Observe && st.Cluster("lion").Mode == fleet.Enforce
	})
	c.gang("train", 2)
	running := func(st *fleet.State) bool {
		here, there := st.Workload("oak@lion", "train"), st.Workload("oak@tiger", "train")
		return here != nil && here.State == fleet.RunningW && there != nil && there.State == fleet.RunningW
	}
	s.until("lion has started the gang, and tiger sees it run", running)
	before := c.pods()
	s.stop()
	s.start()
	s.until("the server is back, and all that ran still does", running)
	for name, is := range c.pods() {
		if before[name] != is {
			t.Errorf("pod %s was %s and is %s", name, before[name], is)
		}
	}
}
