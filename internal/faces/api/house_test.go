package api_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// noon is when every story begins.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// house is a server with the real engine over a journal in memory, on a clock
// that stands still until a test moves it.
type house struct {
	journal *memory.Journal
	*client.Client
	t      testing.TB
	url    string
	engine *engine.Engine
	ended  chan error // what Serve returned
	end    context.CancelFunc
	clock  atomic.Int64
	log    *syncBuffer
}

// realEngine is the engine as the API asks for it.
type realEngine struct{ *engine.Engine }

func (e realEngine) Do(ctx context.Context, r core.Request) (api.Result, error) {
	result, err := e.Engine.Do(ctx, r)
	return api.Result(result), err
}

func (e realEngine) DryRun(ctx context.Context, r core.Request) (api.Result, error) {
	result, err := e.Engine.DryRun(ctx, r)
	return api.Result(result), err
}

// open starts a house; edit may change the server's options.
func open(t testing.TB, edit ...func(*api.Options)) *house {
	t.Helper()
	h := &house{t: t, log: &syncBuffer{}, ended: make(chan error, 1), journal: memory.New()}
	h.clock.Store(noon.UnixNano())
	var err error
	h.engine, err = engine.Open(t.Context(), engine.Options{
		Journal: h.journal,
		Now:     func() fleet.Instant { return fleet.Instant(h.clock.Load()) },
	})
	must(t, err)
	o := api.Options{
		Engine:  realEngine{h.engine},
		Version: "v0.0.0-test",
		Now:     func() time.Time { return time.Unix(0, h.clock.Load()) },
		Log:     slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, e := range edit {
		e(&o)
	}
	server, err := api.New(o)
	must(t, err)
	l, err := api.Listen(t.Context(), "127.0.0.1:0", o.Auth != nil)
	must(t, err)
	h.url = "http://" + l.Addr().String()
	ctx, end := context.WithCancel(t.Context())
	h.end = end
	go func() { h.ended <- server.Serve(ctx, l) }()
	t.Cleanup(h.close)
	h.Client = h.as("", "")
	return h
}

// close ends the server as a signal would, then the engine.
func (h *house) close() {
	if h.end != nil {
		h.end()
		if err := <-h.ended; err != nil {
			h.t.Errorf("the server ended with: %v", err)
		}
		h.end = nil
	}
	_ = h.engine.Close()
}

// as is a client of the house with a token, for another user.
func (h *house) as(token, user string) *client.Client {
	return client.New(client.Options{Address: h.url, Token: token, As: user})
}

// later moves the clock.
func (h *house) later(d time.Duration) { h.clock.Add(int64(d)) }

// furnished is a house with tiger/h200 (two islands of 8 nodes) and a quota
// research/oak with 32 of its 104 promisable GPUs.
func furnished(t testing.TB, edit ...func(*api.Options)) *house {
	t.Helper()
	h := open(t, edit...)
	_, err := h.Fleet.Apply(t.Context(), furniture())
	must(t, err)
	return h
}

func furniture() *musterv1.ApplyRequest {
	return &musterv1.ApplyRequest{
		Write: &musterv1.Write{Reason: "the first fleet"},
		Changes: []*musterv1.Change{
			{Change: &musterv1.Change_AddCluster{AddCluster: &musterv1.AddClusterRequest{Name: "tiger"}}},
			{Change: &musterv1.Change_AddPartition{AddPartition: &musterv1.AddPartitionRequest{Cluster: "tiger", Gpu: "h200"}}},
			{Change: &musterv1.Change_AddIslands{AddIslands: &musterv1.AddIslandsRequest{
				Partition: "tiger/h200", Islands: []*musterv1.NewIsland{{Name: "i1", Nodes: 8}, {Name: "i2", Nodes: 8}},
			}}},
			{Change: &musterv1.Change_CreateQuota{CreateQuota: &musterv1.CreateQuotaRequest{Path: "research/oak"}}},
			{Change: &musterv1.Change_SetGrant{SetGrant: &musterv1.SetGrantRequest{Quota: "research/oak", Partition: "tiger/h200", Gpus: 32}}},
		},
	}
}

// gang is a workload of some whole nodes.
func gang(name, target string, nodes int32) *musterv1.WorkloadSpec {
	return &musterv1.WorkloadSpec{
		Name: name, Namespace: "oak", Target: target,
		Pools: []*musterv1.Pool{{Name: "w", Gpus: 8, Replicas: nodes}},
	}
}

// submit submits a workload that must be accepted.
func (h *house) submit(spec *musterv1.WorkloadSpec) *musterv1.SubmitResponse {
	h.t.Helper()
	answer, err := h.Workloads.Submit(h.t.Context(), &musterv1.SubmitRequest{Spec: spec})
	must(h.t, err)
	return answer
}

// version is how many records the engine has written.
func (h *house) version() (v uint64) {
	h.engine.Read(func(s *fleet.State) { v = s.Seq })
	return v
}

// hash names the engine's state.
func (h *house) hash() (hash string) {
	h.engine.Read(func(s *fleet.State) { hash = s.Hash() })
	return hash
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// transportFunc makes a RoundTripper of a function.
type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// syncBuffer is a buffer that several goroutines may write.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
