package kube

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// What a server that was taken over writes in a way that an agent and an API server read differently stays at the door,
// and so does what takes away what others have written.
func TestWhatIsReadInTwoWaysStaysAtTheDoor(t *testing.T) {
	const strategic, merge = "application/strategic-merge-patch+json", "application/merge-patch+json"
	const pod, node, train = "/api/v1/namespaces/oak/pods/muster-0", "/api/v1/nodes/n1", "/apis/batch/v1/namespaces/oak/jobs/muster-train"
	const bind = `{"kind":"Binding","apiVersion":"v1","metadata":{"name":"muster-0","uid":"u",%s},"target":{"kind":"Node","name":"n1"}}`
	for what, call := range map[string]struct{ method, path, kind, body string }{
		"a taint of two keys":               {"PATCH", node, merge, `{"spec":{"taints":[{"key":"theirs","effect":"NoSchedule"},{"key":"evil","Key":"muster.dev/x","effect":"NoExecute"}]}}`},
		"a taint that is taken away":        {"PATCH", node, strategic, `{"spec":{"taints":[{"$patch":"delete","key":"theirs","effect":"NoSchedule"}]}}`},
		"taints that are taken away":        {"PATCH", node, merge, `{"spec":null}`},
		"a node's labels":                   {"PATCH", node, merge, `{"metadata":{"labels":null}}`},
		"a node's annotations":              {"PATCH", node, merge, `{"metadata":{"annotations":null}}`},
		"a node's conditions":               {"PATCH", node + "/status", merge, `{"status":{"conditions":[{"type":"muster.dev/x","status":"True"}]}}`},
		"no conditions of a node":           {"PATCH", node + "/status", strategic, `{"status":{"conditions":null}}`},
		"no status of a node":               {"PATCH", node + "/status", strategic, `{"status":null}`},
		"the gates of others":               {"PATCH", pod, strategic, `{"metadata":{"uid":"u"},"spec":{"schedulingGates":null}}`},
		"the gates of others, in a list":    {"PATCH", pod, merge, `{"metadata":{"uid":"u"},"spec":{"schedulingGates":[]}}`},
		"a pod's annotations":               {"PATCH", pod, strategic, `{"metadata":{"uid":"u","annotations":null}}`},
		"a UID that another object follows": {"PATCH", train, merge, `{"metadata":{"uid":"u"},"metadata":{"annotations":{}},"spec":{"suspend":true}}`},
		"a binding's annotations":           {"POST", pod + "/binding", "application/json", strings.Replace(bind, "%s", `"annotations":{"cdi.k8s.io/x":"vendor.example/device=all"}`, 1)},
		"a binding's labels":                {"POST", pod + "/binding", "application/json", strings.Replace(bind, "%s", `"labels":{"app":"web"}`, 1)},
	} {
		c := newCastle(t, Mode{Manage: true})
		r := httptest.NewRequest(call.method, call.path, strings.NewReader(call.body))
		r.Header.Set("Content-Type", call.kind)
		w := httptest.NewRecorder()
		c.outside.ServeHTTP(w, r)
		if w.Code != http.StatusForbidden || len(c.written) > 0 {
			t.Errorf("%s is answered with %d %s", what, w.Code, w.Body)
		}
	}
}

// twice is a visit's Job with a spec before its own. An API server puts both together.
func twice(t *testing.T, spec string) func([]byte) []byte {
	t.Helper()
	return func(data []byte) []byte {
		return []byte(`{"spec":` + spec + `,` + strings.TrimPrefix(string(data), "{"))
	}
}

const evilSpec = `{"template":{"spec":{"hostPID":true,"initContainers":[{"name":"evil","image":"evil:1","securityContext":{"privileged":true}}]}}}`

func TestAVisitsJobWithTwoSpecsIsNotMade(t *testing.T) {
	change := twice(t, evilSpec)
	y, jobs := newYard(t)
	if _, err := throughAgent(t, jobs, Mode{Manage: true}, change).Begin(t.Context(), overLine); err == nil || len(y.made) > 0 {
		t.Errorf("it is made: %v, %v", err, y.made)
	}
	scheme := runtime.NewScheme()
	if err := batchv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]any{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": "x"},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"name": "good", "image": "good:1"}}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	is, _, err := serializer.NewCodecFactory(scheme).UniversalDeserializer().Decode(change(data), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if job := is.(*batchv1.Job); len(job.Spec.Template.Spec.InitContainers) != 1 || len(job.Spec.Template.Spec.Containers) != 1 {
		t.Errorf("as an API server reads it, it is %+v", job.Spec.Template.Spec)
	}
}
