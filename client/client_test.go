package client

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
)

// server is a Muster that says what a test tells it to, and remembers what it was asked.
type server struct {
	musterv1connect.UnimplementedWorkloadServiceHandler
	musterv1connect.UnimplementedEventServiceHandler
	musterv1connect.UnimplementedSystemServiceHandler

	headers []http.Header
	froms   []uint64
	submit  func(call int) error
	watch   func(call int, send func(seq uint64)) error
}

func (s *server) Submit(ctx context.Context, _ *musterv1.SubmitRequest) (*musterv1.SubmitResponse, error) {
	info, _ := connect.CallInfoForHandlerContext(ctx)
	s.headers = append(s.headers, info.RequestHeader().Clone())
	return &musterv1.SubmitResponse{Id: 7}, s.submit(len(s.headers))
}

func (s *server) Watch(_ context.Context, m *musterv1.WatchRequest, out *connect.ServerStream[musterv1.WatchResponse]) error {
	s.froms = append(s.froms, m.GetFrom())
	return s.watch(len(s.froms), func(seq uint64) {
		_ = out.Send(&musterv1.WatchResponse{Record: &musterv1.Record{Seq: seq}})
	})
}

func (s *server) Status(context.Context, *musterv1.StatusRequest) (*musterv1.StatusResponse, error) {
	return &musterv1.StatusResponse{Seen: &musterv1.Seen{Version: 41}}, nil
}

// talk starts the server and a client of it that does not pause before it tries again.
func talk(t *testing.T, s *server, o Options) *Client {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(musterv1connect.NewWorkloadServiceHandler(s))
	mux.Handle(musterv1connect.NewEventServiceHandler(s))
	mux.Handle(musterv1connect.NewSystemServiceHandler(s))
	h := httptest.NewServer(mux)
	t.Cleanup(h.Close)
	o.Address = h.URL
	c := New(o)
	c.courier.pause = func(ctx context.Context, _ int) error { return ctx.Err() }
	return c
}

var errAway = connect.NewError(connect.CodeUnavailable, errors.New("away"))

func TestALostCommandIsSentAgainWithItsKey(t *testing.T) {
	s := &server{submit: func(call int) error {
		if call < 3 {
			return errAway
		}
		return nil
	}}
	ask := &musterv1.SubmitRequest{Spec: &musterv1.WorkloadSpec{Name: "a"}}
	answer, err := talk(t, s, Options{}).Workloads.Submit(t.Context(), ask)
	if err != nil || answer.GetId() != 7 || len(s.headers) != 3 {
		t.Fatalf("got %v, %v after %d calls", answer, err, len(s.headers))
	}
	key := s.headers[0].Get("Idempotency-Key")
	for i, h := range s.headers {
		if h.Get("Idempotency-Key") != key || key == "" {
			t.Errorf("call %d bears key %q, the first %q", i+1, h.Get("Idempotency-Key"), key)
		}
	}
	if ask.GetWrite() != nil {
		t.Error("the caller's message was changed: sent again on purpose, it would be taken for a repeat")
	}
}

func TestACallersOwnKeyIsKept(t *testing.T) {
	s := &server{submit: func(int) error { return nil }}
	_, err := talk(t, s, Options{}).Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Write: &musterv1.Write{IdempotencyKey: "mine"}})
	if err != nil || s.headers[0].Get("Idempotency-Key") != "" {
		t.Errorf("%v; another key was added: %q", err, s.headers[0].Get("Idempotency-Key"))
	}
}

func TestTriesComeToAnEnd(t *testing.T) {
	for retries, want := range map[int]int{0: 4, 1: 2, -1: 1} {
		s := &server{submit: func(int) error { return errAway }}
		_, err := talk(t, s, Options{Retries: retries}).Workloads.Submit(t.Context(), &musterv1.SubmitRequest{})
		if connect.CodeOf(err) != connect.CodeUnavailable || len(s.headers) != want {
			t.Errorf("with Retries %d: %v after %d calls, want %d", retries, err, len(s.headers), want)
		}
	}
}

