package client

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
)

// listen starts a server whose answer to /readyz is what ready says.
func listen(t *testing.T, s *server, ready func() int) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(musterv1connect.NewWorkloadServiceHandler(s))
	mux.Handle(musterv1connect.NewEventServiceHandler(s))
	mux.Handle(musterv1connect.NewSystemServiceHandler(s))
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(ready()) })
	h := httptest.NewServer(mux)
	t.Cleanup(func() { h.CloseClientConnections(); h.Close() })
	return h.URL
}

func always(code int) func() int { return func() int { return code } }

func done(int) error { return nil }

// unused is an address where no server listens.
func unused(t *testing.T) string {
	t.Helper()
	h := httptest.NewServer(http.NotFoundHandler())
	h.Close()
	return h.URL
}

func TestOfSeveralServersOneThatAnswersIsFound(t *testing.T) {
	away := &server{submit: func(int) error { return errAway }}
	there := &server{submit: done}
	for name, first := range map[string]string{"one that is gone": unused(t), "one that cannot decide": listen(t, away, always(503))} {
		c := New(Options{Address: first + ", " + listen(t, there, always(200))})
		for range 2 {
			if _, err := c.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{}); err != nil {
				t.Errorf("beside %s a command gives %v", name, err)
			}
		}
	}
	if len(away.headers) != 1 || len(there.headers) != 4 {
		t.Errorf("the one that cannot decide was asked %d times, the other %d times; want 1 and 4", len(away.headers), len(there.headers))
	}
	if key := away.headers[0].Get("Idempotency-Key"); key == "" || key != there.headers[0].Get("Idempotency-Key") && key != there.headers[2].Get("Idempotency-Key") {
		t.Errorf("the command with key %q is another at the next server", key)
	}
}

func TestAServerThatFallsSilentIsLeft(t *testing.T) {
	stopped := make(chan struct{})
	silent := &server{submit: func(int) error { <-stopped; return nil }, watch: func(_ int, send func(uint64)) error {
		send(7)
		<-stopped
		return nil
	}}
	there := &server{submit: done, watch: func(_ int, send func(uint64)) error {
		send(8)
		return nil
	}}
	way := newServers([]string{listen(t, silent, always(503)), listen(t, there, always(200))}, nil)
	t.Cleanup(func() { close(stopped) })
	way.doubt = 500 * time.Millisecond // a busy machine must have answered by then
	c := New(Options{HTTPClient: &http.Client{Transport: way}})
	if _, err := c.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{}); err != nil || len(there.headers) != 1 {
		t.Errorf("a command gives %v after %d calls of the server that answers", err, len(there.headers))
	}
	way.now.Store(0)
	enough := errors.New("enough")
	var seen []uint64
	err := c.Watch(t.Context(), 7, nil, func(r *musterv1.Record) error {
		if seen = append(seen, r.GetSeq()); len(seen) == 2 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || len(seen) != 2 || seen[1] != 8 || there.froms[0] != 8 {
		t.Errorf("a watch has %v and ends with %v; the server that answers was asked from %v on", seen, err, there.froms)
	}
}

func TestASlowServerThatIsThereIsWaitedFor(t *testing.T) {
	free := make(chan struct{})
	asked := 0
	slow := &server{submit: func(int) error { <-free; return nil }}
	ready := func() int {
		if asked++; asked == 3 {
			close(free)
		}
		return http.StatusOK
	}
	way := newServers([]string{listen(t, slow, ready), listen(t, &server{submit: done}, always(200))}, nil)
	way.doubt = 5 * time.Millisecond
	c := New(Options{HTTPClient: &http.Client{Transport: way}})
	if _, err := c.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{}); err != nil || len(slow.headers) != 1 {
		t.Errorf("the command gives %v after %d calls", err, len(slow.headers))
	}
}

func TestATakeoverIsWaitedFor(t *testing.T) {
	s := &server{submit: func(call int) error {
		if call > 20 {
			return nil
		}
		e := connect.NewError(connect.CodeUnavailable, errors.New("no server leads now"))
		e.Meta().Set("Retry-After", "1")
		return e
	}}
	if _, err := talk(t, s, Options{}).Workloads.Submit(t.Context(), &musterv1.SubmitRequest{}); err != nil || len(s.headers) != 21 {
		t.Errorf("got %v after %d calls", err, len(s.headers))
	}
}

func TestNoServerOfSeveralAnswers(t *testing.T) {
	a, b := unused(t), unused(t)
	c := New(Options{Address: a + "," + b})
	c.courier.pause = func(ctx context.Context, _ int) error { return ctx.Err() }
	_, err := c.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{})
	var away *Unreachable
	if !errors.As(err, &away) || !strings.Contains(err.Error(), a) || !strings.Contains(err.Error(), b) {
		t.Errorf("got %v", err)
	}
}

// One server is gone and the other begins again: for a moment none is there. A client that has met one
// waits for as long as a takeover may take; one that never met any soon says that none is there.
func TestAClientWaitsForServersThatWereThere(t *testing.T) {
	gone := connect.NewError(connect.CodeUnavailable, errors.New("connection refused"))
	attempts := func(is tries) (n int) {
		for n < 20 && is.another(gone) {
			n++
		}
		return n
	}
	for name, c := range map[string]struct {
		is   tries
		want int
	}{
		"several, of which one answered":          {tries{most: 3, several: true, met: true, began: time.Now()}, 20},
		"the same, for longer than that may take": {tries{most: 3, several: true, met: true, began: time.Now().Add(-takeover)}, 3},
		"several, of which none answered yet":     {tries{most: 3, several: true, began: time.Now()}, 3},
		"one":                                     {tries{most: 3, met: true, began: time.Now()}, 3},
		"one that never sends anything again":     {tries{most: -1, several: true, met: true, began: time.Now()}, 0},
	} {
		if n := attempts(c.is); n != c.want {
			t.Errorf("%s: a call is sent again %d times, want %d", name, n, c.want)
		}
	}
}
