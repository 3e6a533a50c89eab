package signin_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/faces/signin"
	"github.com/muster-fleet/muster/internal/run/audit"
)

// house is pages behind the middleware, on a clock that a test moves. A page says who reads it.
type house struct {
	t        *testing.T
	provider *provider
	server   *httptest.Server
	sessions *signin.Sessions
	dir      string
	clock    atomic.Int64
	noted    []audit.Kind
}

var limits = signin.Limits{Idle: time.Hour, Whole: 8 * time.Hour}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir()}
	h.clock.Store(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC).UnixNano())
	h.provider = newProvider(t, h.now)
	h.open()
	return h
}

func (h *house) now() time.Time { return time.Unix(0, h.clock.Load()).UTC() }

func (h *house) pass(d time.Duration) { h.clock.Add(int64(d)) }

// open starts the server, or starts it again.
func (h *house) open() {
	h.t.Helper()
	seal, err := signin.OpenSeal(filepath.Join(h.dir, "session.key"), true)
	must(h.t, err)
	oidc := api.NewOIDC(api.OIDCOptions{Issuer: h.provider.http.URL, ClientID: "muster", Now: h.now})
	h.sessions, err = signin.NewSessions(seal, oidc, limits, filepath.Join(h.dir, "sessions.ended"), h.now)
	must(h.t, err)
	handler := signin.New(signin.Options{
		Provider: oidc, Sessions: h.sessions, Note: func(e audit.Entry) { h.noted = append(h.noted, e.Kind) },
		Refuse: func(w http.ResponseWriter, _ *http.Request, status int, why string) { http.Error(w, why, status) },
	}).Handler(http.HandlerFunc(h.page))
	if h.server == nil {
		h.server = httptest.NewServer(nil)
		h.t.Cleanup(h.server.Close)
	}
	h.server.Config.Handler = handler
}

