package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// signInHouse is a server and its provider in one.
type signInHouse struct {
	*httptest.Server
	mu sync.Mutex

	exchanged []url.Values
	lasts     time.Duration // of its ID tokens, where they say it; 0: they do not
	strict    bool          // a refresh token that comes twice ends the sign-in
	stranger  bool          // the server knows no caller
}

// idToken is the newest.
func (h *signInHouse) idToken() string {
	if h.lasts == 0 {
		return fmt.Sprintf("id.token.%d", len(h.exchanged))
	}
	claims := fmt.Sprintf(`{"exp":%d,"turn":%d}`, time.Now().Add(h.lasts).Unix(), len(h.exchanged))
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".sig"
}

// spent says whether a refresh token came before.
func (h *signInHouse) spent(token string) bool {
	return slices.ContainsFunc(h.exchanged, func(v url.Values) bool { return token != "" && v.Get("refresh_token") == token })
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
			if h.strict && h.spent(r.PostForm.Get("refresh_token")) {
				w.WriteHeader(http.StatusBadRequest)
				say(map[string]string{"error": "invalid_grant"})
				return
			}
			h.exchanged = append(h.exchanged, r.PostForm)
			say(map[string]any{
				"access_token": "x", "token_type": "Bearer", "refresh_token": fmt.Sprintf("refresh-%d", len(h.exchanged)), "expires_in": 30,
				"id_token": h.idToken(),
			})
		default:
			if h.stranger {
				w.WriteHeader(http.StatusUnauthorized)
				say(map[string]string{"code": "unauthenticated", "message": "nobody has proven that this is your address"})
				return
			}
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

// Commands that run side by side ask the provider for one token together: one that is asked
// twice with the same may end the sign-in.
func TestCommandsSideBySideRenewOnce(t *testing.T) {
	h := newSignInHouse(t)
	h.strict, h.lasts = true, 30*time.Second
	a, _ := signer(t, h.URL)
	if err := (&loginOptions{app: a, device: true}).run(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	h.lasts = time.Hour
	h.mu.Unlock()
	tokens := make(chan string)
	for range 8 {
		go func() { tokens <- a.tokenInForce() }()
	}
	first := <-tokens
	for range 7 {
		if got := <-tokens; got != first {
			t.Errorf("one command has %q, another %q", first, got)
		}
	}
	if len(h.exchanged) != 2 {
		t.Errorf("the provider was asked %d times", len(h.exchanged))
	}
}

// An ID token that ends before the access token beside it is renewed before its own end.
func TestASignInIsRenewedBeforeItsIDTokenEnds(t *testing.T) {
	for _, c := range []struct {
		lasts time.Duration
		asked int
	}{{30 * time.Second, 2}, {time.Hour, 1}} { // what comes beside it lasts 30 s, whatever it says
		h := newSignInHouse(t)
		h.lasts = c.lasts
		a, _ := signer(t, h.URL)
		if err := (&loginOptions{app: a, device: true}).run(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.tokenInForce()
		if len(h.exchanged) != c.asked {
			t.Errorf("a token for %v: the provider was asked %d times, want %d", c.lasts, len(h.exchanged), c.asked)
		}
	}
}

// Who the provider knows and the server does not is not told to be signed in.
func TestASignInThatTheServerRefusesIsNone(t *testing.T) {
	h := newSignInHouse(t)
	h.stranger = true
	a, _ := signer(t, h.URL)
	err := (&loginOptions{app: a, device: true}).run(t.Context())
	if err == nil {
		t.Fatal("it is taken")
	}
	if said := explain(err); !strings.Contains(said, "does not take the sign-in") || !strings.Contains(said, "proven") || exitCode(err) != ExitNotAllowed {
		t.Errorf("it says %q, with code %d", said, exitCode(err))
	}
	if _, err := os.Stat(a.signInFile()); err == nil {
		t.Error("it is kept")
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

// A provider whose certificate another authority signed is believed where that is named, also when
// the sign-in is renewed; where it is not, the error says what to name.
func TestAProviderOfAnotherAuthorityIsNamed(t *testing.T) {
	var h *signInHouse
	provider := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.Config.Handler.ServeHTTP(w, r) }))
	t.Cleanup(provider.Close)
	h = newSignInHouse(t)
	server := h.URL
	h.URL = provider.URL // as it names itself
	a, _ := signer(t, server)
	err := (&loginOptions{app: a, device: true}).run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "--oidc-ca FILE") {
		t.Errorf("without the authority it says %v", err)
	}
	file := filepath.Join(t.TempDir(), "house.pem")
	for _, c := range []struct{ data, wrong string }{ // in this order: the file is read again where the sign-in is renewed
		{"no certificate", "has no certificate in it"},
		{string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: provider.Certificate().Raw})), ""},
	} {
		data, wrong := c.data, c.wrong
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		err := (&loginOptions{app: a, device: true, ca: file}).run(t.Context())
		if said := fmt.Sprint(err); (wrong == "") != (err == nil) || !strings.Contains(said, wrong) && wrong != "" {
			t.Fatalf("with %.20q it says %v", data, err)
		}
	}
	if k, _ := a.readSignIn(); !k.ends() || a.renew(k).IDToken == k.IDToken {
		t.Error("the sign-in is not renewed")
	}
}

// What the browser is told is whole although this process is done the moment it has the code.
func TestTheBrowserHearsTheWholeAnswerOfAProcessThatEnds(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{ReadHeaderTimeout: time.Minute}
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		sayWhole(w, "done\n")
		_ = s.Close()
	})
	go func() { _ = s.Serve(l) }()
	res, err := http.Get("http://" + l.Addr().String()) //nolint:noctx // a browser
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if said, err := io.ReadAll(res.Body); err != nil || string(said) != "done\n" {
		t.Errorf("it is told %q, and %v", said, err)
	}
}
