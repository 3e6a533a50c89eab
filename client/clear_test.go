package client

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// counted is a way that counts what is sent.
type counted struct{ n int }

func (c *counted) RoundTrip(*http.Request) (*http.Response, error) {
	c.n++
	return nil, errors.New("sent")
}

func TestATokenDoesNotGoInClear(t *testing.T) {
	for _, one := range []struct {
		address, token string
		free, sent     bool
	}{
		{"http://192.0.2.2:7880", "secret", false, false},
		{"HTTP://192.0.2.2:7880", "secret", false, false},
		{"http://localhost@192.0.2.2", "secret", false, false},
		{"https://a.example,http://192.0.2.2:7880", "secret", false, false},
		{"http://192.0.2.2:7880", "secret", true, true},
		{"http://192.0.2.2:7880", "", false, true},
		{"192.0.2.2:7880", "secret", false, true}, // by TLS
		{"127.0.0.1:7880", "secret", false, true},
		{"unix:/run/muster.sock", "secret", false, true},
	} {
		way := &counted{}
		c := New(Options{Address: one.address, Token: one.token, PlainHTTP: one.free, HTTPClient: &http.Client{Transport: way}, Retries: -1})
		_, err := c.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{})
		watched := c.Watch(t.Context(), 1, nil, nil)
		var refused *TokenInClear
		if errors.As(err, &refused) == one.sent || errors.As(watched, &refused) == one.sent || (way.n > 0) != one.sent {
			t.Errorf("%+v: %d calls were sent; %v, %v", one, way.n, err, watched)
		}
	}
}

func TestARefusedTokenSaysWhatIsRight(t *testing.T) {
	text := (&TokenInClear{"http://muster.example:80"}).Error()
	for _, part := range []string{"write https://muster.example:80", "MUSTER_PLAIN_HTTP=1", "nothing was sent"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not say %q", text, part)
		}
	}
}

func TestAServerThatIsAskedInTheWrongWaySaysSo(t *testing.T) {
	h := httptest.NewUnstartedServer(http.NotFoundHandler())
	h.Config.ErrorLog = log.New(io.Discard, "", 0)
	h.StartTLS()
	defer h.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	at, open := h.Listener.Addr().String(), plain.Listener.Addr().String()
	for address, want := range map[string]string{
		at:                                 "speaks TLS: write https://" + at,
		"https://" + at:                    "a server answers at https://" + at + ", but its certificate is not trusted",
		"https://" + open:                  "does not speak TLS; where a proxy or the network itself protects the way, write http://" + open,
		"http://" + at + ",http://" + at:   "speaks TLS: write https://" + at,
		"https://" + at + ",https://" + at: "its certificate is not trusted",
	} {
		c := New(Options{Address: address, Retries: 1})
		_, err := c.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{})
		watched := c.Watch(t.Context(), 1, nil, nil)
		if err == nil || watched == nil || !strings.Contains(err.Error(), want) || !strings.Contains(watched.Error(), want) {
			t.Errorf("%s says\n%v\n%v\nwant %q", address, err, watched, want)
		}
	}
}

// An answer of 400 of the server itself comes whole.
func TestABadAnswerComesWhole(t *testing.T) {
	for _, body := range []string{"", "no", strings.Repeat("a longer one ", 20)} {
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, body)
		}))
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL, nil)
		res, err := byPlain{http.DefaultTransport}.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		if _ = res.Body.Close(); err != nil || string(got) != body {
			t.Errorf("%q came as %q, %v", body, got, err)
		}
		h.Close()
	}
}

func TestNoProxyIsAskedForThisMachine(t *testing.T) {
	for _, host := range []string{"127.0.0.1:80", "0.0.0.0:80", net.JoinHostPort("::", "80")} {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host, nil)
		if at, err := proxyFor(r); at != nil || err != nil {
			t.Errorf("%s is asked by %v, %v", host, at, err)
		}
	}
}

func TestWhatIsNoAddressIsToldSo(t *testing.T) {
	for _, address := range []string{"ht!tp://", "ftp://muster.example", "https://", "a.example:80,http://%zz"} {
		_, err := New(Options{Address: address, Retries: -1}).Workloads.Submit(t.Context(), &musterv1.SubmitRequest{})
		if !errors.As(err, new(*NoAddress)) {
			t.Errorf("%q: %v", address, err)
		}
	}
}