// page says who reads it, as the API finds out.
func (h *house) page(w http.ResponseWriter, r *http.Request) {
	ask := r.Clone(r.Context())
	ask.Header = http.Header{"Authorization": {"Bearer " + r.Header.Get(signin.Header)}}
	who, err := h.sessions.Identify(ask)
	if err != nil {
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	_, _ = fmt.Fprintf(w, "%s of %v at %s", who.Principal, who.Groups, r.URL.Path)
}

// browser is one that keeps cookies.
type browser struct {
	*house
	*http.Client
}

func (h *house) browser() *browser {
	jar, err := cookiejar.New(nil)
	must(h.t, err)
	return &browser{h, &http.Client{Jar: jar}}
}

func (b *browser) get(path string) (int, string) {
	b.t.Helper()
	r, err := b.Get(b.server.URL + path)
	must(b.t, err)
	return read(b.t, r)
}

func read(t *testing.T, r *http.Response) (int, string) {
	t.Helper()
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	must(t, err)
	return r.StatusCode, string(body)
}

// reads is what a page says to the browser; "": it does not know who reads.
func (b *browser) reads(path string) string {
	b.t.Helper()
	code, body := b.get(path)
	if code == http.StatusUnauthorized {
		return ""
	}
	return body
}

// cookies are those of the server, by name.
func (b *browser) cookies() map[string]string {
	at, err := url.Parse(b.server.URL)
	must(b.t, err)
	list := map[string]string{}
	for _, c := range b.Jar.Cookies(at) {
		list[c.Name] = c.Value
	}
	return list
}

func (b *browser) put(name, value string) {
	at, err := url.Parse(b.server.URL)
	must(b.t, err)
	b.Jar.SetCookies(at, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
}

// stay has the browser stop at the first address that it is sent to.
func (b *browser) stay() *browser {
	b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return b
}

// to is where an address leads.
func (b *browser) to(address string) (code int, where string) {
	b.t.Helper()
	r, err := b.Get(address)
	must(b.t, err)
	code, _ = read(b.t, r)
	return code, r.Header.Get("Location")
}

const adaAt = "user:ada@example.com of [oak] at "

func (h *house) signedIn() *browser {
	h.t.Helper()
	b := h.browser()
	if got := b.reads("/login"); got != adaAt+"/" {
		h.t.Fatalf("after signing in: %q", got)
	}
	return b
}

func TestAReaderSignsInAndOut(t *testing.T) {
	h := newHouse(t)
	b := h.browser()
	if got := b.reads("/queue"); got != "" {
		t.Errorf("a stranger reads %q", got)
	}
	if got := b.reads("/login?back=/queue"); got != adaAt+"/queue" {
		t.Fatalf("after signing in: %q", got)
	}
	before := b.cookies()
	for name, value := range before {
		if strings.Contains(value, "ada") || strings.Contains(value, "refresh") || name == "muster_login" {
			t.Errorf("the browser keeps %s=%s", name, value)
		}
	}
	r, err := b.PostForm(b.server.URL+"/sign-out", nil)
	must(t, err)
	read(t, r)
	if got := b.reads("/queue"); got != "" || len(b.cookies()) != 0 {
		t.Errorf("after signing out: %q, cookies %v", got, b.cookies())
	}
	h.open() // what was ended stays so in the next life of the server
	for name, value := range before {
		b.put(name, value)
	}
	if got := b.reads("/queue"); got != "" {
		t.Errorf("with a copy of the cookie from before signing out: %q", got)
	}
	if got := fmt.Sprint(h.noted); got != "[sign-in sign-out]" {
		t.Errorf("the audit log has %s", got)
	}
}

func TestTheCookieIsForThisServerAlone(t *testing.T) {
	h := newHouse(t)
	b := h.browser().stay()
	_, where := b.to(h.server.URL + "/login")
	_, where = b.to(where)
	for _, c := range []struct {
		proto, name string
		secure      bool
	}{{"", "muster_sign_in", false}, {"https", "__Host-muster_sign_in", true}} {
		if c.secure {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.server.URL+"/login", nil)
			must(t, err)
			r.Header.Set("X-Forwarded-Proto", "https")
			res, err := b.Do(r)
			must(t, err)
			read(t, res)
			if c := res.Cookies()[0]; !c.Secure || c.Name != "__Host-muster_login" {
				t.Errorf("over TLS: %v", c)
			}
			continue
		}
		res, err := b.Get(where)
		must(t, err)
		read(t, res)
		found := false
		for _, got := range res.Cookies() {
			if got.Name == c.name {
				found = true
				if !got.HttpOnly || got.SameSite != http.SameSiteLaxMode || got.Domain != "" || got.MaxAge != 8*3600 {
					t.Errorf("%v", got)
				}
			}
		}
		if !found {
			t.Errorf("no cookie %s in %v", c.name, res.Cookies())
		}
	}
}

// What another browser began, or this one ended already, lets no reader in.
func TestAStateIsOneBrowsersAndServesOnce(t *testing.T) {
	h := newHouse(t)
	b := h.browser().stay()
	_, there := b.to(h.server.URL + "/login")
	way := b.cookies()
	_, back := b.to(there)
	if code, _ := h.browser().stay().to(back); code != http.StatusBadRequest {
		t.Errorf("in another browser: %d", code)
	}
	other := h.browser().stay()
	other.to(h.server.URL + "/login")
	if code, _ := other.to(back); code != http.StatusBadRequest {
		t.Errorf("in another browser that signs in, too: %d", code)
	}
	if code, where := b.to(back); code != http.StatusSeeOther || where != "/" {
		t.Fatalf("in its own: %d %s", code, where)
	}
	for name, value := range way {
		b.put(name, value)
	}
	b.put("muster_sign_in", "")
	if code, body := b.get(strings.TrimPrefix(back, h.server.URL)); code != http.StatusBadRequest || !strings.Contains(body, "ended already") {
		t.Errorf("again: %d %s", code, body)
	}
	late := h.browser().stay()
	_, there = late.to(h.server.URL + "/login")
	_, back = late.to(there)
	h.pass(11 * time.Minute)
	if code, _ := late.to(back); code != http.StatusBadRequest {
		t.Errorf("after 11 minutes: %d", code)
	}
}

func TestOnlyWhatTheProviderSignedForThisSignInLetsIn(t *testing.T) {
	h := newHouse(t)
	for what, claims := range map[string]map[string]any{
		"for another program":    {"aud": "another"},
		"of another provider":    {"iss": "https://elsewhere.example"},
		"that ended":             {"exp": h.now().Add(-time.Minute).Unix()},
		"of another sign-in":     {"nonce": "another"},
		"of an unproven address": {"email_verified": false},
		"without a user":         {"email": ""},
	} {
		h.provider.set(func() { h.provider.claims = claims })
		if code, _ := h.browser().get("/login"); code != http.StatusForbidden {
			t.Errorf("an ID token %s is answered with %d", what, code)
		}
	}
	h.provider.set(func() { h.provider.claims = nil })
	h.signedIn()
	h.provider.set(func() { h.provider.rotate("two") })
	h.signedIn()
}

func TestACookieThatWasChangedIsNone(t *testing.T) {
	h := newHouse(t)
	good := h.signedIn().cookies()["muster_sign_in"]
	way := h.browser().stay()
	way.to(h.server.URL + "/login")
	for what, value := range map[string]string{
		"a changed one":      good[:len(good)/2] + "AAAA" + good[len(good)/2+4:],
		"a shorter one":      good[:len(good)-8],
		"a longer one":       good + "AAAA",
		"another's":          strings.Repeat("A", 200),
		"no base64":          "!!",
		"a way for another":  way.cookies()["muster_login"],
		"one with its wrong": "session." + good,
	} {
		b := h.browser()
		b.put("muster_sign_in", value)
		if r, err := b.Get(b.server.URL); err != nil || len(r.Cookies()) != 1 {
			t.Errorf("%s: the answer sets %v, %v", what, r.Cookies(), err)
		} else {
			read(t, r)
		}
		b.put("muster_sign_in", value)
		if got := b.reads("/"); got != "" || b.cookies()["muster_sign_in"] != "" {
			t.Errorf("%s: reads %q", what, got)
		}
	}
	b := h.browser()
	b.put("muster_sign_in", good)
	if got := b.reads("/"); got != adaAt+"/" {
		t.Errorf("the good one reads %q", got)
	}
}

func TestASessionEnds(t *testing.T) {
	h := newHouse(t)
	away := h.signedIn()
	h.pass(59 * time.Minute)
	if away.reads("/") == "" {
		t.Error("it ended before its time")
	}
	h.pass(59 * time.Minute)
	if away.reads("/") == "" {
		t.Error("it ended although its reader did something within the hour")
	}
	h.pass(61 * time.Minute)
	if away.reads("/") != "" {
		t.Error("it goes on although its reader was away")
	}
	busy := h.signedIn()
	for range 15 {
		h.pass(30 * time.Minute)
		if busy.reads("/") == "" {
			t.Fatal("it ended before its time")
		}
	}
	h.pass(30 * time.Minute)
	if busy.reads("/") != "" {
		t.Error("it lasts longer than 8 hours")
	}
}

// A page that is left open refreshes itself; its reader does nothing.
func TestAnOpenPageIsNoReader(t *testing.T) {
	h := newHouse(t)
	b := h.signedIn()
	refresh := func() int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.server.URL+"/", nil)
		must(t, err)
		r.Header.Set("HX-Request", "true")
		res, err := b.Do(r)
		must(t, err)
		code, _ := read(t, res)
		return code
	}
	for range 5 {
		h.pass(10 * time.Minute)
		if code := refresh(); code != http.StatusOK {
			t.Fatalf("answered with %d", code)
		}
	}
	h.pass(11 * time.Minute)
	if code := refresh(); code != http.StatusUnauthorized {
		t.Errorf("after 61 minutes: %d", code)
	}
}

