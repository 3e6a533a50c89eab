package signin_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

// begin is a sign-in that a browser of an address began: what it would come back with.
func (h *house) begin(address string) *http.Request {
	h.t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/login", nil)
	r.RemoteAddr = address + ":1234"
	h.server.Config.Handler.ServeHTTP(w, r)
	at, err := url.Parse(w.Header().Get("Location"))
	must(h.t, err)
	back := httptest.NewRequest(http.MethodGet, "/login/callback?code=wrong&state="+at.Query().Get("state"), nil)
	back.RemoteAddr = r.RemoteAddr
	for _, c := range w.Result().Cookies() {
		back.AddCookie(c)
	}
	return back
}

// ends is how a sign-in ends.
func (h *house) ends(back *http.Request) int {
	w := httptest.NewRecorder()
	h.server.Config.Handler.ServeHTTP(w, back)
	return w.Code
}

// A browser that comes back again and again, without any proof, keeps no reader of another address from signing in.
func TestOneAddressKeepsNoOtherFromSigningIn(t *testing.T) {
	h := newHouse(t)
	var foes []*http.Request
	for range 40 {
		foes = append(foes, h.begin("10.0.0.1"))
	}
	reader, codes, read := h.begin("10.0.0.2"), make(chan int, len(foes)), make(chan int, 1)
	h.provider.set(func() { // it answers nothing meanwhile
		for _, back := range foes {
			go func() { codes <- h.ends(back) }()
		}
		for range len(foes) - 4 {
			select {
			case code := <-codes:
				if code != http.StatusServiceUnavailable {
					t.Errorf("one of very many is answered with %d", code)
				}
			case <-time.After(2 * time.Second):
				t.Error("more than four of one address have their codes exchanged")
			}
			if t.Failed() {
				break
			}
		}
		go func() { read <- h.ends(reader) }()
		select {
		case code := <-read:
			t.Errorf("a reader of another address is answered with %d before the provider answers", code)
			read <- code
		case <-time.After(100 * time.Millisecond):
		}
	})
	if code := <-read; code != http.StatusForbidden { // the provider does not know the code
		t.Errorf("the reader is answered with %d", code)
	}
}

// Who fails very often is not exchanged for a while.
func TestSignInsThatFailAreBounded(t *testing.T) {
	h := newHouse(t)
	failed := 0
	for h.ends(h.begin("10.0.0.1")) == http.StatusForbidden {
		if failed++; failed > 200 {
			t.Fatal("as many fail as want to")
		}
	}
	if failed != 100 {
		t.Errorf("%d fail", failed)
	}
	h.pass(time.Second)
	if code := h.ends(h.begin("10.0.0.1")); code != http.StatusForbidden {
		t.Errorf("a second later one is answered with %d", code)
	}
}

// What the cookie holds is good for a page that the middleware let in, where the provider is asked; not as a token.
func TestASessionIsNoToken(t *testing.T) {
	h := newHouse(t)
	b := h.signedIn()
	sealed := b.cookies()["muster_sign_in"]
	if b.reads("/") == "" || sealed == "" {
		t.Fatal("no reader is signed in")
	}
	r := httptest.NewRequest(http.MethodPost, "/muster.v1.SystemService/Status", nil)
	r.Header.Set("Authorization", "Bearer session."+sealed)
	if who, err := h.sessions.Identify(r); err == nil {
		t.Errorf("with the cookie as its token a call is %s's", who.Principal)
	}
}
