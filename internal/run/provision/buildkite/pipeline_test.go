package buildkite_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/buildkite"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// service keeps builds as the documented REST API does.
type service struct {
	mu     sync.Mutex
	builds []map[string]any
	before func(w http.ResponseWriter, r *http.Request) bool // true: it has answered
	lose   bool                                              // the next answer to a POST is lost
	paths  []string
}

const token = "bkua_planted_secret"

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths = append(s.paths, r.Method+" "+r.URL.Path)
	if r.Header.Get("Authorization") != "Bearer "+token {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"message": "Authentication required. Please supply a valid API Access Token"}`)
		return
	}
	if s.before != nil && s.before(w, r) {
		return
	}
	switch {
	case !strings.HasPrefix(r.URL.Path, "/v2/organizations/acme/pipelines/clusters/builds"):
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message": "No pipeline found"}`)
	case r.Method == http.MethodGet:
		found := []map[string]any{}
		for _, b := range s.builds {
			if b["meta_data"].(map[string]any)["muster-operation"] == r.URL.Query().Get("meta_data[muster-operation]") {
				found = append([]map[string]any{b}, found...)
			}
		}
		_ = json.NewEncoder(w).Encode(found)
	case r.Method == http.MethodPost:
		var in map[string]any
		_ = json.NewDecoder(r.Body).Decode(&in)
		n := len(s.builds) + 1
		b := map[string]any{
			"id": fmt.Sprint("uuid-", n), "number": n, "state": "scheduled", "blocked": false, "web_url": fmt.Sprint("https://buildkite.example/acme/clusters/builds/", n),
			"commit": "abc123", "meta_data": in["meta_data"], "env": in["env"], "jobs": []any{},
		}
		s.builds = append(s.builds, b)
		if s.lose {
			s.lose = false
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(b)
	case r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/unblock"):
		s.set("running", nil)
		fmt.Fprint(w, `{}`)
	}
}

// set puts the newest build into a state.
func (s *service) set(state string, jobs []any) {
	b := s.builds[len(s.builds)-1]
	b["state"], b["jobs"], b["blocked"] = state, jobs, state == "blocked"
}

