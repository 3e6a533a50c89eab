package web_test

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/faces/web"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// noon is when every story begins.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// house is a server with pages over the real engine, on a clock that stands still
// until a test moves it.
type house struct {
	t      testing.TB
	engine *engine.Engine
	server *httptest.Server
	clock  atomic.Int64
	reader *http.Client
}

type realEngine struct{ *engine.Engine }

func (e realEngine) Do(ctx context.Context, r core.Request) (api.Result, error) {
	result, err := e.Engine.Do(ctx, r)
	return api.Result(result), err
}

func (e realEngine) DryRun(ctx context.Context, r core.Request) (api.Result, error) {
	result, err := e.Engine.DryRun(ctx, r)
	return api.Result(result), err
}

func open(t testing.TB, auth api.Authenticator) *house { return openWith(t, auth, nil) }

// openWith is open with a past of its own; nil: the usual one.
func openWith(t testing.TB, auth api.Authenticator, past api.Past) *house {
	t.Helper()
	h := &house{t: t}
	h.clock.Store(noon.UnixNano())
	var err error
	h.engine, err = engine.Open(t.Context(), engine.Options{Journal: memory.New(), Now: func() fleet.Instant { return fleet.Instant(h.clock.Load()) }})
	must(t, err)
	now := func() time.Time { return time.Unix(0, h.clock.Load()).UTC() }
	var pages *web.Server
	server, err := api.New(api.Options{
		Engine: realEngine{h.engine}, Past: past, Now: now, Auth: auth, Rest: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { pages.ServeHTTP(w, r) }),
	})
	must(t, err)
	pages = web.New(web.Options{API: server.Handler(), Watch: h.engine.Watch, Last: h.engine.Durable, Now: now, Version: "test"})
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- pages.Run(ctx) }()
	h.server = httptest.NewServer(server.Handler())
	jar, err := cookiejar.New(nil)
	must(t, err)
	h.reader = &http.Client{Jar: jar}
	t.Cleanup(func() {
		end()
		must(t, <-ended)
		h.server.Close()
		server.Stop()
		_ = h.engine.Close()
	})
	return h
}

var operator = core.Actor{Name: "operator:olga", User: "olga", Operator: true}

// do gives commands to the engine.
func (h *house) do(commands ...core.Command) {
	h.t.Helper()
	for _, c := range commands {
		_, err := h.engine.Do(h.t.Context(), core.Request{Command: c, Actor: operator, Reason: "the story"})
		must(h.t, err)
	}
}

// furnish gives the house tiger/h200 with two islands of 8 nodes, a quota of 96
// GPUs, more than 85 % of them, one workload that runs and one that never can.
func (h *house) furnish() *house {
	h.do(
		core.AddCluster{Name: "tiger"}, core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "i1", Nodes: 8}, {Name: "i2", Nodes: 8}}},
		core.CreateQuota{Path: "research/oak", Owner: "ada"}, core.SetGrant{Quota: "research/oak", Partition: "tiger/h200", GPUs: 104},
		core.Submit{Spec: spec("base", 4)}, core.Submit{Spec: spec("moonshot", 12)},
		core.AddBlueprint{Blueprint: fleet.Blueprint{Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "h200", PerNode: 96}}, Checkin: fleet.CheckinPerson}},
		core.ReportCounts{Subscription: "s1", Region: "east", Counts: []fleet.CloudCount{{Meter: "h200", Limit: 100, Used: 50}}},
		core.PlanCluster{Record: fleet.ClusterRecord{
			Name: "lynx", Subscription: "s1", Region: "east", GPU: "h200", Priority: fleet.Mid, Blueprint: "nd", Owner: "tpm", Islands: []fleet.RecordIsland{{Name: "a", Nodes: 2}},
		}},
	)
	h.clock.Add(int64(time.Minute))
	return h
}

func spec(name string, nodes int) fleet.Spec {
	return fleet.Spec{
		Name: name, Namespace: "oak", User: "mia", Target: "research/oak", Priority: fleet.Mid, Grace: fleet.DefaultGrace,
		Pools: []fleet.Pool{{Name: "trainer", GPUs: 8, Min: nodes, Max: nodes, Reach: fleet.ReachIsland}},
	}
}

// get opens a page.
func (h *house) get(path string) (int, string) {
	h.t.Helper()
	r, err := h.reader.Get(h.server.URL + path)
	must(h.t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	must(h.t, err)
	return r.StatusCode, flag.ReplaceAllString(string(body), "$1")
}

// flag is what pages mark so that no line breaks inside it: a flag of a command, a name, a date.
var flag = regexp.MustCompile(`<span class="(?:unbroken|name)">([^<]*)</span>`)

// post sends a form.
func (h *house) post(path string, form url.Values) (int, string) {
	h.t.Helper()
	r, err := h.reader.PostForm(h.server.URL+path, form)
	must(h.t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	must(h.t, err)
	return r.StatusCode, flag.ReplaceAllString(string(body), "$1")
}

var hidden = regexp.MustCompile(`name="(csrf|key)" value="([^"]+)"`)

// form is what a page's form carries without the reader.
func form(body string) url.Values {
	f := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(body, -1) {
		f.Set(m[1], m[2])
	}
	return f
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func contains(body, word string) bool { return strings.Contains(body, word) }

func has(t *testing.T, body string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(body, w) {
			t.Errorf("the page does not say %q", w)
		}
	}
}
