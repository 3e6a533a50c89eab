package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

type object = map[string]any

// site is the API server of a cluster that is built. It keeps objects by their path, and makes
// Jobs; it may lose answers, before or after it did what was asked.
type site struct {
	t       *testing.T
	objects map[string]object
	made    []string
	answers int
	loses   map[int]bool // of its answers, by number
	breaks  map[int]bool // what it does not even do
}

func newSite(t *testing.T, nodes int) (*site, *Building) {
	t.Helper()
	s := &site{t: t, objects: map[string]object{}}
	s.put("/api/v1/namespaces/muster-validation/podtemplates/nd", object{
		"kind": "PodTemplate", "apiVersion": "v1", "metadata": object{"name": "nd"},
		"template": object{"metadata": object{"labels": object{"app": "validate"}}, "spec": object{"containers": []any{object{"name": "nccl", "image": "nccl:1"}}}},
	})
	for i := range nodes {
		s.node(fmt.Sprintf("n%d", i), true)
	}
	server := httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(server.Close)
	c, err := connect(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return s, &Building{Reach: func(cluster string) *Client {
		if cluster != "lynx" {
			return nil
		}
		return c
	}}
}

func (s *site) put(path string, o object) { s.objects[path] = o }

// node has 8 GPUs on island a.
func (s *site) node(name string, ready bool) {
	status := "False"
	if ready {
		status = "True"
	}
	gpus := object{"nvidia.com/gpu": "8"}
	s.put("/api/v1/nodes/"+name, object{
		"kind": "Node", "apiVersion": "v1",
		"metadata": object{"name": name, "uid": "uid-" + name, "labels": object{"muster.dev/gpu": "h200", "muster.dev/island": "a"}},
		"status":   object{"capacity": gpus, "allocatable": gpus, "conditions": []any{object{"type": "Ready", "status": status}}},
	})
}

func (s *site) answer(w http.ResponseWriter, r *http.Request) {
	s.answers++
	w.Header().Set("Content-Type", "application/json")
	if s.breaks[s.answers] {
		s.refuse(w, http.StatusInternalServerError, "InternalError")
		return
	}
	code, is := s.do(r)
	if s.loses[s.answers] {
		s.refuse(w, http.StatusInternalServerError, "InternalError")
		return
	}
	if code >= 400 {
		s.refuse(w, code, map[int]string{404: "NotFound", 409: "AlreadyExists"}[code])
		return
	}
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(is)
}

func (s *site) refuse(w http.ResponseWriter, code int, reason string) {
	w.WriteHeader(code)
	_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"message":"the API server says %s","code":%d}`, reason, reason, code)
}

func (s *site) do(r *http.Request) (int, any) {
	if r.Method == http.MethodPost {
		body, _ := io.ReadAll(r.Body)
		var is object
		if err := json.Unmarshal(body, &is); err != nil {
			s.t.Error(err)
		}
		meta := is["metadata"].(object)
		at := r.URL.Path + "/" + meta["name"].(string)
		if s.objects[at] != nil {
			return http.StatusConflict, nil
		}
		meta["uid"], meta["creationTimestamp"] = "uid-of-"+meta["name"].(string), time.Unix(int64(len(s.made)), 0).UTC().Format(time.RFC3339)
		s.put(at, is)
		s.made = append(s.made, at)
		return http.StatusCreated, is
	}
	if r.URL.Path == "/livez" {
		return http.StatusOK, "ok"
	}
	if is := s.objects[r.URL.Path]; is != nil {
		return http.StatusOK, is
	}
	if kind := map[string]string{"nodes": "Node", "jobs": "Job", "pods": "Pod"}[r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]]; kind != "" {
		items := []any{}
		for path, o := range s.objects {
			if strings.HasPrefix(path, r.URL.Path+"/") {
				items = append(items, o)
			}
		}
		return http.StatusOK, object{"kind": kind + "List", "apiVersion": map[bool]string{true: "batch/v1", false: "v1"}[kind == "Job"], "metadata": object{}, "items": items}
	}
	return http.StatusNotFound, nil
}

// ends makes the Job of a node end; its pod ran on a node, and left a message.
func (s *site) ends(node, ran string, exit int, message string) {
	s.t.Helper()
	for _, at := range slices.Backward(s.made) {
		job := s.objects[at]
		meta := job["metadata"].(object)
		if meta["annotations"].(object)["muster.dev/node"] != node {
			continue
		}
		end := object{"type": "Complete", "status": "True"}
		if exit != 0 {
			end = object{"type": "Failed", "status": "True", "message": "a pod has failed"}
		}
		job["status"] = object{"conditions": []any{end}}
		s.put("/api/v1/namespaces/muster-validation/pods/"+meta["name"].(string)+"-x", object{
			"kind": "Pod", "apiVersion": "v1",
			"metadata": object{"name": meta["name"].(string) + "-x", "ownerReferences": []any{object{"apiVersion": "batch/v1", "kind": "Job", "name": meta["name"], "uid": meta["uid"]}}},
			"spec":     object{"nodeName": ran}, "status": object{"containerStatuses": []any{object{"name": "nccl", "state": object{"terminated": object{"exitCode": exit, "message": message}}}}},
		})
		return
	}
	s.t.Fatalf("no Job is for node %s", node)
}

func (s *site) endAll(nodes int) {
	for i := range nodes {
		name := fmt.Sprintf("n%d", i)
		s.ends(name, name, 0, "busbw 380 GB/s")
	}
}

func orderFor(step fleet.Step, attempt int) provision.Order {
	return provision.Order{
		ID: fmt.Sprintf("lynx.%s.g1.%d", step, attempt), Step: step, Generation: 1, Attempt: attempt,
		Record:    fleet.ClusterRecord{Name: "lynx", GPU: "h200", GPUsPerNode: 8, Islands: []fleet.RecordIsland{{Name: "a", Nodes: 4}}},
		Blueprint: fleet.Blueprint{Name: "nd", Version: 2, Ready: 950},
	}
}

func subjectFor(done ...fleet.Step) provision.Subject {
	o := orderFor(fleet.StepJoin, 1)
	return provision.Subject{Record: o.Record, Blueprint: o.Blueprint, Generation: 1, Done: done}
}

// carry does what a runner does once: find, and begin what is not found.
func carry(b *Building, o provision.Order) (provision.Report, error) {
	is, found, err := b.Find(context.Background(), o)
	if found || err != nil {
		return is, err
	}
	return b.Begin(context.Background(), o)
}

// The nodes of a cluster have joined once the wanted share of each island is ready, has the
// GPUs that the record says, and is where it says.
func TestNodesJoinAsTheRecordSays(t *testing.T) {
	s, b := newSite(t, 3)
	o := orderFor(fleet.StepJoin, 1)
	for _, step := range []struct {
		do   func()
		says string
		done bool
	}{
		{func() {}, "3 of 4 nodes are ready, 4 are wanted", false},
		{func() { s.node("n3", false) }, "3 of 4", false},
		{func() { s.node("n3", true); s.meta("n3")["labels"].(object)["muster.dev/island"] = "b" }, `is in island "b", which the record does not have`, false},
		{func() { s.node("n3", true); s.meta("n3")["labels"].(object)["muster.dev/gpu"] = "a100" }, `has GPUs "a100", and the record says "h200"`, false},
		{func() {
			s.node("n3", true)
			s.objects["/api/v1/nodes/n3"]["status"].(object)["allocatable"] = object{"nvidia.com/gpu": "7"}
		}, "3 of 4", false},
		{func() { s.node("n3", true) }, "4 of 4 nodes are ready", true},
	} {
		step.do()
		is, err := carry(b, o)
		text := is.Error + is.Detail
		if err != nil || !strings.Contains(text, step.says) || (is.State == fleet.OperationSucceeded) != step.done {
			t.Errorf("want %q, done %v: %+v, %v", step.says, step.done, is, err)
		}
	}
	o.Record.Name = "puma"
	if is, err := carry(b, o); err != nil || is.State != fleet.OperationRunning || !strings.Contains(is.Error, "muster agent enrol puma") {
		t.Errorf("a cluster that has not joined: %+v, %v", is, err)
	}
}

func (s *site) meta(node string) object { return s.objects["/api/v1/nodes/"+node]["metadata"].(object) }

// Each node is validated by its own Job. What it said last is the record.
func TestEachNodeIsValidatedByItsOwnJob(t *testing.T) {
	s, b := newSite(t, 4)
	o := orderFor(fleet.StepValidation, 1)
	for range 3 {
		if is, err := carry(b, o); err != nil || is.State != fleet.OperationRunning {
			t.Fatalf("%+v, %v", is, err)
		}
	}
	if len(s.made) != 4 {
		t.Fatalf("made were %v", s.made)
	}
	s.ends("n0", "n0", 0, "busbw 381 GB/s")
	s.ends("n1", "n1", 0, "")
	s.ends("n2", "n0", 0, "") // its Job ran on another node
	s.ends("n3", "n3", 3, "xid 79 on GPU 5")
	is, err := carry(b, o)
	if err != nil || is.State != fleet.OperationFailed || is.Class != fleet.ErrorUnknown {
		t.Fatalf("%+v, %v", is, err)
	}
	for _, says := range []string{"2 of 4 nodes are validated", "n3 failed: exit 3 xid 79 on GPU 5", "n2 failed: its pod ran on n0", "n0: busbw 381 GB/s"} {
		if !strings.Contains(is.Error, says) {
			t.Errorf("it does not say %q: %s", says, is.Error)
		}
	}
	o = orderFor(fleet.StepValidation, 2) // the next try is of those that failed
	for range 2 {
		if is, err := carry(b, o); err != nil || is.State != fleet.OperationRunning {
			t.Fatalf("%+v, %v", is, err)
		}
	}
	if len(s.made) != 6 {
		t.Fatalf("made were %v", s.made)
	}
	s.ends("n2", "n2", 0, "")
	s.ends("n3", "n3", 0, "")
	if is, err := carry(b, o); err != nil || is.State != fleet.OperationSucceeded {
		t.Errorf("%+v, %v", is, err)
	}
	s.meta("n3")["uid"] = "another machine"
	seen, err := b.Look(t.Context(), subjectFor(fleet.StepJoin, fleet.StepValidation))
	if err != nil || len(seen) != 3 || !seen[0].Holds || !seen[1].Holds || seen[2].Holds || !strings.Contains(seen[2].Detail, "3 of 4 nodes are validated") {
		t.Errorf("with another machine by the name of n3: %+v, %v", seen, err)
	}
}

// Whatever answer is lost, or does not even come to be, each node has exactly one Job.
func TestNoLostAnswerValidatesTwice(t *testing.T) {
	points := 0
	for at := 1; ; at++ {
		for _, after := range []bool{true, false} {
			s, b := newSite(t, 4)
			if lost := map[int]bool{at: true}; after {
				s.loses = lost
			} else {
				s.breaks = lost
			}
			o, failed := orderFor(fleet.StepValidation, 1), 0
			var is provision.Report
			for n := 0; n < 12 && is.State != fleet.OperationSucceeded; n++ {
				var err error
				if is, err = carry(b, o); err != nil {
					if failed++; errors.As(err, new(*provision.Refused)) {
						t.Fatalf("answer %d: what passes is refused: %v", at, err)
					}
					continue
				}
				if len(s.made) == 4 && is.State == fleet.OperationRunning {
					s.endAll(4)
				}
			}
			if is.State != fleet.OperationSucceeded || len(s.made) != 4 {
				t.Fatalf("answer %d: %+v after %d errors, made %v", at, is, failed, s.made)
			}
			if failed == 0 { // no answer has this number
				t.Logf("answers that were lost: %d, each before and after", points)
				if points < 10 {
					t.Errorf("only %d answers were lost", points)
				}
				return
			}
		}
		points++
	}
}

// A look asks a cluster each thing once, whatever the steps that are looked at: its nodes, the Jobs
// and their pods, each service, and whether it lives.
func TestALookAsksOnce(t *testing.T) {
	s, b := newSite(t, 4)
	s.put("/apis/apps/v1/namespaces/ops/deployments/x", object{"kind": "Deployment", "apiVersion": "apps/v1", "metadata": object{"generation": 1}, "spec": object{"replicas": 1}, "status": object{"observedGeneration": 1, "updatedReplicas": 1, "availableReplicas": 1}})
	by := provision.BySteps{}
	for _, step := range BuildingSteps() {
		by[step] = b
	}
	subject := subjectFor(fleet.StepJoin, fleet.StepValidation, fleet.StepServices)
	subject.Blueprint.Services = []string{"deployment/ops/x"}
	seen, err := by.Look(t.Context(), subject)
	if err != nil || len(seen) != 4 || s.answers != 5 {
		t.Errorf("%d calls for the evidence %+v: %v", s.answers, seen, err)
	}
	s.breaks = map[int]bool{s.answers + 1: true} // the nodes, when they are asked for first
	if seen, err = by.Look(t.Context(), subject); err == nil || len(seen) != 3 {
		t.Errorf("what can be seen is lost beside what cannot: %+v, %v", seen, err)
	}
}

// A template that is missing waits for a person, who is told where it belongs.
func TestValidationNeedsItsTemplate(t *testing.T) {
	s, b := newSite(t, 4)
	delete(s.objects, "/api/v1/namespaces/muster-validation/podtemplates/nd")
	var no *provision.Refused
	if _, err := carry(b, orderFor(fleet.StepValidation, 1)); !errors.As(err, &no) || no.Class != fleet.ErrorFix || !strings.Contains(err.Error(), "PodTemplate muster-validation/nd") {
		t.Errorf("%v", err)
	}
}

// Services are deployed once their own status says so, of their present generation.
func TestServicesAreDeployedOnceTheirStatusSaysSo(t *testing.T) {
	at := map[string]string{
		"deployment": "/apis/apps/v1/namespaces/ops/deployments/x", "daemonset": "/apis/apps/v1/namespaces/ops/daemonsets/x", "statefulset": "/apis/apps/v1/namespaces/ops/statefulsets/x",
		"job": "/apis/batch/v1/namespaces/ops/jobs/x", "application": "/apis/argoproj.io/v1alpha1/namespaces/ops/applications/x",
		"kustomization": "/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/ops/kustomizations/x", "helmrelease": "/apis/helm.toolkit.fluxcd.io/v2beta2/namespaces/ops/helmreleases/x",
	}
	ready := func(status string) []any {
		return []any{object{"type": "Ready", "status": status, "reason": "UpgradeFailed", "message": "timed out"}}
	}
	for _, c := range []struct {
		kind         string
		spec, status object
		says         string
	}{
		{"deployment", object{"replicas": 2}, object{"observedGeneration": 7, "updatedReplicas": 2, "availableReplicas": 2}, ""},
		{"deployment", object{"replicas": 2}, object{"observedGeneration": 6, "updatedReplicas": 2, "availableReplicas": 2}, "earlier generation"},
		{"deployment", object{"replicas": 3}, object{"observedGeneration": 7, "updatedReplicas": 3, "availableReplicas": 2}, "2 of 3 pods"},
		{"deployment", object{}, object{"observedGeneration": 7}, "0 of 1 pods"},
		{"daemonset", object{}, object{"observedGeneration": 7, "desiredNumberScheduled": 4, "updatedNumberScheduled": 4, "numberAvailable": 4}, ""},
		{"daemonset", object{}, object{"observedGeneration": 7, "desiredNumberScheduled": 4, "updatedNumberScheduled": 3, "numberAvailable": 4}, "3 of 4 pods"},
		{"daemonset", object{}, object{"observedGeneration": 7}, "wanted on no node"},
		{"statefulset", object{"replicas": 1}, object{"observedGeneration": 7, "readyReplicas": 1}, ""},
		{"statefulset", object{"replicas": 2}, object{"observedGeneration": 7, "readyReplicas": 2, "updatedReplicas": 1}, "1 of 2 pods"},
		{"job", nil, object{"conditions": []any{object{"type": "Complete", "status": "True"}}}, ""},
		{"job", nil, object{"conditions": []any{object{"type": "Failed", "status": "True", "message": "no route"}}}, "no route"},
		{"job", nil, object{}, "has not ended"},
		{"application", nil, object{"health": object{"status": "Healthy"}, "sync": object{"status": "Synced"}}, ""},
		{"application", nil, object{"health": object{"status": "Degraded"}, "sync": object{"status": "OutOfSync"}, "operationState": object{"message": "hook failed"}}, "health:Degraded, sync:OutOfSync (hook failed)"},
		{"kustomization", nil, object{"observedGeneration": 7, "conditions": ready("True")}, ""},
		{"kustomization", nil, object{"observedGeneration": 6, "conditions": ready("True")}, "earlier generation"},
		{"helmrelease", nil, object{"observedGeneration": 7, "conditions": ready("False")}, "UpgradeFailed: timed out"},
		{"helmrelease", nil, object{"observedGeneration": 7}, "earlier generation"},
	} {
		s, b := newSite(t, 0)
		s.put(at[c.kind], object{"kind": "X", "apiVersion": "x/v1", "metadata": object{"name": "x", "namespace": "ops", "generation": 7}, "spec": c.spec, "status": c.status})
		o := orderFor(fleet.StepServices, 1)
		o.Blueprint.Services = []string{c.kind + "/ops/x"}
		is, err := carry(b, o)
		if want := c.says == ""; err != nil || (is.State == fleet.OperationSucceeded) != want || !strings.Contains(is.Error, c.says) {
			t.Errorf("%s %v: %+v, %v", c.kind, c.status, is, err)
		}
	}
	s, b := newSite(t, 0)
	o := orderFor(fleet.StepServices, 1)
	for service, says := range map[string]string{"application/ops/x": "is not there", "secret/ops/x": "is no KIND/NAMESPACE/NAME", "dcgm": "is no KIND/NAMESPACE/NAME"} {
		o.Blueprint.Services = []string{service}
		if is, err := carry(b, o); err != nil || is.State != fleet.OperationRunning || !strings.Contains(is.Error, says) {
			t.Errorf("%s: %+v, %v", service, is, err)
		}
	}
	o.Blueprint.Services, s.breaks = []string{"application/ops/x"}, map[int]bool{}
	for i := range 100 {
		s.breaks[s.answers+i] = true
	}
	if _, found, err := b.Find(t.Context(), o); found || err == nil {
		t.Errorf("an API server that fails: found %v, %v", found, err)
	}
	if seen, err := b.Look(t.Context(), subjectFor(fleet.StepServices, fleet.StepJoin)); err == nil || len(seen) > 1 {
		t.Errorf("an API server that fails shows %+v, %v", seen, err)
	}
}
