package kube

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/muster-fleet/muster/internal/run/executor"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// yard is an API server that keeps Jobs, pod templates and one node as text.
type yard struct {
	t       *testing.T
	objects map[string]string // by path
	made    []string
	loses   bool // it does what it is asked, and its next answer is lost
}

func newYard(t *testing.T) (*yard, VisitJobs) {
	t.Helper()
	y := &yard{t: t, objects: map[string]string{
		"/api/v1/namespaces/muster-maintenance/podtemplates/driver-580": `{"kind":"PodTemplate","apiVersion":"v1","metadata":{"name":"driver-580"},"template":{
			"metadata":{"labels":{"app":"driver"},"annotations":{"muster.dev/version":"forged"}},
			"spec":{"nodeName":"elsewhere","containers":[{"name":"a","image":"driver:580"}],"tolerations":[{"key":"theirs","operator":"Exists"}]}}}`,
		"/api/v1/nodes/n1": markedNode,
	}}
	s := httptest.NewServer(http.HandlerFunc(y.answer))
	t.Cleanup(s.Close)
	c, err := connect(&rest.Config{Host: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	return y, VisitJobs{Reach: func(cluster string) (*Client, error) {
		if cluster != "tiger" {
			return nil, &executor.Refused{Err: errors.New("this server makes no Jobs on cluster " + cluster)}
		}
		return c, nil
	}}
}

// markedNode is the yard's node in its visit.
const markedNode = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"},"spec":{"taints":[{"key":"muster.dev/maintenance","effect":"NoSchedule"}]}}`

const jobsPath = "/apis/batch/v1/namespaces/muster-maintenance/jobs"

func (y *yard) answer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	text, known := y.objects[r.URL.Path]
	if r.Method == http.MethodPost && r.URL.Path == jobsPath {
		body, _ := io.ReadAll(r.Body)
		var is struct{ Metadata struct{ Name string } }
		if err := json.Unmarshal(body, &is); err != nil {
			y.t.Error(err)
		}
		at := jobsPath + "/" + is.Metadata.Name
		if y.objects[at] != "" {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"AlreadyExists","code":409}`)
			return
		}
		y.objects[at], y.made = string(body), append(y.made, at)
		text, known = string(body), true
	}
	switch {
	case y.loses:
		y.loses = false
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"InternalError","code":500}`)
	case !known:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","message":"not found","code":404}`)
	default:
		_, _ = io.WriteString(w, text)
	}
}

// ends makes the only Job end with a condition.
func (y *yard) ends(condition, message string) {
	y.t.Helper()
	var job map[string]any
	if err := json.Unmarshal([]byte(y.objects[y.made[0]]), &job); err != nil {
		y.t.Fatal(err)
	}
	job["status"] = map[string]any{"conditions": []any{map[string]any{"type": condition, "status": "True", "message": message}}}
	text, _ := json.Marshal(job)
	y.objects[y.made[0]] = string(text)
}

var driverOrder = executor.Order{
	ID: "7-n1@tiger-0", Cluster: "tiger", Node: "n1@tiger",
	Update: fleet.NodeUpdate{Name: "driver-580", Component: fleet.Component{Name: "gpu-driver", Version: "580"}, Lasts: time.Hour, Executor: fleet.ByJob},
	Takes:  true,
}

// A Job runs the update's template on its node alone, bears the node's marks, and cannot be made twice.
func TestAVisitIsOneJobOnItsNode(t *testing.T) {
	y, jobs := newYard(t)
	y.loses = true
	if _, found, err := jobs.Find(t.Context(), driverOrder); found || err == nil {
		t.Fatalf("an API server that does not answer: found %v, %v", found, err)
	}
	if _, found, err := jobs.Find(t.Context(), driverOrder); found || err != nil {
		t.Fatalf("a Job before there is one: found %v, %v", found, err)
	}
	for range 2 {
		if is, err := jobs.Begin(t.Context(), driverOrder); err != nil || is.State != executor.Running {
			t.Fatalf("%+v, %v", is, err)
		}
	}
	if len(y.made) != 1 {
		t.Fatalf("made were %v", y.made)
	}
	var job struct {
		Spec struct {
			BackoffLimit, ActiveDeadlineSeconds int
			Template                            corev1.PodTemplateSpec
		}
	}
	if err := json.Unmarshal([]byte(y.objects[y.made[0]]), &job); err != nil {
		t.Fatal(err)
	}
	pod := job.Spec.Template
	terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	if len(terms) != 1 || !reflect.DeepEqual(terms[0].MatchFields[0].Values, []string{"n1"}) || pod.Spec.NodeName != "" {
		t.Errorf("it is bound to %+v", pod.Spec)
	}
	var bears []string
	for _, x := range pod.Spec.Tolerations {
		bears = append(bears, x.Key)
	}
	if want := []string{"theirs", "muster.dev/maintenance"}; !reflect.DeepEqual(bears[:2], want) {
		t.Errorf("it tolerates %v, want first %v", bears, want)
	}
	if pod.Spec.RestartPolicy != corev1.RestartPolicyNever || job.Spec.BackoffLimit != 0 || job.Spec.ActiveDeadlineSeconds != 4*3600 || pod.Annotations["muster.dev/version"] != "580" {
		t.Errorf("the Job is %+v", job.Spec)
	}
}