func TestSessionsGoOnWhileTheProviderIsDown(t *testing.T) {
	h := newHouse(t)
	b := h.signedIn()
	h.provider.set(func() { h.provider.down = true })
	for range 5 {
		h.pass(20 * time.Minute)
		if b.reads("/") == "" {
			t.Fatal("a session ended with its provider")
		}
	}
	if code, _ := h.browser().get("/login"); code != http.StatusBadGateway && code != http.StatusServiceUnavailable {
		t.Errorf("a new one comes in: %d", code)
	}
	h.open()
	if code, _ := h.browser().get("/login"); code != http.StatusServiceUnavailable {
		t.Errorf("a server that never reached the provider says %d", code)
	}
	if b.reads("/") == "" {
		t.Error("a session ended with the server")
	}
	h.provider.set(func() { h.provider.down = false })
	h.pass(time.Minute)
	if b.reads("/") == "" {
		t.Error("a session ended as its provider came back")
	}
}

// A reader of whom the provider wants something first has to sign in again, and is the only one.
func TestAReaderWhomTheProviderWantsToSeeSignsInAgain(t *testing.T) {
	h := newHouse(t)
	one := h.signedIn()
	h.provider.set(func() { h.provider.says = map[string]string{h.provider.refresh(): "interaction_required"} })
	other := h.signedIn()
	h.pass(time.Minute)
	if one.reads("/") != "" {
		t.Error("it reads on")
	}
	if other.reads("/") == "" {
		t.Error("another reader's session ended, too")
	}
	if h.provider.asked != 2 {
		t.Errorf("the provider was asked %d times, not about each", h.provider.asked)
	}
}

// What the provider says of one session alone keeps it from being asked about that one for a while, and about no other.
func TestAnAnswerAboutOneSessionHoldsUpNoOther(t *testing.T) {
	h := newHouse(t)
	one := h.signedIn()
	h.provider.set(func() { h.provider.says = map[string]string{h.provider.refresh(): "slow_down"} })
	other := h.signedIn()
	h.pass(time.Minute)
	for range 2 {
		if one.reads("/") == "" {
			t.Error("the session ended by an answer that says nothing of it")
		}
	}
	h.provider.set(func() { h.provider.gone = true })
	if other.reads("/") != "" {
		t.Error("the provider was not asked about the other, who is no user any more")
	}
	if h.provider.asked != 2 {
		t.Errorf("the provider was asked %d times, not once about each", h.provider.asked)
	}
}