func start(t *testing.T) (*service, *buildkite.Pipeline) {
	t.Helper()
	s := &service{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, &buildkite.Pipeline{Token: token, Address: server.URL, HTTP: server.Client()}
}

func order() provision.Order {
	return provision.Order{
		ID: "lynx.pipeline.g1.1", Step: fleet.StepPipeline, Generation: 1, Attempt: 1,
		Record:    fleet.ClusterRecord{Name: "lynx", Provider: "azure", Region: "east", Islands: []fleet.RecordIsland{{Name: "a", Nodes: 4}}, Variables: map[string]string{"DB_TOKEN": "env:DB_TOKEN"}},
		Blueprint: fleet.Blueprint{Name: "nd", Runner: "buildkite:acme/clusters"},
	}
}

// Who plans a cluster names its variables, and steers no program by them.
func TestVariablesSteerNoAgent(t *testing.T) {
	s, p := start(t)
	o := order()
	o.Record.Variables = map[string]string{"PATH": "/tmp/mine", "LD_PRELOAD": "/tmp/mine.so", "GIT_SSH_COMMAND": "sh -c id", "BUILDKITE_COMMAND": "id", "MUSTER_CLUSTER": "tiger"}
	if _, err := p.Begin(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	env := s.builds[0]["env"].(map[string]any)
	for name, value := range env {
		if _, its := o.Record.Variables[name]; its && !(name == "MUSTER_CLUSTER" && value == "lynx") {
			t.Errorf("the build runs with %s=%v", name, value)
		}
	}
	if env["MUSTER_VAR_PATH"] != "/tmp/mine" {
		t.Errorf("the build does not know its variables: %v", env)
	}
}

// A build is found by its operation, and what becomes of it is told.
func TestABuildFromItsBeginningToItsEnd(t *testing.T) {
	s, p := start(t)
	o := order()
	if _, found, err := p.Find(t.Context(), o); found || err != nil {
		t.Fatalf("before it began: found %v, %v", found, err)
	}
	is, err := p.Begin(t.Context(), o)
	if err != nil || is.State != fleet.OperationRunning || is.Link != "https://buildkite.example/acme/clusters/builds/1" {
		t.Fatalf("%+v, %v", is, err)
	}
	if env := s.builds[0]["env"].(map[string]any); env["MUSTER_CLUSTER"] != "lynx" || env["MUSTER_NODES"] != "4" || env["MUSTER_VAR_DB_TOKEN"] != "env:DB_TOKEN" {
		t.Errorf("the build knows %v", env)
	}
	one := 1
	block := []any{map[string]any{"id": "j1", "type": "manual", "label": "approve production", "state": "blocked", "unblockable": true}}
	for _, c := range []struct {
		state string
		jobs  []any
		want  fleet.OperationState
		class fleet.ErrorClass
		says  string
	}{
		{"running", nil, fleet.OperationRunning, "", ""},
		{"failing", nil, fleet.OperationRunning, "", ""},
		{"canceling", nil, fleet.OperationRunning, "", ""},
		{"blocked", block, fleet.OperationBlocked, "", "approve production"},
		{"canceled", nil, fleet.OperationFailed, fleet.ErrorPerson, "cancelled"},
		{"not_run", nil, fleet.OperationFailed, fleet.ErrorFix, "did not run"},
		{"failed", []any{map[string]any{"id": "j2", "type": "script", "name": "terraform apply", "state": "finished", "exit_status": one}}, fleet.OperationFailed, "", "terraform apply"},
		{"passed", nil, fleet.OperationSucceeded, "", ""},
	} {
		s.set(c.state, c.jobs)
		is, found, err := p.Find(t.Context(), o)
		if err != nil || !found || is.State != c.want || is.Class != c.class || !strings.Contains(is.Error, c.says) {
			t.Errorf("%s: %+v, found %v, %v", c.state, is, found, err)
		}
	}
}

// A block step goes on once a person has said so; a second one is another question.
func TestABlockStepIsUnblocked(t *testing.T) {
	s, p := start(t)
	o := order()
	_, _ = p.Begin(t.Context(), o)
	s.set("blocked", []any{map[string]any{"id": "j1", "type": "manual", "label": "go?", "state": "blocked", "unblockable": true}})
	first, _, _ := p.Find(t.Context(), o)
	if err := p.Unblock(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if is, _, _ := p.Find(t.Context(), o); is.State != fleet.OperationRunning {
		t.Errorf("unblocked: %+v", is)
	}
	if err := p.Unblock(t.Context(), o); err != nil || len(s.builds) != 1 {
		t.Errorf("unblocked twice: %v", err)
	}
	s.set("blocked", []any{map[string]any{"id": "j9", "type": "manual", "label": "really?", "state": "blocked", "unblockable": true}})
	if second, _, _ := p.Find(t.Context(), o); second.Link == first.Link {
		t.Errorf("two block steps have one link, %s", second.Link)
	}
}

// A lost answer creates no second build, and one that a person started again is adopted.
func TestALostAnswerIsFound(t *testing.T) {
	s, p := start(t)
	o := order()
	s.lose = true
	_, err := p.Begin(t.Context(), o)
	var no *provision.Refused
	if err == nil || errors.As(err, &no) {
		t.Fatalf("a lost answer is %v, and must not say that nothing has begun", err)
	}
	if _, found, err := p.Find(t.Context(), o); !found || err != nil {
		t.Fatalf("the build is not found: %v", err)
	}
	again := map[string]any{}
	for k, v := range s.builds[0] {
		again[k] = v
	}
	again["number"], again["state"] = 2, "passed"
	s.set("failed", nil)
	s.builds = append(s.builds, again)
	if is, _, _ := p.Find(t.Context(), o); is.State != fleet.OperationSucceeded {
		t.Errorf("the build that a person started again is not adopted: %+v", is)
	}
}

// What the service answers instead of a build says what is to be done, and holds no token.
func TestRefusalsHaveClasses(t *testing.T) {
	for _, c := range []struct {
		name   string
		header map[string]string
		code   int
		runner string
		class  fleet.ErrorClass
		after  time.Duration
		known  bool // that nothing has begun
	}{
		{"throttled", map[string]string{"Retry-After": "42"}, 429, "", fleet.ErrorWait, 42 * time.Second, true},
		{"throttled by its window", map[string]string{"RateLimit-Reset": "7"}, 429, "", fleet.ErrorWait, 7 * time.Second, true},
		{"throttled without end", map[string]string{"Retry-After": "999999999"}, 429, "", fleet.ErrorWait, time.Hour, true},
		{"no rights", nil, 403, "", fleet.ErrorPerson, 0, true},
		{"bad input", nil, 422, "", fleet.ErrorFix, 0, true},
		{"no such pipeline", nil, 0, "buildkite:acme/none", fleet.ErrorFix, 0, true},
		{"no runner", nil, 0, "tofu", fleet.ErrorFix, 0, true},
		{"a bad gateway", nil, 502, "", "", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := start(t)
			if c.code != 0 {
				s.before = func(w http.ResponseWriter, _ *http.Request) bool {
					for k, v := range c.header {
						w.Header().Set(k, v)
					}
					w.WriteHeader(c.code)
					fmt.Fprint(w, `{"message": "no"}`)
					return true
				}
			}
			o := order()
			if c.runner != "" {
				o.Blueprint.Runner = c.runner
			}
			_, err := p.Begin(t.Context(), o)
			var no *provision.Refused
			if known := errors.As(err, &no); err == nil || known != c.known || known && (no.Class != c.class || no.After != c.after) {
				t.Fatalf("%+v", err)
			}
			if strings.Contains(err.Error(), token) {
				t.Errorf("the error holds the token: %v", err)
			}
			if len(s.builds) != 0 {
				t.Error("a build was created")
			}
		})
	}
}

// Projects are applied as the build that passed says: each at the commit of its empty plan. A
// build that a person has started again is waited for; one that failed then is no evidence.
func TestABuildSaysThatProjectsAreApplied(t *testing.T) {
	s, p := start(t)
	o := order()
	o.Blueprint.Projects = []string{"network", "dns"}
	if _, err := p.Begin(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	subject := provision.Subject{Record: o.Record, Blueprint: o.Blueprint, Generation: 1, Orders: []provision.Order{o}}
	look := func(holds bool, says string) {
		t.Helper()
		seen, err := (buildkite.Projects{Pipeline: p}).Look(t.Context(), subject)
		if err != nil || len(seen) != 1 || seen[0].Step != fleet.StepProjects || seen[0].Holds != holds || !strings.Contains(seen[0].Detail, says) {
			t.Errorf("want holds %v, %q, got %+v, %v", holds, says, seen, err)
		}
	}
	tell := func(key, value string) { s.builds[0]["meta_data"].(map[string]any)[key] = value }
	s.set("passed", nil)
	tell("muster-project-network", "aaa")
	look(false, "sets the meta-data muster-project-dns")
	tell("muster-project-dns", "bbb")
	look(true, "build 1 passed at commit abc123; network at aaa: empty plan; dns at bbb: empty plan")
	s.set("running", nil)
	if seen, err := (buildkite.Projects{Pipeline: p}).Look(t.Context(), subject); len(seen) != 0 || err != nil {
		t.Errorf("while it runs again: %+v, %v", seen, err)
	}
	s.set("failed", nil)
	look(false, "build 1 has ended as failed")
	subject.Blueprint.Runner = "tofu"
	if seen, err := (buildkite.Projects{Pipeline: p}).Look(t.Context(), subject); len(seen) != 0 || err != nil {
		t.Errorf("of another runner: %+v, %v", seen, err)
	}
}