func TestARefusalIsNotTriedAgain(t *testing.T) {
	s := &server{submit: func(int) error {
		e := connect.NewError(connect.CodeFailedPrecondition, errors.New("no"))
		d, err := connect.NewErrorDetail(&musterv1.Refusal{Code: Overpromise, Message: "too much", Figures: map[string]int64{"sustainable": 704, "assigned": 800}})
		if err != nil {
			t.Error(err)
		}
		e.AddDetail(d)
		return e
	}}
	_, err := talk(t, s, Options{}).Workloads.Submit(t.Context(), &musterv1.SubmitRequest{})
	if !Refused(err, Overpromise) || Refused(err, Stale) || len(s.headers) != 1 {
		t.Fatalf("got %v after %d calls", err, len(s.headers))
	}
	if want := "Overpromise: too much (assigned 800, sustainable 704)"; err.Error() != want {
		t.Errorf("says %q, want %q", err, want)
	}
	if connect.CodeOf(err) != connect.CodeFailedPrecondition {
		t.Errorf("its code of the protocol is %v", connect.CodeOf(err))
	}
}

func TestEachCallSaysWhoAsks(t *testing.T) {
	s := &server{submit: func(int) error { return nil }}
	_, err := talk(t, s, Options{Token: "secret", As: "ada"}).Workloads.Submit(t.Context(), &musterv1.SubmitRequest{})
	if err != nil || s.headers[0].Get("Authorization") != "Bearer secret" || s.headers[0].Get("Muster-As") != "ada" {
		t.Errorf("%v; headers %v", err, s.headers[0])
	}
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"":                      "http://127.0.0.1:6878",
		"muster:80":             "https://muster:80",
		"192.0.2.2:7880":        "https://192.0.2.2:7880",
		"localhost:80":          "http://localhost:80",
		"[::1]:80":              "http://[::1]:80",
		"0.0.0.0:80":            "http://0.0.0.0:80",
		"127.0.0.1.example:80":  "https://127.0.0.1.example:80",
		"127.0.0.1@example:80":  "https://127.0.0.1@example:80",
		"http://muster:80":      "http://muster:80",
		"https://muster.corp/":  "https://muster.corp",
		"http://127.0.0.1:9090": "http://127.0.0.1:9090",
	} {
		if got := base(address); got != want {
			t.Errorf("%q is %q, want %q", address, got, want)
		}
	}
}

// From now on is from the version that the server has when it is asked, even if the first stream breaks at once.
func TestAWatchResumesAfterTheLastRecord(t *testing.T) {
	enough := errors.New("enough")
	s := &server{watch: func(call int, send func(uint64)) error {
		switch call {
		case 1:
			return errAway
		case 2:
			send(42)
			send(43)
			return nil // the server went away in good order
		}
		send(44)
		return errAway
	}}
	var heard []uint64
	err := talk(t, s, Options{}).Watch(t.Context(), 0, nil, func(r *musterv1.Record) error {
		if heard = append(heard, r.GetSeq()); r.GetSeq() == 44 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		t.Fatalf("ended with %v", err)
	}
	if len(s.froms) != 3 || s.froms[0] != 42 || s.froms[1] != 42 || s.froms[2] != 44 {
		t.Errorf("it asked from %v, want 42, 42, 44", s.froms)
	}
	if len(heard) != 3 {
		t.Errorf("heard %v", heard)
	}
}

func TestAWatchEndsWhereItMust(t *testing.T) {
	no := connect.NewError(connect.CodeUnauthenticated, errors.New("who are you"))
	s := &server{watch: func(int, func(uint64)) error { return no }}
	c := talk(t, s, Options{})
	if err := c.Watch(t.Context(), 1, nil, nil); !NotAllowed(err) || len(s.froms) != 1 {
		t.Errorf("refused: %v after %d calls", err, len(s.froms))
	}
	s.watch, s.froms = func(int, func(uint64)) error { return errAway }, nil
	if err := c.Watch(t.Context(), 1, nil, nil); connect.CodeOf(err) != connect.CodeUnavailable || len(s.froms) != 4 {
		t.Errorf("away for good: %v after %d calls", err, len(s.froms))
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.watch = func(int, func(uint64)) error { cancel(); return errAway }
	if err := c.Watch(ctx, 1, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestNobodyThere(t *testing.T) {
	h := httptest.NewServer(http.NotFoundHandler())
	h.Close()
	_, err := New(Options{Address: h.URL, Retries: -1}).System.Status(t.Context(), &musterv1.StatusRequest{})
	var nobody *Unreachable
	if !errors.As(err, &nobody) || !strings.Contains(err.Error(), h.URL) || !strings.Contains(err.Error(), "muster up") {
		t.Errorf("got %v", err)
	}
}
