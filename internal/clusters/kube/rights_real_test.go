package kube

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// rights hears what the API server denies an agent. An agent goes on without what it may
// not ask or do, and says so in its log. Here it is a mistake. Either the agent asks for
// more than its roles have, or the roles lack something that it needs.
type rights struct {
	mu     sync.Mutex
	denied map[denial]bool
}

// denial is a call that the agent had no right to.
type denial struct{ verb, resource, group, namespace, name string }

// denials are how an API server says it, in whatever encoding.
var denials = regexp.MustCompile(`(?:"([^"]*)" )?is forbidden: User "agent" cannot ([a-z]+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]*)")?`)

// hearing carries calls, and keeps what was denied.
type hearing struct {
	http.RoundTripper
	to *rights
}

func (h hearing) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := h.RoundTripper.RoundTrip(r)
	if err != nil || res.StatusCode != http.StatusForbidden {
		return res, err
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	if m := denials.FindSubmatch(bytes.ReplaceAll(body, []byte(`\"`), []byte(`"`))); m != nil { // in JSON, or in protobuf
		h.to.mu.Lock()
		h.to.denied[denial{verb: string(m[2]), resource: string(m[3]), group: string(m[4]), namespace: string(m[5]), name: string(m[1])}] = true
		h.to.mu.Unlock()
	}
	return res, err
}

// entitledClient is a client of a user with exactly the rights of a mode. judge fails the
// test for every call beyond them. Two kinds of calls are excepted: what was denied only
// because the API server had not heard of the rights yet, and what an agent that only looks
// on asks for now and then (see optional.go).
func (w *world) entitledClient(file string, mode fleet.Mode) (client *Client, judge func()) {
	w.t.Helper()
	config, err := ConfigOf(file, "")
	if err != nil {
		w.t.Fatal(err)
	}
	heard := &rights{denied: map[denial]bool{}}
	config.Wrap(func(way http.RoundTripper) http.RoundTripper { return hearing{way, heard} })
	if client, err = connect(config); err != nil {
		w.t.Fatal(err)
	}
	return client, func() {
		heard.mu.Lock()
		defer heard.mu.Unlock()
		for d := range heard.denied {
			hopes := mode != fleet.Enforce && d.verb == "list" && slices.Contains([]string{"namespaces", "jobs", "jobsets"}, d.resource)
			if !hopes && w.denies(d) {
				w.t.Errorf("the agent asked for what its roles do not allow: %s %s %s of %q in %q", d.verb, d.resource, d.name, d.group, d.namespace)
			}
		}
	}
}

// denies says whether the agent lacks a right, as its roles are bound now. Where no API
// server answers that is not known.
func (w *world) denies(d denial) bool {
	w.t.Helper()
	resource, part, _ := strings.Cut(d.resource, "/")
	var is struct{ Status struct{ Allowed bool } }
	err := w.c.Call(w.ctx, http.MethodPost, "/apis/authorization.k8s.io/v1/subjectaccessreviews", kubetest.JSON{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
		"spec": kubetest.JSON{"user": "agent", "groups": []string{"system:authenticated"}, "resourceAttributes": kubetest.JSON{
			"verb": d.verb, "resource": resource, "subresource": part, "group": d.group, "namespace": d.namespace, "name": d.name,
		}},
	}, &is)
	return err == nil && !is.Status.Allowed
}
