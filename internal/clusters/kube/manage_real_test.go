package kube

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// manifest creates what a file of manifests has.
func (w *world) manifest(file string) {
	w.t.Helper()
	if err := w.c.Create(w.ctx, file); err != nil {
		w.t.Fatal(err)
	}
}

// document is the first object of a kind in a file of manifests.
func (w *world) document(file, kind string) kubetest.JSON {
	w.t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	docs := yaml.NewDecoder(bytes.NewReader(data))
	for {
		object := kubetest.JSON{}
		if err := docs.Decode(&object); err != nil {
			w.t.Fatalf("%s: no %s: %v", file, kind, err)
		}
		if object["kind"] == kind {
			return object
		}
	}
}

// managing is a world in which Muster acts: islands of nodes, and a quota for each
// of some teams, whose namespaces are enrolled; below 0: a namespace that is not.
func managing(t *testing.T, islands, each int, grants map[string]int) *world {
	return managingBy(t, nil, islands, each, grants)
}

// managingBy is managing with an agent that reaches the API server by a way of its own.
func managingBy(t *testing.T, way *kubetest.Proxy, islands, each int, grants map[string]int) *world {
	return newWorldBy(t, way, fleet.Enforce).managed(islands, each, grants)
}

// managed gives a world its nodes and quotas.
func (w *world) managed(islands, each int, grants map[string]int) *world {
	w.admission()
	w.nodes(islands, each)
	for _, team := range slices.Sorted(maps.Keys(grants)) {
		if grants[team] < 0 {
			w.namespace(team, 0)
			continue // not enrolled
		}
		w.enrolled(team)
	}
	w.eventually(60*time.Second, "the nodes", func() string { return w.figures(islands*each*8, islands*each*8) })
	for _, team := range slices.Sorted(maps.Keys(grants)) {
		if grants[team] > 0 {
			w.do(core.CreateQuota{Path: team, Access: fleet.Access{Namespaces: []string{"tiger/" + team}}})
			w.do(core.SetGrant{Quota: team, Partition: "tiger/h200", GPUs: grants[team]})
		}
	}
	w.gateWorks()
	return w
}

// gateWorks waits until the policy is in force, which the API server takes a moment for.
func (w *world) gateWorks() {
	w.enrolled("trial")
	w.eventually(20*time.Second, "the gate", func() string {
		p := target(kubetest.Pod("trial", "trial", 1), "flex")
		var made struct {
			Spec struct {
				SchedulingGates []kubetest.JSON
				SchedulerName   string
			}
		}
		if err := w.c.Call(w.ctx, http.MethodPost, "/api/v1/namespaces/trial/pods?dryRun=All", p, &made); err != nil {
			return err.Error()
		}
		if direct := made.Spec.SchedulerName == translate.Scheduler; direct != w.direct() || !direct && len(made.Spec.SchedulingGates) == 0 {
			return "the pod is not admitted as it should be"
		}
		return ""
	})
}

// direct says whether Muster binds pods by itself in this test: as it does by itself, or as the
// test asks. MUSTER_BIND=scheduler leaves it to kube-scheduler in all tests that ask for nothing.
func (w *world) direct() bool {
	return w.binds || !w.yields && os.Getenv("MUSTER_BIND") != "scheduler"
}

// bindingMark says in admission.yaml who binds pods.
const bindingMark = "'direct' == 'direct'"

