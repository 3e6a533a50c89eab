package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/run/executor"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

const (
	visitJobsAPI = "/apis/batch/v1/namespaces/" + VisitNamespace + "/jobs"
	newDriver    = "580"
	leastEngines = 2 // of the elastic Deployment
)

// TestARolloutByJobsBesideRunningWork brings a driver to 20 nodes by one Job each, beside a gang
// in quota, an elastic Deployment in quota, and flex. In the middle the agent dies, then the API
// server, and both come back. No node has two Jobs. kube-scheduler puts no pod onto a node in its visit, and
// another user with every right on nodes cannot delete it. The gang runs until it ends by itself.
func TestARolloutByJobsBesideRunningWork(t *testing.T) {
	r := newRollout(t)
	gang := r.uids("oak")
	r.serve()
	r.start()

	r.until("five nodes are done", func() bool { return r.done() >= 5 })
	r.theAgentDies()
	r.theAPIServerDies()
	r.join(fleet.Enforce)
	r.until("all nodes but the gang's are done", func() bool { return r.done() == r.nodes-len(gang) })
	if now := r.uids("oak"); !maps.Equal(now, gang) {
		t.Errorf("the gang was %v and is %v: it was stopped for a visit", gang, now)
	}
	r.gangMayEnd = true
	r.endGang()
	r.until("all nodes are done", func() bool { return r.done() == r.nodes })
	r.judge()
}

// rollout is a world in which an update goes from node to node.
type rollout struct {
	*world
	nodes      int
	reach      atomic.Pointer[Client] // what the server reaches the cluster by; nil while the agent is dead
	line       *httptest.Server       // of the agent
	jobs       map[string]string      // UID of each Job that was ever seen: its node
	probed     map[string]string      // nodes at which another user has aimed a pod: that pod
	refused    map[string]bool        // nodes that another user tried to delete, and was refused
	gangMayEnd bool
}

// visitJob is a Job of a visit as the API server shows it.
type visitJob struct {
	Metadata struct {
		Name, UID   string
		Annotations map[string]string
	}
	Status struct{ Succeeded, Failed int }
}

func (j *visitJob) node() string { return j.Metadata.Annotations["muster.dev/node"] }

// newRollout makes the nodes, and lets work run on them.
func newRollout(t *testing.T) *rollout {
	r := &rollout{nodes: 20, jobs: map[string]string{}, probed: map[string]string{}, refused: map[string]bool{}}
	r.world = managing(t, 2, r.nodes/2, map[string]int{"oak": 32, "elm": 32, "ash": 0})
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = 0
	policy.FlexMinimum = time.Second
	policy.Maintenance = fleet.MaintenancePolicy{Horizon: time.Hour, Lead: time.Second, Validation: time.Second, KeepRoom: time.Minute}
	r.do(core.SetPolicy{Policy: policy})
	r.otherUser()
	r.job(job("oak", "train", 4, "oak", translate.AnnotationGrace, "1s"))
	elastic := fmt.Sprintf("%d..4", leastEngines)
	r.call(http.MethodPost, "/apis/apps/v1/namespaces/elm/deployments", deployment("elm", "engines", 4, "elm", translate.AnnotationReplicas, elastic, translate.AnnotationGrace, "1s"), nil)
	for i := range 6 {
		r.job(job("ash", fmt.Sprintf("sweep-%d", i), 1, "flex", translate.AnnotationGrace, "1s"))
	}
	for space, pods := range map[string]int{"oak": 4, "elm": 4, "ash": 6} {
		r.eventually(2*time.Minute, space, r.runs(space, pods))
	}
	return r
}

// otherUser makes a namespace that Muster does not manage, and a user who may do everything with nodes and pods.
func (r *rollout) otherUser() {
	r.t.Helper()
	r.namespace("stranger", 0)
	r.manifest("../../../deploy/kubernetes/marks.yaml")
	r.grant("test-keeper", "stranger", []kubetest.JSON{{"apiGroups": []string{""}, "resources": []string{"*"}, "verbs": []string{"*"}}})
}

// start lets people keep the update's template, and an operator start the rollout.
func (r *rollout) start() {
	r.t.Helper()
	const update = "driver-580"
	r.call(http.MethodPost, "/api/v1/namespaces/"+VisitNamespace+"/podtemplates", kubetest.JSON{
		"apiVersion": "v1", "kind": "PodTemplate", "metadata": kubetest.JSON{"name": update},
		"template": kubetest.JSON{"spec": kubetest.JSON{"restartPolicy": "Never", "containers": []kubetest.JSON{{"name": "install", "image": "driver:580"}}}},
	}, nil)
	r.do(core.AddUpdate{Update: fleet.NodeUpdate{
		Name: update, Component: fleet.Component{Name: "gpu-driver", Version: newDriver}, Impact: fleet.ImpactRestart, Lasts: 30 * time.Minute, Executor: fleet.ByJob,
	}})
	r.do(core.StartRollout{Name: "r", Plan: fleet.RolloutPlan{
		Scope: "tiger/h200", Updates: []string{update}, Canary: fleet.CanaryRule{Nodes: 1, Soak: time.Second}, Waves: []fleet.Permille{1000},
		Limits: fleet.VisitLimit{PerIsland: 3, PerPartition: 5},
	}})
}

