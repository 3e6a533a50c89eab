package api_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

func TestOthersAreLetInWithTokensOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "[::]:0"} {
		_, err := api.Listen(t.Context(), address, false)
		if err == nil || !strings.Contains(err.Error(), "--tokens") {
			t.Errorf("%s without tokens: %v, want what to do", address, err)
		}
	}
	for _, address := range []string{"127.0.0.1:0", "localhost:0"} {
		l, err := api.Listen(t.Context(), address, false)
		must(t, err)
		must(t, l.Close())
	}
	l, err := api.Listen(t.Context(), "0.0.0.0:0", true)
	must(t, err)
	must(t, l.Close())
}

func TestBadAddressesAreExplained(t *testing.T) {
	first, err := api.Listen(t.Context(), "127.0.0.1:0", false)
	must(t, err)
	defer first.Close()
	for address, says := range map[string]string{
		first.Addr().String(): "in use",
		"127.0.0.1":           "host:port",
		"127.0.0.1:99999":     "host:port",
	} {
		_, err := api.Listen(t.Context(), address, false)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), address) {
			t.Errorf("%s: %v, want %q", address, err, says)
		}
	}
}

// wild is an engine that breaks in ways of its own.
type wild struct {
	api.Engine
	do func() (api.Result, error)
}

func (w wild) Do(context.Context, core.Request) (api.Result, error) { return w.do() }
func (w wild) Read(fn func(*fleet.State))                           { fn(fleet.NewState()) }

func TestAPanicBecomesAnErrorWithAnID(t *testing.T) {
	h := open(t, func(o *api.Options) {
		o.Engine = wild{do: func() (api.Result, error) { panic("two and two is five") }}
	})
	_, err := h.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: gang("a", "flex", 1)})
	equal(t, "code", connect.CodeOf(err), connect.CodeInternal)
	id := regexp.MustCompile(`id ([0-9a-f]{12})`).FindStringSubmatch(err.Error())
	if id == nil || strings.Contains(err.Error(), "five") {
		t.Fatalf("says %q, want an id and nothing of the inside", err)
	}
	if log := h.log.String(); !strings.Contains(log, id[1]) || !strings.Contains(log, "two and two is five") {
		t.Errorf("the log does not say more under that id: %s", log)
	}
	_, err = h.System.Version(t.Context(), &musterv1.VersionRequest{})
	must(t, err) // it goes on
}

func TestAFailureOfTheWorldIsNoRefusal(t *testing.T) {
	h := open(t, func(o *api.Options) {
		o.Engine = wild{do: func() (api.Result, error) { return api.Result{}, errors.New("the disk is full") }}
	})
	_, err := h.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: gang("a", "flex", 1)})
	equal(t, "code", connect.CodeOf(err), connect.CodeInternal)
	if !strings.Contains(err.Error(), "the disk is full") || !strings.Contains(h.log.String(), "the disk is full") {
		t.Errorf("says %q; the log says %s", err, h.log)
	}
}

// When the server ends, streams end at once, calls that run come to their end, and nothing new gets in.
func TestTheServerEndsInGoodOrder(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	h := open(t, func(o *api.Options) {
		inner := o.Engine
		o.Engine = wild{Engine: inner, do: func() (api.Result, error) {
			close(entered)
			<-leave
			return api.Result{Seq: 42}, nil
		}}
	})
	stream, err := h.Events.Watch(t.Context(), &musterv1.WatchRequest{From: 1})
	must(t, err)
	answered := make(chan error, 1)
	go func() {
		answer, err := h.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: gang("a", "flex", 1)})
		if err == nil && answer.GetWritten().GetVersion() != 42 {
			err = errors.New("another answer")
		}
		answered <- err
	}()
	<-entered
	h.end()
	if stream.Receive() {
		t.Error("the stream goes on")
	}
	equal(t, "how the stream ended", connect.CodeOf(stream.Err()), connect.CodeUnavailable)
	close(leave)
	must(t, <-answered)
	must(t, <-h.ended)
	h.end = nil
	_, err = h.System.Version(t.Context(), &musterv1.VersionRequest{})
	equal(t, "a new call", err != nil, true)
}

func TestProbesNeedNoToken(t *testing.T) {
	ready := errors.New("the journal is being read")
	h := open(t, func(o *api.Options) {
		o.Auth = &api.Tokens{}
		o.Ready = func() error { return ready }
		o.Rest = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the rest") })
	})
	get := func(path string, status int) string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+path, nil)
		must(t, err)
		return strings.TrimSpace(string(sent(t, r, status)))
	}
	equal(t, "alive", get("/healthz", http.StatusOK), "ok")
	equal(t, "ready", get("/readyz", http.StatusServiceUnavailable), "the journal is being read")
	ready = nil
	equal(t, "ready then", get("/readyz", http.StatusOK), "ready")
	equal(t, "elsewhere", get("/pages", http.StatusOK), "the rest")
}

func TestEachCallIsLogged(t *testing.T) {
	h := furnished(t)
	_, _ = h.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: gang("a", "research/nobody", 1)})
	log := h.log.String()
	for _, part := range []string{"/muster.v1.FleetService/Apply", "code=ok", "/muster.v1.WorkloadService/Submit", "code=not_found", "actor=operator:"} {
		if !strings.Contains(log, part) {
			t.Errorf("the log lacks %q: %s", part, log)
		}
	}
}
