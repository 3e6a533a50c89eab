package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// signInHouse is a server and its provider in one.
type signInHouse struct {
	*httptest.Server
	mu sync.Mutex

	exchanged []url.Values
}

func newSignInHouse(t *testing.T) *signInHouse {
	t.Helper()
	h := &signInHouse{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		say := func(v any) { _ = json.NewEncoder(w).Encode(v) }
		h.mu.Lock()
		defer h.mu.Unlock()
		switch r.URL.Path {
		case "/sign-in.json":
			say(map[string]string{"issuer": h.URL, "client_id": "muster"})
		case "/.well-known/openid-configuration":
			say(map[string]any{
				"issuer": h.URL, "authorization_endpoint": h.URL + "/auth", "token_endpoint": h.URL + "/token", "jwks_uri": h.URL + "/keys",
				"device_authorization_endpoint": h.URL + "/device",
			})
		case "/device":
			say(map[string]any{"device_code": "d", "user_code": "ABCD-\x1b[31mEFGH", "verification_uri": h.URL + "/type", "expires_in": 60, "interval": 1})
		case "/token":
			_ = r.ParseForm()
			h.exchanged = append(h.exchanged, r.PostForm)
			say(map[string]any{
				"access_token": "x", "token_type": "Bearer", "refresh_token": fmt.Sprintf("refresh-%d", len(h.exchanged)), "expires_in": 30,
				"id_token": fmt.Sprintf("id.token.%d", len(h.exchanged)),
			})
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// signer is a command line whose home is a folder of its own.
func signer(t *testing.T, server string) (*app, *bytes.Buffer) {
	t.Helper()
	home, said := t.TempDir(), &bytes.Buffer{}
	env := &Env{Out: io.Discard, Err: said, Getenv: func(key string) string {
		return map[string]string{"XDG_STATE_HOME": home}[key]
	}}
	return &app{Env: env, server: server}, said
}

// A device code is printed without what a terminal would obey; the token is kept for its
// owner alone, shown to its own server alone, renewed before its end, and forgotten.
func TestASignInByDeviceCodeIsKeptAndRenewed(t *testing.T) {
	h := newSignInHouse(t)
	a, said := signer(t, h.URL)
	if err := (&loginOptions{app: a, device: true}).run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text := said.String(); !strings.Contains(text, "ABCD-") || strings.Contains(text, "\x1b") {
		t.Errorf("said %q", text)
	}
	is, err := os.Stat(a.signInFile())
	if err != nil || is.Mode().Perm() != 0o600 {
		t.Fatalf("the file: %v %v", is, err)
	}
	if got := a.tokenInForce(); got != "id.token.2" { // it ends within a minute, so it was renewed
		t.Errorf("the token is %q", got)
	}
	if h.exchanged[1].Get("refresh_token") != "refresh-1" {
		t.Errorf("renewed with %v", h.exchanged[1])
	}
	other := &app{Env: a.Env, server: "https://elsewhere.example"}
	if got := other.tokenInForce(); got != "" {
		t.Errorf("another server is shown %q", got)
	}
	if err := a.forgetSignIn(); err != nil {
		t.Fatal(err)
	}
	if got := a.tokenInForce(); got != "" {
		t.Errorf("after signing out it is %q", got)
	}
}

var wayIn = regexp.MustCompile(`http://\S+/auth\?\S+`)

// The browser comes back with a code; only who has the verifier can exchange it, and an
// answer with another state is none.
func TestASignInByBrowserIsThisProcessAlone(t *testing.T) {
	h := newSignInHouse(t)
	a, _ := signer(t, h.URL)
	r, w := io.Pipe()
	a.Err = w
	done := make(chan error, 1)
	go func() { done <- (&loginOptions{app: a}).run(t.Context()) }()
	var text string
	for buf := make([]byte, 4096); !wayIn.MatchString(text); {
		n, err := r.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		text += string(buf[:n])
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	ask, err := url.Parse(wayIn.FindString(text))
	if err != nil {
		t.Fatal(err)
	}
	q := ask.Query()
	if q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) < 43 {
		t.Errorf("without PKCE: %v", q)
	}
	for _, c := range []struct {
		state string
		want  int
	}{{"another", http.StatusNotFound}, {q.Get("state"), http.StatusOK}} {
		res, err := http.Get(q.Get("redirect_uri") + "?code=c&state=" + url.QueryEscape(c.state)) //nolint:noctx // a browser
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("state %q is answered with %d", c.state, res.StatusCode)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := h.exchanged[0]; got.Get("code") != "c" || len(got.Get("code_verifier")) < 43 {
		t.Errorf("exchanged %v", got)
	}
}

// A server that names a provider which is not reached by https is not believed.
func TestAProviderWithoutTLSIsNotBelieved(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintln(w, `{"issuer": "http://provider.example", "client_id": "muster"}`)
	}))
	defer s.Close()
	a, _ := signer(t, s.URL)
	if err := (&loginOptions{app: a}).run(t.Context()); err == nil || !strings.Contains(err.Error(), "https") {
		t.Errorf("it says %v", err)
	}
}
