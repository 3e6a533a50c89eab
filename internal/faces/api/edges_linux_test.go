package api

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
	"github.com/muster-fleet/muster/internal/run/gate"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// oneState is an engine that shows one state.
type oneState struct {
	Engine
	state *fleet.State
}

func (e oneState) Peek(fn func(*fleet.State)) { fn(e.state) }
func (e oneState) Look(fn func(*fleet.State)) { fn(e.state) }

// bobs takes every caller for bob.
type bobs struct{}

func (bobs) Identify(*http.Request) (Identity, error) { return Identity{User: "bob"}, nil }
func (bobs) Find(string) (Identity, bool)             { return Identity{}, false }

// address is how a question is asked by GET, packed.
func address(t *testing.T, procedure, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return procedure + "?connect=v1&encoding=json&compression=gzip&base64=1&message=" + url.QueryEscape(base64.RawURLEncoding.EncodeToString(b.Bytes()))
}

// enveloped is a message of a stream as it travels.
func enveloped(text string) io.Reader {
	return strings.NewReader(string(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(text)))) + text)
}

// What it takes to decode a request and to encode its answer counts, also where the request is refused. Otherwise a
// caller has all processors for the price of the bytes that come.
func TestDecodingAndEncodingCount(t *testing.T) {
	state := fleet.NewState()
	for n := range 2000 {
		state.Requests = append(state.Requests, &fleet.QuotaRequest{ID: uint64(n) + 1, State: fleet.RequestOpen, By: "user:ada", Reason: strings.Repeat("x", 100)})
	}
	many := `{"asks":[{}` + strings.Repeat(",{}", 99_000) + `]}`
	var varied strings.Builder // of which each part is another: what grows too much when it is unpacked is refused
	varied.WriteString(`{"asks":[{}`)
	for n := range 50_000 {
		_, _ = fmt.Fprintf(&varied, `,{"gpus":%d}`, n*7919%1000)
	}
	varied.WriteString("]}")
	cases := []struct {
		what string
		r    *http.Request
	}{
		{"many messages", httptest.NewRequestWithContext(t.Context(), http.MethodPost, musterv1connect.PastServiceFlexOutlookProcedure, strings.NewReader(many))},
		{"many by GET", httptest.NewRequestWithContext(t.Context(), http.MethodGet, address(t, musterv1connect.PastServiceFlexOutlookProcedure, varied.String()), http.NoBody)},
		{"a long answer", httptest.NewRequestWithContext(t.Context(), http.MethodPost, musterv1connect.RequestServiceListRequestsProcedure, strings.NewReader("{}"))},
	}
	stream := httptest.NewRequestWithContext(t.Context(), http.MethodPost, musterv1connect.EventServiceWatchProcedure, enveloped(`{"kinds":[""`+strings.Repeat(`,""`, 20_000)+`]}`))
	stream.Header.Set("Content-Type", "application/connect+json")
	cases = append(cases, struct {
		what string
		r    *http.Request
	}{"a stream", stream})
	for _, c := range cases {
		s, err := New(Options{Engine: oneState{state: state}, Auth: bobs{}})
		if err != nil {
			t.Fatal(err)
		}
		s.turns.spare = func() float64 { return 1 }
		if c.r != stream {
			c.r.Header.Set("Content-Type", "application/json")
		}
		c.r.Header.Set("Accept-Encoding", "gzip")
		c.r.Header.Set(headerLarge, asStream)
		took := gate.Busy()
		s.handler.ServeHTTP(httptest.NewRecorder(), c.r)
		spent := took().Seconds()
		if counts := workSaved - s.turns.callers["user:bob"].work; counts < 0.4*spent {
			t.Errorf("%s: %.4f s count, and %.4f were spent", c.what, counts, spent)
		}
	}
}

// What is packed in the address of a GET needs as much memory as what is sent packed: a few of them are read at a time.
func TestWhatIsPackedInAnAddressIsLarge(t *testing.T) {
	plain := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/x?connect=v1&encoding=json&message=%7B%7D", http.NoBody)
	packed := httptest.NewRequestWithContext(t.Context(), http.MethodGet, address(t, "/x", "{}"), http.NoBody)
	if isLarge(plain) || !isLarge(packed) {
		t.Errorf("plain %t, packed %t", isLarge(plain), isLarge(packed))
	}
}

// Streams are asked for in few words: how many are asked for at a time is not bounded by their size.
func TestAStreamIsAskedForInFewWords(t *testing.T) {
	s, err := New(Options{Engine: oneState{state: fleet.NewState()}, Auth: bobs{}})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, musterv1connect.EventServiceWatchProcedure, enveloped(`{"kinds":[""`+strings.Repeat(`,""`, 300_000)+`]}`))
	r.Header.Set("Content-Type", "application/connect+json")
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	if answer := w.Body.String(); !strings.Contains(answer, "at most 65536 are read") {
		t.Errorf("900 kB are answered with %.200q", answer)
	}
}