// serve has visits carried out as a server does. A runner remembers nothing that matters, so each
// turn has one of its own: whatever is asked twice is done once.
func (r *rollout) serve() {
	r.t.Helper()
	r.mayMakeJobs()
	r.dial()
	jobs := VisitJobs{Reach: func(string) (*Client, error) {
		if c := r.reach.Load(); c != nil {
			return c, nil
		}
		return nil, errors.New("no agent is connected")
	}}
	ctx, stop := context.WithCancel(r.ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for ctx.Err() == nil {
			runner := executor.New(executor.Options{
				Read: r.engine.Read, Executors: map[string]executor.Executor{fleet.ByJob: jobs},
				Do: func(ctx context.Context, q core.Request) error { _, err := r.engine.Do(ctx, q); return err },
			})
			if err := runner.Turn(ctx, fleet.InstantOf(time.Now())); err != nil && ctx.Err() == nil {
				r.t.Error(err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond): // the pace at which work outside is looked at
			}
		}
	}()
	r.t.Cleanup(func() { stop(); <-over })
}

// mayMakeJobs gives the agent's user what the plain manifest gives the agent's service account.
func (r *rollout) mayMakeJobs() {
	r.t.Helper()
	const file = "../../../deploy/kubernetes/visit-jobs.yaml"
	r.manifest(file)
	binding := r.document(file, "RoleBinding")
	binding["metadata"] = kubetest.JSON{"name": "test-agent", "namespace": VisitNamespace}
	binding["subjects"] = []kubetest.JSON{{"kind": "User", "name": "agent", "apiGroup": "rbac.authorization.k8s.io"}}
	r.call(http.MethodPost, "/apis/rbac.authorization.k8s.io/v1/namespaces/"+VisitNamespace+"/rolebindings", binding, nil)
}

// dial lets the server reach the cluster through the door of its agent.
func (r *rollout) dial() {
	r.t.Helper()
	file := filepath.Join(r.t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, kubetest.KubeconfigTo(r.c.URL, "agent"), 0o600); err != nil {
		r.t.Fatal(err)
	}
	door, err := NewAPIProxy(file, "", Mode{Manage: true})
	if err != nil {
		r.t.Fatal(err)
	}
	r.line = httptest.NewServer(door)
	r.t.Cleanup(r.line.Close)
	c, err := connect(&rest.Config{Host: r.line.URL})
	if err != nil {
		r.t.Fatal(err)
	}
	r.reach.Store(c)
}

// join brings the agent back, and its line.
func (r *rollout) join(mode fleet.Mode) {
	r.t.Helper()
	r.world.join(mode)
	r.dial()
}

// theAgentDies ends the agent in the middle of visits, and of what the server asks over its line. Work on their nodes
// goes on.
func (r *rollout) theAgentDies() {
	r.t.Helper()
	r.until("a Job runs", func() bool { return len(r.open()) > 0 })
	r.reach.Store(nil)
	r.kill()
	r.line.CloseClientConnections()
	r.line.Close()
	r.stop()
}

// theAPIServerDies restarts the API server; what it kept is there again.
func (r *rollout) theAPIServerDies() {
	r.t.Helper()
	before := r.visitJobs()
	r.c.KillPart("kube-apiserver")
	if err := r.c.StartPart("kube-apiserver"); err != nil {
		r.t.Fatal(err)
	}
	if err := r.c.Ready(r.ctx); err != nil {
		r.t.Fatal(err)
	}
	r.schedulerIsCurrent()
	r.look()
	for _, j := range before {
		if r.jobs[j.Metadata.UID] != j.node() {
			r.t.Errorf("Job %s of node %s was there before the API server died, and is not any more", j.Metadata.Name, j.node())
		}
	}
}