// admission lets pods that name a target wait for Muster, in the way that this test is about.
func (w *world) admission() {
	w.t.Helper()
	const policies = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/"
	mark := bindingMark
	if !w.direct() {
		mark = "'scheduler' == 'direct'"
	}
	var is struct {
		Spec struct {
			Variables []struct{ Name, Expression string }
		}
	}
	if err := w.c.Call(w.ctx, http.MethodGet, policies+"muster-templates", nil, &is); err == nil && len(is.Spec.Variables) > 0 && is.Spec.Variables[0].Expression == mark {
		return
	}
	for _, name := range []string{"muster-admission", "muster-templates"} { // they are of another test
		_ = w.c.Call(w.ctx, http.MethodDelete, policies+name, nil, nil)
	}
	data, err := os.ReadFile("../../../deploy/kubernetes/admission.yaml")
	if err != nil {
		w.t.Fatal(err)
	}
	if strings.Count(string(data), bindingMark) < 3 {
		w.t.Fatal("the policies do not say who binds pods")
	}
	to := filepath.Join(w.t.TempDir(), "admission.yaml")
	if err := os.WriteFile(to, []byte(strings.ReplaceAll(string(data), bindingMark, mark)), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.manifest(to)
}

// target gives a pod a target and annotations, two by two.
func target(p kubetest.JSON, target string, notes ...string) kubetest.JSON {
	meta := p["metadata"].(kubetest.JSON)
	meta["labels"].(kubetest.JSON)[translate.LabelTarget] = target
	for i := 0; i+1 < len(notes); i += 2 {
		meta["annotations"].(kubetest.JSON)[notes[i]] = notes[i+1]
	}
	return p
}

// job is a Job of one-node pods.
func job(namespace, name string, pods int, of string, notes ...string) kubetest.JSON {
	p := target(kubetest.Pod(namespace, name, 8), of, notes...)
	meta, spec := p["metadata"].(kubetest.JSON), p["spec"].(kubetest.JSON)
	spec["restartPolicy"] = "Never"
	return kubetest.JSON{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": kubetest.JSON{"name": name, "namespace": namespace},
		"spec": kubetest.JSON{
			"parallelism": pods, "completions": pods, "completionMode": "Indexed", "backoffLimit": 100,
			"template": kubetest.JSON{"metadata": kubetest.JSON{"labels": meta["labels"], "annotations": meta["annotations"]}, "spec": spec},
		},
	}
}

func (w *world) job(j kubetest.JSON) {
	w.t.Helper()
	w.call(http.MethodPost, "/apis/batch/v1/namespaces/"+j["metadata"].(kubetest.JSON)["namespace"].(string)+"/jobs", j, nil)
}

// waits says whether a pod waits for Muster: by its gate, or to be bound.
func (p *shown) waits() bool {
	return len(p.Spec.SchedulingGates) > 0 || p.Spec.SchedulerName == translate.Scheduler && p.Spec.NodeName == ""
}

// shown is a pod as the API server shows it.
type shown struct {
	Metadata struct {
		Name, Namespace   string
		UID               string
		DeletionTimestamp string
		Annotations       map[string]string
		Labels            map[string]string
	}
	Spec struct {
		NodeName        string
		SchedulerName   string
		SchedulingGates []kubetest.JSON
		Containers      []struct {
			Resources struct{ Requests map[string]string }
		}
	}
	Status struct {
		Phase      string
		Conditions []struct{ Type, Status, Reason, Message string }
	}
}

func (w *world) pods(namespace string) []shown {
	var list struct{ Items []shown }
	w.call(http.MethodGet, "/api/v1/namespaces/"+namespace+"/pods", nil, &list)
	return list.Items
}

// running counts the pods of a namespace that run, and lists their nodes in order.
func (w *world) running(namespace string) (nodes []string) {
	for _, p := range w.pods(namespace) {
		if p.Status.Phase == "Running" && p.Metadata.DeletionTimestamp == "" {
			nodes = append(nodes, p.Spec.NodeName)
		}
	}
	slices.Sort(nodes)
	return nodes
}

func (w *world) runs(namespace string, want int) func() string {
	return func() string {
		if n := len(w.running(namespace)); n != want {
			return fmt.Sprintf("%d pods of %s run, %d should%s", n, namespace, want, w.whyWaiting(namespace))
		}
		return ""
	}
}

func (w *world) whyWaiting(namespace string) (text string) {
	for _, p := range w.pods(namespace) {
		text += fmt.Sprintf("\n  %s %s on %q gates %d %s %v", p.Metadata.Name, p.Status.Phase, p.Spec.NodeName, len(p.Spec.SchedulingGates), p.Metadata.DeletionTimestamp, p.Status.Conditions)
	}
	for _, p := range w.agent.watch.gpuPods() {
		if p.Namespace == namespace {
			text += fmt.Sprintf("\n  watched: %s on %q gated %t leaving %t over %t", p.Name, p.At(), p.Gated, p.Leaving, p.Over)
		}
	}
	w.read(func(s *fleet.State) {
		for _, x := range s.Workloads {
			text += fmt.Sprintf("\n  %s/%s is %s, %v", x.Namespace, x.Name, x.State, x.Replicas)
		}
	})
	return text
}

func (w *world) state(namespace, name string) (state fleet.WorkloadState) {
	w.read(func(s *fleet.State) {
		if x := s.Workload(namespace, name); x != nil {
			state = x.State
		}
	})
	return state
}

// TestAGangStartsWholeInOneIsland starts a Job of 4 pods, and lets a second wait:
// its pods say why, and start when the first has ended.
func TestAGangStartsWholeInOneIsland(t *testing.T) {
	w := managing(t, 2, 4, map[string]int{"oak": 32})
	began := time.Now()
	w.job(job("oak", "first", 4, "oak"))
	w.eventually(30*time.Second, "the first gang", w.runs("oak", 4))
	t.Logf("a Job of 4 pods runs %s after it was made", time.Since(began).Round(time.Millisecond))
	on := w.running("oak")
	if island := on[0][:2]; slices.ContainsFunc(on, func(n string) bool { return !strings.HasPrefix(n, island) }) || len(slices.Compact(slices.Clone(on))) != 4 {
		t.Errorf("the gang stands on %v, want four nodes of one island", on)
	}
	w.job(job("oak", "second", 2, "oak"))
	w.eventually(20*time.Second, "a word to the second", func() string { return w.told("oak", "second", "QuotaFull") })
	w.finish("oak", "first")
	w.eventually(30*time.Second, "the second gang", func() string {
		if s := w.state("oak", "first"); s != fleet.Finished {
			return "the first is " + string(s)
		}
		return w.runs("oak", 2)()
	})
	w.sound()
}

// told asks that the waiting pods of a workload carry a condition with a reason.
func (w *world) told(namespace, prefix, reason string) string {
	for _, p := range w.pods(namespace) {
		if !strings.HasPrefix(p.Metadata.Name, prefix) {
			continue
		}
		for _, c := range p.Status.Conditions {
			if c.Type == translate.Condition && c.Status == "False" && c.Reason == reason && c.Message != "" {
				return ""
			}
		}
	}
	return "no pod of " + prefix + " says " + reason + w.whyWaiting(namespace)
}

// finish lets the running pods of a workload end well.
func (w *world) finish(namespace, prefix string) {
	w.t.Helper()
	for _, p := range w.pods(namespace) {
		if strings.HasPrefix(p.Metadata.Name, prefix) && p.Status.Phase == "Running" {
			w.call(http.MethodPatch, "/api/v1/namespaces/"+namespace+"/pods/"+p.Metadata.Name,
				kubetest.JSON{"metadata": kubetest.JSON{"annotations": kubetest.JSON{"test.muster.dev/succeeds": "now"}}}, nil)
		}
	}
}
