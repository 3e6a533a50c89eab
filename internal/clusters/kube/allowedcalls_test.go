package kube

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/muster-fleet/muster/internal/clusters/kube/kueue"
	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// castle is an API server behind an agent's door, which notes what was written on it.
type castle struct {
	t       *testing.T
	outside http.Handler // where a server asks
	written []string
}

func newCastle(t *testing.T, mode Mode) *castle {
	t.Helper()
	c := &castle{t: t}
	inside := httptest.NewServer(http.HandlerFunc(c.answer))
	t.Cleanup(inside.Close)
	client, err := connect(&rest.Config{Host: inside.URL})
	if err != nil {
		t.Fatal(err)
	}
	to, _ := url.Parse(inside.URL)
	c.outside = &APIProxy{client, proxyTo(to, http.DefaultTransport), &door{Mode: mode, client: client}}
	return c
}

// answer has pods and jobs, of which those called muster-… have a target, and nodes with
// another's taint.
func (c *castle) answer(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		c.written = append(c.written, r.Method+" "+r.URL.Path)
	}
	name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	labels := "{}"
	if strings.HasPrefix(name, "muster-") {
		labels = `{"muster.dev/target":"flex"}`
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case strings.Contains(r.URL.Path, "/nodes/"):
		_, _ = fmt.Fprintf(w, `{"apiVersion":"v1","kind":"Node","metadata":{"name":%q,"resourceVersion":"7"},"spec":{"taints":[{"key":"theirs","effect":"NoSchedule"}]}}`, name)
	case strings.Contains(r.URL.Path, "/jobs/"):
		_, _ = fmt.Fprintf(w, `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":%q,"namespace":"oak","labels":%s}}`, name, labels)
	default:
		_, _ = fmt.Fprintf(w, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"oak","labels":%s}}`, name, labels)
	}
}

// RoundTrip carries a server's call to the door.
func (c *castle) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	c.outside.ServeHTTP(w, r)
	return w.Result(), nil
}

// Whatever a server that was taken over asks an agent for, it sees and stops managed work
// and no more: the agent itself refuses the rest.
func TestAServerThatWasTakenOverStaysAtTheDoor(t *testing.T) {
	const strategic, merge = "application/strategic-merge-patch+json", "application/merge-patch+json"
	calls := []struct{ method, path, kind, body string }{
		{"GET", "/api/v1/secrets", "", ""},
		{"GET", "/api/v1/namespaces/oak/secrets/token", "", ""},
		{"GET", "/api/v1/namespaces/oak/configmaps/settings", "", ""},
		{"GET", "/api/v1/namespaces/oak/pods/muster-0/log", "", ""},
		{"GET", "/api/v1/namespaces/oak/pods/muster-0/exec", "", ""},
		{"GET", "/api/v1/namespaces/oak/pods/muster-0/attach", "", ""},
		{"GET", "/api/v1/namespaces/oak/pods/muster-0/portforward", "", ""},
		{"GET", "/api/v1/namespaces/oak/pods/muster-0/proxy/", "", ""},
		{"GET", "/api/v1/nodes/n1/proxy/pods", "", ""},
		{"GET", "/api/v1/namespaces/oak/services/db:80/proxy/", "", ""},
		{"GET", "/api/v1/namespaces/oak/pods/../secrets/token", "", ""},
		{"GET", "/api/v1/namespaces/oak/pods/%2e%2e/secrets/token", "", ""},
		{"GET", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", "", ""},
		{"GET", "/metrics", "", ""},
		{"POST", "/api/v1/namespaces/oak/pods/muster-0/exec", "", ""},
		{"POST", "/api/v1/namespaces/oak/pods", "application/json", `{}`},
		{"POST", "/api/v1/namespaces/oak/serviceaccounts/default/token", "application/json", `{}`},
		{"POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", "application/json", `{}`},
		{"DELETE", "/api/v1/nodes/n1", "", ""},
		{"DELETE", "/api/v1/namespaces/oak", "", ""},
		{"DELETE", "/api/v1/namespaces/oak/pods", "", ""},
		{"DELETE", "/api/v1/namespaces/oak/pods/muster-0", "", ""},
		{"DELETE", "/api/v1/namespaces/oak/pods/other-0", "application/json", `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"}}`},
		{"DELETE", "/api/v1/namespaces/kube-system/pods/muster-0", "application/json", `{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u"}}`},
		{"POST", "/api/v1/namespaces/oak/pods/other-0/binding", "application/json", `{"kind":"Binding","apiVersion":"v1","metadata":{"name":"other-0","uid":"u"},"target":{"kind":"Node","name":"n1"}}`},
		{"PUT", "/api/v1/namespaces/oak/pods/muster-0", "application/json", `{}`},
		{"PATCH", "/api/v1/namespaces/kube-system/pods/muster-0", strategic, `{"metadata":{"uid":"u"}}`},
		{"PATCH", "/api/v1/namespaces/oak/pods/other-0", strategic, `{"metadata":{"uid":"u"}}`},
		{"PATCH", "/api/v1/namespaces/oak/pods/muster-0", strategic, `{"metadata":{"annotations":{}}}`},
		{"PATCH", "/api/v1/namespaces/oak/pods/muster-0", strategic, `{"metadata":{"uid":"u"},"spec":{"containers":[{"name":"a","image":"evil"}]}}`},
		{"PATCH", "/api/v1/namespaces/oak/pods/muster-0", strategic, `{"metadata":{"uid":"u"},"spec":{"schedulingGates":[{"$patch":"replace"}]}}`},
		{"PATCH", "/api/v1/namespaces/oak/pods/muster-0", strategic, `{"metadata":{"uid":"u","ownerReferences":[]}}`},
		{"PATCH", "/api/v1/namespaces/oak/pods/muster-0", "application/json-patch+json", `[{"op":"remove","path":"/metadata"}]`},
		{"PATCH", "/api/v1/namespaces/oak/pods/muster-0", "application/apply-patch+yaml", `{"metadata":{"uid":"u"}}`},
		{"PATCH", "/api/v1/nodes/n1", merge, `{"spec":{"unschedulable":true}}`},
		{"PATCH", "/api/v1/nodes/n1", merge, `{"spec":{"taints":[]}}`},
		{"PATCH", "/api/v1/nodes/n1", merge, `{"spec":{"taints":null}}`},
		{"PATCH", "/api/v1/nodes/n1", merge, `{"spec":{"taints":[{"key":"theirs","effect":"NoSchedule"},{"key":"mine","effect":"NoExecute"}]}}`},
		{"PATCH", "/api/v1/nodes/n1", merge, `{"metadata":{"labels":{"node-role.kubernetes.io/control-plane":""}}}`},
		{"PATCH", "/api/v1/nodes/n1/status", strategic, `{"status":{"capacity":{"nvidia.com/gpu":"0"}}}`},
		{"PATCH", "/api/v1/nodes/n1/status", strategic, `{"status":{"conditions":[{"type":"Ready","status":"False"}]}}`},
		{"PATCH", "/apis/batch/v1/namespaces/oak/jobs/muster-train", merge, `{"metadata":{"uid":"u"},"spec":{"template":{}}}`},
		{"PATCH", "/apis/batch/v1/namespaces/oak/jobs/other", merge, `{"metadata":{"uid":"u"},"spec":{"suspend":true}}`},
		{"PATCH", "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/a", "application/apply-patch+yaml", `{"metadata":{"name":"a"}}`},
		{"PATCH", "/apis/apps/v1/namespaces/oak/deployments/web", merge, `{"spec":{"replicas":0}}`},
	}
	for what, mode := range map[string]Mode{"observe": {}, "manage": {Manage: true}} {
		c := newCastle(t, mode)
		for _, call := range calls {
			r := httptest.NewRequest(call.method, call.path, strings.NewReader(call.body))
			r.Header.Set("Content-Type", call.kind)
			w := httptest.NewRecorder()
			c.outside.ServeHTTP(w, r)
			if w.Code != http.StatusForbidden {
				t.Errorf("%s: %s %s %s is answered with %d", what, call.method, call.path, call.body, w.Code)
			}
		}
		if len(c.written) > 0 {
			t.Errorf("%s: it wrote %q", what, c.written)
		}
	}
}

