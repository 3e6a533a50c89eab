package kube

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// agentOf is a site behind its agent's door; change may change a call on its way.
func agentOf(t *testing.T, b *Building, mode Mode, change func([]byte) []byte) *Building {
	t.Helper()
	inside := b.Reach("lynx")
	to, _ := url.Parse(inside.Server)
	door := &APIProxy{inside, proxyTo(to, http.DefaultTransport), &door{Mode: mode, client: inside}}
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		data := body.Bytes()
		if r.Method == http.MethodPost && change != nil {
			data = change(data)
		}
		again, _ := http.NewRequestWithContext(r.Context(), r.Method, r.URL.String(), bytes.NewReader(data))
		again.Header, again.RequestURI = r.Header.Clone(), r.RequestURI
		again.ContentLength = int64(len(data))
		door.ServeHTTP(w, again)
	}))
	t.Cleanup(outside.Close)
	c, err := connect(&rest.Config{Host: outside.URL})
	if err != nil {
		t.Fatal(err)
	}
	return &Building{Reach: func(string) *Client { return c }}
}

// An agent lets the Jobs through that validate nodes by its cluster's own template, and none that
// is different in any part.
func TestAnAgentLetsOnlyItsOwnTemplateValidate(t *testing.T) {
	s, b := newSite(t, 4)
	o := orderFor(fleet.StepValidation, 1)
	agent := agentOf(t, b, Mode{Manage: true}, nil)
	if is, err := carry(agent, o); err != nil || len(s.made) != 4 {
		t.Fatalf("through its agent: %+v, %v, made %v", is, err, s.made)
	}
	s.endAll(4)
	if is, err := carry(agent, o); err != nil || is.State != fleet.OperationSucceeded || !strings.Contains(is.Detail, "busbw 380") {
		t.Errorf("through its agent: %+v, %v", is, err)
	}
	edit := func(path ...string) func([]byte) []byte {
		return func(data []byte) []byte {
			var job object
			if err := json.Unmarshal(data, &job); err != nil {
				t.Error(err)
			}
			at := job
			for _, part := range path[:len(path)-2] {
				at = at[part].(object)
			}
			at[path[len(path)-2]] = path[len(path)-1]
			data, _ = json.Marshal(job)
			return data
		}
	}
	image := func(data []byte) []byte { return bytes.ReplaceAll(data, []byte("nccl:1"), []byte("evil:1")) }
	for what, change := range map[string]func([]byte) []byte{
		"another image": image, "host network": edit("spec", "template", "spec", "hostNetwork", "yes"), "a service account": edit("spec", "template", "spec", "serviceAccountName", "admin"),
		"another namespace": edit("metadata", "namespace", "kube-system"), "a label": edit("metadata", "labels", "app", "x"), "an annotation": edit("metadata", "annotations", "x", "y"),
		"an owner": edit("metadata", "ownerReferences", "x"), "another template": edit("metadata", "annotations", "muster.dev/blueprint", "other/1"), "no template": edit("metadata", "annotations", "muster.dev/blueprint", "../secrets/x"),
		"no JSON": func([]byte) []byte { return []byte("{") },
	} {
		s, b := newSite(t, 4)
		if _, err := carry(agentOf(t, b, Mode{Manage: true}, change), o); err == nil || len(s.made) > 0 {
			t.Errorf("%s: %v, made %v", what, err, s.made)
		}
	}
	s, b = newSite(t, 4)
	if _, err := carry(agentOf(t, b, Mode{}, nil), o); err == nil || len(s.made) > 0 {
		t.Errorf("with --observe: %v, made %v", err, s.made)
	}
}