// How a Job ends is how the order ends; a node whose label says another version is seen.
func TestAJobsEndIsTheVisits(t *testing.T) {
	y, jobs := newYard(t)
	if _, err := jobs.Begin(t.Context(), driverOrder); err != nil {
		t.Fatal(err)
	}
	find := func() executor.Report {
		t.Helper()
		is, found, err := jobs.Find(t.Context(), driverOrder)
		if !found || err != nil {
			t.Fatalf("found %v, %v", found, err)
		}
		return is
	}
	if is := find(); is.State != executor.Running {
		t.Errorf("a Job that runs is %+v", is)
	}
	y.ends("Complete", "")
	if is := find(); is.State != executor.Done || is.Runs != nil {
		t.Errorf("a Job that is over is %+v", is)
	}
	y.objects["/api/v1/nodes/n1"] = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","labels":{"muster.dev/component.gpu-driver":"570"}}}`
	if is := find(); !reflect.DeepEqual(is.Runs, []fleet.Component{{Name: "gpu-driver", Version: "570"}}) {
		t.Errorf("the node was seen to run %+v", is)
	}
	y.objects["/api/v1/nodes/n1"] = strings.ReplaceAll(y.objects["/api/v1/nodes/n1"], `"570"`, `"580.65.06"`)
	if is := find(); !reflect.DeepEqual(is.Runs, []fleet.Component{driverOrder.Update.Component}) {
		t.Errorf("the node says the version more closely than the update, and was seen to run %+v", is)
	}
	y.ends("Failed", "the driver did not load")
	if is := find(); is.State != executor.Failed || !strings.Contains(is.Why, "the driver did not load") {
		t.Errorf("a Job that failed is %+v", is)
	}
	other := driverOrder
	y.objects[y.made[0]] = strings.ReplaceAll(y.objects[y.made[0]], other.ID, "somebody else's")
	if is := find(); is.State != executor.Failed || !strings.Contains(is.Why, "none that Muster made") {
		t.Errorf("a Job of somebody else is %+v", is)
	}
}

// No Job runs on a node that others may still use: it waits for the node's mark, unless the node stays as it is.
func TestAJobWaitsForItsNodesMark(t *testing.T) {
	y, jobs := newYard(t)
	y.objects["/api/v1/nodes/n1"] = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"},"spec":{"taints":[{"key":"muster.dev/probation"}]}}`
	begin := func(o executor.Order, want int) {
		t.Helper()
		if is, err := jobs.Begin(t.Context(), o); err != nil || is.State != executor.Running || len(y.made) != want {
			t.Errorf("%+v, %v, made %v", is, err, y.made)
		}
	}
	begin(driverOrder, 0)
	stays := driverOrder
	stays.ID, stays.Takes = "8-n1@tiger-0", false
	begin(stays, 1)
	y.objects["/api/v1/nodes/n1"] = markedNode
	begin(driverOrder, 2)
	delete(y.objects, "/api/v1/nodes/n1")
	gone := driverOrder
	gone.ID = "9-n1@tiger-0"
	begin(gone, 2)
}

// What no second try mends is refused; what passes is not.
func TestAJobThatCannotBeMadeIsRefused(t *testing.T) {
	y, jobs := newYard(t)
	var no *executor.Refused
	missing, elsewhere := driverOrder, driverOrder
	missing.Update.Name, elsewhere.Cluster = "unknown", "lynx"
	for _, o := range []executor.Order{missing, elsewhere} {
		if _, err := jobs.Begin(t.Context(), o); !errors.As(err, &no) {
			t.Errorf("order %s on %s: %v", o.Update.Name, o.Cluster, err)
		}
	}
	y.loses = true
	if _, err := jobs.Begin(t.Context(), driverOrder); err == nil || errors.As(err, &no) {
		t.Errorf("an API server that fails: %v", err)
	}
	if len(y.made) != 0 {
		t.Errorf("made were %v", y.made)
	}
}