// What Muster itself does passes.
func TestWhatMusterDoesPassesTheDoor(t *testing.T) {
	c := newCastle(t, Mode{Manage: true, Fence: true})
	client, err := Over("tiger", c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, at := t.Context(), time.Unix(1000, 0)
	pod := translate.Pod{Namespace: "oak", Name: "muster-0", UID: "u"}
	for what, err := range map[string]error{
		"start":       client.Start(ctx, pod, "n1"),
		"bind":        client.Start(ctx, translate.Pod{Namespace: "oak", Name: "muster-0", UID: "u", Binds: true}, "n1"),
		"evict":       client.Evict(ctx, pod, time.Minute),
		"kill":        client.Evict(ctx, pod, 0),
		"remove":      client.Remove(ctx, pod),
		"cheapen":     client.Cheapen(ctx, pod),
		"say":         client.Say(ctx, pod, true, "Admitted", "it starts", at),
		"note":        client.Note(ctx, pod, "Admitted", "it starts", at),
		"mark":        client.Mark(ctx, "n1", translate.MarkMaintenance, "a disk", at),
		"unmark":      client.Mark(ctx, "n1", "", "", at),
		"stage":       client.ShowStage(ctx, "n1", translate.StagePlanned, "a disk", at),
		"unstage":     client.ShowStage(ctx, "n1", "", "", at),
		"tell":        client.TellPlanned(ctx, pod, translate.StagePlanned, "a disk", at),
		"fence":       client.Fence(ctx, "n1", true),
		"suspend":     client.Suspend(ctx, ownerID{"Job", "oak", "muster-train"}, "u", true),
		"alive":       client.Alive(ctx),
		"note on job": client.NoteOn(ctx, ownerID{"Job", "oak", "muster-train"}, "u", "Queued", "it waits", at),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if len(c.written) < 14 {
		t.Errorf("it wrote only %q", c.written)
	}
	c = newCastle(t, Mode{Kueue: true})
	if client, err = Over("tiger", c); err != nil {
		t.Fatal(err)
	}
	if err := client.apply(ctx, kueue.Apply{Resource: "clusterqueues", Name: "a", Object: map[string]any{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": map[string]any{"name": "a"}}}); err != nil {
		t.Errorf("apply: %v", err)
	}
	if err := client.Remove(ctx, pod); err == nil {
		t.Error("an agent for Kueue deletes pods")
	}
}