// schedulerIsCurrent waits until kube-scheduler hears of nodes again. After the API server was away it
// binds pods for a while by what it last knew of them, and a mark that is newer than that keeps none off.
func (r *rollout) schedulerIsCurrent() {
	r.t.Helper()
	const label, name = "test.muster.dev/seen-by-the-scheduler", "is-current"
	r.eventually(patient, "kube-scheduler hears of nodes", func() string {
		for _, node := range r.nodesDone() { // one that is in no visit, and not about to be
			patch := kubetest.JSON{"metadata": kubetest.JSON{"labels": kubetest.JSON{label: "yes"}}}
			if err := r.c.Call(r.ctx, http.MethodPatch, "/api/v1/nodes/"+node, patch, nil); err != nil {
				return err.Error()
			}
		}
		return ""
	})
	pod := kubetest.Pod("stranger", name, 0)
	pod["spec"] = kubetest.JSON{"nodeSelector": kubetest.JSON{label: "yes"}, "containers": []kubetest.JSON{{"name": "main", "image": "none"}}}
	r.pod(pod)
	r.eventually(patient, "a pod on a node with a new label", func() string {
		for _, p := range r.pods("stranger") {
			if p.Metadata.Name == name && p.Spec.NodeName != "" {
				return ""
			}
		}
		return "kube-scheduler has not bound it"
	})
	r.call(http.MethodDelete, "/api/v1/namespaces/stranger/pods/"+name+"?gracePeriodSeconds=0", nil, nil)
}

// until looks at the cluster again and again, and lets it go on, until something is so.
func (r *rollout) until(what string, so func() bool) {
	r.t.Helper()
	r.eventually(patient, what, func() string {
		r.look()
		if r.goOn(); !so() {
			return fmt.Sprintf("%d nodes are done, open are %v%s", r.done(), r.open(), r.waits())
		}
		return ""
	})
}

// look asks what must hold at every moment.
func (r *rollout) look() {
	r.t.Helper()
	mine := map[string]int{}
	for _, j := range r.visitJobs() {
		r.jobs[j.Metadata.UID] = j.node()
	}
	for uid, node := range r.jobs {
		if mine[node]++; mine[node] > 1 {
			r.t.Fatalf("node %s has a second Job, %s", node, uid)
		}
	}
	if n := len(r.running("elm")); n < leastEngines {
		r.t.Fatalf("%d engines run, and their pool has %d at least", n, leastEngines)
	}
	if why := r.paused(); why != "" {
		r.t.Fatalf("the rollout has paused: %s%s", why, r.waits())
	}
	if n := len(r.running("oak")); n != 4 && !r.gangMayEnd {
		r.t.Fatalf("%d ranks of the gang run: a part of it was taken", n)
	}
}

// goOn plays people who know nothing of the visit, and the kubelet: another user tries each node in
// its visit before its Job ends.
func (r *rollout) goOn() {
	r.t.Helper()
	for _, j := range r.visitJobs() {
		if node := j.node(); j.Status.Succeeded == 0 && r.startedOn(node) {
			r.alone(node)
			r.keepsNode(node)
			if r.keepsOut(node) {
				r.end(node)
			}
		}
	}
}

// alone asks that no work is on a node whose Job runs.
func (r *rollout) alone(node string) {
	r.t.Helper()
	for _, space := range []string{"oak", "elm", "ash"} {
		for _, p := range r.pods(space) {
			if p.Spec.NodeName == node && p.Status.Phase == "Running" && p.Metadata.DeletionTimestamp == "" {
				r.t.Fatalf("%s/%s runs on %s, which is in its visit", space, p.Metadata.Name, node)
			}
		}
	}
}

// keepsNode lets a user who has every right on nodes delete it, for good.
func (r *rollout) keepsNode(node string) {
	r.t.Helper()
	if r.refused[node] {
		return
	}
	code, says := r.as("stranger", http.MethodDelete, "/api/v1/nodes/"+node, nil)
	if code < 400 || code != 0 && !strings.Contains(says, "under maintenance") {
		r.t.Fatalf("a stranger deletes %s in its visit: %d %s", node, code, says)
	}
	r.refused[node] = true
}

// keepsOut aims a pod at a node, and says whether kube-scheduler has looked at it and left it out.
func (r *rollout) keepsOut(node string) bool {
	r.t.Helper()
	name := "aims-at-" + node
	if r.probed[node] == "" {
		pod := kubetest.Pod("stranger", name, 0)
		pod["spec"] = kubetest.JSON{"nodeSelector": kubetest.JSON{"kubernetes.io/hostname": node}, "containers": []kubetest.JSON{{"name": "main", "image": "none"}}}
		r.pod(pod)
		r.probed[node] = name
		return false
	}
	for _, p := range r.pods("stranger") {
		if p.Metadata.Name != name {
			continue
		}
		if p.Spec.NodeName != "" {
			r.t.Fatalf("kube-scheduler put pod %s onto %s, which is in its visit", name, node)
		}
		for _, c := range p.Status.Conditions {
			if c.Type == "PodScheduled" && c.Status == "False" && c.Reason == "Unschedulable" {
				r.call(http.MethodDelete, "/api/v1/namespaces/stranger/pods/"+name+"?gracePeriodSeconds=0", nil, nil)
				return false // its Job ends once the pod is gone
			}
		}
		return false
	}
	return true
}