func TestTheProviderTakesAReaderAway(t *testing.T) {
	h := newHouse(t)
	b := h.signedIn()
	h.pass(time.Minute)
	b.reads("/")
	if h.provider.asked != 1 {
		t.Errorf("the provider was asked %d times in a minute", h.provider.asked)
	}
	h.provider.set(func() { h.provider.claims = map[string]any{"groups": []string{"elm"}} })
	h.pass(time.Minute)
	if got := b.reads("/"); !strings.Contains(got, "[elm]") {
		t.Errorf("after the group changed: %s", got)
	}
	copied := b.cookies()["muster_sign_in"]
	h.provider.set(func() { h.provider.gone = true })
	if b.reads("/") == "" {
		t.Error("the provider was asked within the minute")
	}
	h.pass(time.Minute)
	if b.reads("/") != "" {
		t.Error("who is no user any more reads on")
	}
	b.put("muster_sign_in", copied)
	if b.reads("/") != "" {
		t.Error("who is no user any more reads on with a copy of the cookie")
	}
}

// The provider takes what it is asked with once; requests with the cookie of before go on.
func TestRequestsOfOnePageAskTheProviderOnce(t *testing.T) {
	h := newHouse(t)
	b := h.signedIn()
	h.pass(time.Minute)
	old := b.cookies()["muster_sign_in"]
	results := make(chan string, 8)
	for range 8 {
		go func() {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.server.URL+"/", nil)
			if err != nil {
				results <- err.Error()
				return
			}
			r.AddCookie(&http.Cookie{Name: "muster_sign_in", Value: old})
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				results <- err.Error()
				return
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			results <- string(body) + fmt.Sprint(errors.Unwrap(err))
		}()
	}
	for range 8 {
		if got := <-results; got != adaAt+"/<nil>" {
			t.Errorf("read %q", got)
		}
	}
	if h.provider.asked != 1 {
		t.Errorf("the provider was asked %d times", h.provider.asked)
	}
}

func TestNoReaderIsLedElsewhere(t *testing.T) {
	h := newHouse(t)
	for _, back := range []string{"//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example", "/%09/elsewhere.example", "javascript:alert(1)", "/" + strings.Repeat("x", 20_000)} {
		b := h.browser().stay()
		_, there := b.to(h.server.URL + "/login?back=" + url.QueryEscape(back))
		_, here := b.to(there)
		if code, where := b.to(here); code != http.StatusSeeOther || where != "/" {
			t.Errorf("%.40q leads to %d %.80q", back, code, where)
		}
	}
}

// A header by which the server notes a session is not the reader's to set.
func TestAHeaderIsNoSession(t *testing.T) {
	h := newHouse(t)
	good := h.signedIn().cookies()["muster_sign_in"]
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.server.URL+"/", nil)
	must(t, err)
	r.Header.Set(signin.Header, "session."+good)
	res, err := http.DefaultClient.Do(r)
	must(t, err)
	if code, _ := read(t, res); code != http.StatusUnauthorized {
		t.Errorf("answered with %d", code)
	}
}

func TestManyGroupsTakeSeveralCookies(t *testing.T) {
	h := newHouse(t)
	var groups []string
	for i := range 300 {
		groups = append(groups, fmt.Sprintf("department-of-trees-%03d", i))
	}
	h.provider.set(func() { h.provider.claims = map[string]any{"groups": groups} })
	b := h.browser()
	if got := b.reads("/login"); !strings.Contains(got, "trees-299") {
		t.Errorf("read %.200q", got)
	}
	for name, value := range b.cookies() {
		if len(name)+len(value) > 4000 {
			t.Errorf("%s has %d bytes", name, len(value))
		}
	}
	h.provider.set(func() { h.provider.claims = map[string]any{"groups": append(groups, groups...)} })
	if code, _ := h.browser().get("/login"); code != http.StatusForbidden {
		t.Errorf("with more than a session holds: %d", code)
	}
}

func TestAKeyThatOthersReadIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	if _, err := signin.OpenSeal(path, false); err == nil {
		t.Error("a key that was named is made")
	}
	_, err := signin.OpenSeal(path, true)
	must(t, err)
	must(t, os.Chmod(path, 0o644))
	if _, err := signin.OpenSeal(path, true); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a key that others read: %v", err)
	}
}
