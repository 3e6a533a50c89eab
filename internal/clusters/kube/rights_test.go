package kube

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

type answering string

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(a)))}, nil
}

// What an API server says of a call without the right to it is heard, and handed on; what
// a policy or a quota forbids is no lack of rights.
func TestADeniedCallIsHeard(t *testing.T) {
	for says, want := range map[string]denial{
		`k8s\x00 pods "train-0" is forbidden: User "agent" cannot create resource "pods/eviction" in API group "" in the namespace "oak"`:                                        {"create", "pods/eviction", "", "oak", "train-0"},
		`jobs.batch is forbidden: User "agent" cannot list resource "jobs" in API group "batch" at the cluster scope`:                                                            {"list", "jobs", "batch", "", ""},
		`{"message":"jobsets.jobset.x-k8s.io \"one\" is forbidden: User \"agent\" cannot patch resource \"jobsets\" in API group \"jobset.x-k8s.io\" in the namespace \"oak\""}`: {"patch", "jobsets", "jobset.x-k8s.io", "oak", "one"},
		`pods "train-0" is forbidden: exceeded quota: gpus`: {},
	} {
		heard := &rights{denied: map[denial]bool{}}
		res, err := hearing{answering(says), heard}.RoundTrip(nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(res.Body); string(body) != says {
			t.Errorf("handed on was %q", body)
		}
		if len(heard.denied) > 0 != (want.verb != "") || want.verb != "" && !heard.denied[want] {
			t.Errorf("of %q it heard %v", says, heard.denied)
		}
	}
}