// startedOn says whether the pod of a node's Job runs there.
func (r *rollout) startedOn(node string) bool {
	return slices.Contains(r.running(VisitNamespace), node)
}

// end lets the work on a node be over: it runs the new driver, and says so.
func (r *rollout) end(node string) {
	r.t.Helper()
	label := kubetest.JSON{"metadata": kubetest.JSON{"labels": kubetest.JSON{translate.LabelComponent + "gpu-driver": newDriver}}}
	r.call(http.MethodPatch, "/api/v1/nodes/"+node, label, nil)
	r.succeed(VisitNamespace, func(p *shown) bool { return p.Spec.NodeName == node })
}

// endGang lets the gang end by itself.
func (r *rollout) endGang() { r.succeed("oak", func(*shown) bool { return true }) }

// succeed lets pods of a namespace end well.
func (r *rollout) succeed(space string, which func(*shown) bool) {
	r.t.Helper()
	for _, p := range r.pods(space) {
		if which(&p) {
			r.call(http.MethodPatch, "/api/v1/namespaces/"+space+"/pods/"+p.Metadata.Name, notes("test.muster.dev/succeeds", "now"), nil)
		}
	}
}

func (r *rollout) visitJobs() []visitJob {
	r.t.Helper()
	var list struct{ Items []visitJob }
	r.call(http.MethodGet, visitJobsAPI, nil, &list)
	return list.Items
}

// open lists the nodes whose Job is not over.
func (r *rollout) open() (nodes []string) {
	for _, j := range r.visitJobs() {
		if j.Status.Succeeded+j.Status.Failed == 0 {
			nodes = append(nodes, j.node())
		}
	}
	return nodes
}

// done counts the nodes whose visit has passed.
func (r *rollout) done() int { return len(r.nodesDone()) }

func (r *rollout) nodesDone() (names []string) {
	r.read(func(s *fleet.State) {
		for _, is := range s.Partition("tiger/h200").Nodes {
			if is.Visit != nil && is.Visit.State == fleet.VisitDone {
				names = append(names, is.Name)
			}
		}
	})
	return names
}

// paused says why the rollout has paused; "": it has not.
func (r *rollout) paused() (why string) {
	r.read(func(s *fleet.State) {
		if is := s.Kept().Rollout("r"); is != nil && is.State == fleet.RolloutPaused {
			why = cmp.Or(is.Why, "nobody says why")
		}
	})
	return why
}

// waits says how the rollout and its visits stand.
func (r *rollout) waits() (text string) {
	r.read(func(s *fleet.State) {
		if is := s.Kept().Rollout("r"); is != nil {
			at := view.RolloutAt(s, is, fleet.InstantOf(time.Now()))
			text = fmt.Sprintf(", the rollout is %s %s and waits for %v", at.State, at.Why, at.Reasons)
		}
		for _, n := range s.Partition("tiger/h200").Nodes {
			if n.Visit != nil && n.Visit.State != fleet.VisitDone {
				text += fmt.Sprintf("\n  %s is %s, its visit %s %s", n.Name, n.State, n.Visit.State, n.Visit.Why)
			}
		}
	})
	return text
}

// uids are the pods of a namespace, by node.
func (r *rollout) uids(space string) map[string]string {
	on := map[string]string{}
	for _, p := range r.pods(space) {
		on[p.Spec.NodeName] = p.Metadata.UID
	}
	return on
}

// judge asks how all has ended.
func (r *rollout) judge() {
	r.t.Helper()
	if len(r.jobs) != r.nodes || len(r.probed) != r.nodes || len(r.refused) != r.nodes {
		r.t.Errorf("of %d nodes %d had a Job, %d were aimed at, and %d kept from being deleted", r.nodes, len(r.jobs), len(r.probed), len(r.refused))
	}
	r.read(func(s *fleet.State) {
		if is := s.Kept().Rollout("r"); is.State != fleet.RolloutDone {
			r.t.Errorf("the rollout is %s", is.State)
		}
		for _, n := range s.Partition("tiger/h200").Nodes {
			if n.Runs.Version("gpu-driver") != newDriver || n.State != fleet.Healthy && n.State != fleet.Probation {
				r.t.Errorf("node %s is %s and runs %s", n.Name, n.State, n.Runs)
			}
		}
	})
	for i := range r.nodes {
		name := fmt.Sprintf("i%d-n%03d", i%2, i/2)
		r.eventually(time.Minute, "no mark", r.shows(name, nil, nil))
	}
	for space, pods := range map[string]int{"elm": 4, "ash": 6} {
		r.eventually(time.Minute, "what gave way for visits runs again", r.runs(space, pods))
	}
	r.oneCopyPerGPU()
	r.sound()
}
