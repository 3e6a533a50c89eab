package api

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// Another user of this machine reaches the server, and is refused: the kernel says whose
// connection it is. The token from the user's own file is proof too.
func TestAnotherUserOfThisMachineIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "muster", "local", "127.0.0.1_6878")
	l, err := NewLocalToken(file)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(connected(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := l.Identify(r); err != nil {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})))
	defer server.Close()
	ask := func(token string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	if connectionUserKnown && ask("") != http.StatusOK {
		t.Error("the server's own user is refused")
	}
	l.uid++
	if got := ask(""); got != http.StatusUnauthorized {
		t.Errorf("another user is answered with %d", got)
	}
	if got := ask("guess"); got != http.StatusUnauthorized {
		t.Errorf("another user with a guess is answered with %d", got)
	}
	if got := ask(l.token); got != http.StatusOK {
		t.Errorf("the token is answered with %d", got)
	}
	is, err := os.Stat(file)
	if err != nil || is.Mode().Perm() != 0o600 || len(l.token) != 64 {
		t.Errorf("the token's file: %v %v, %d characters", is, err, len(l.token))
	}
	if dir, err := os.Stat(filepath.Dir(file)); err != nil || dir.Mode().Perm() != 0o700 {
		t.Errorf("its folder: %v %v", dir, err)
	}
}

// A server that follows does not lend its own user to who reaches it: the one that leads
// would see the connection of that server.
func TestOnlyWhoIsKnownIsSentOnToTheLeader(t *testing.T) {
	l, err := NewLocalToken(filepath.Join(t.TempDir(), "token"))
	if err != nil {
		t.Fatal(err)
	}
	l.uid++ // another user's server
	s := &Server{auth: SignIns{NewSocketUser(), l}}
	r := httptest.NewRequest(http.MethodPost, "http://localhost/", nil)
	if s.Forwardable(r) {
		t.Error("a stranger's request is sent on")
	}
	r.Header.Set("Authorization", "Bearer "+l.token)
	if !s.Forwardable(r) {
		t.Error("the user's own request is not sent on")
	}
	r.Header.Set("Origin", "https://elsewhere.example")
	if s.Forwardable(r) {
		t.Error("what another page sends is sent on")
	}
	s.auth = SignIns{NewSocketUser(), &Tokens{}}
	if !s.Forwardable(r) {
		t.Error("a request with a token is not left to the leader's judgement")
	}
}

// A request that came by no connection that is known has no user.
func TestARequestWithoutAConnectionIsRefused(t *testing.T) {
	l, err := NewLocal()
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
	if _, err := l.Identify(r); err == nil {
		t.Error("it is answered")
	}
}
