package api_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/muster-fleet/muster/internal/faces/api"
)

// provider is an OpenID provider with one key at a time, which can be out of reach.
type provider struct {
	t    *testing.T
	http *httptest.Server
	key  atomic.Pointer[jose.JSONWebKey]
	down atomic.Bool
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{t: t}
	p.rotate("one")
	p.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case p.down.Load():
			w.WriteHeader(http.StatusBadGateway)
		case r.URL.Path == "/keys":
			_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{p.key.Load().Public()}})
		default:
			_ = json.NewEncoder(w).Encode(map[string]any{"issuer": p.http.URL, "jwks_uri": p.http.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
		}
	}))
	t.Cleanup(p.http.Close)
	return p
}

// rotate has the provider sign with another key, and forget the one of before.
func (p *provider) rotate(id string) {
	p.t.Helper()
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	must(p.t, err)
	p.key.Store(&jose.JSONWebKey{Key: k, KeyID: id, Algorithm: "RS256", Use: "sig"})
}

// token is one of ada's, with claims changed.
func (p *provider) token(change map[string]any) string {
	p.t.Helper()
	claims := map[string]any{
		"iss": p.http.URL, "aud": "muster", "sub": "u-1", "exp": noon.Add(time.Hour).Unix(), "iat": noon.Unix(),
		"email": "ada@example.com", "email_verified": true, "groups": []string{"oak", "cluster:tiger"},
	}
	for name, v := range change {
		claims[name] = v
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: p.key.Load()}, nil)
	must(p.t, err)
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	must(p.t, err)
	return text
}

func bearing(t *testing.T, token string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

func TestAnIDTokenNamesItsUser(t *testing.T) {
	p := newProvider(t)
	now := noon
	a := api.NewOIDC(api.OIDCOptions{Issuer: p.http.URL, ClientID: "muster", Now: func() time.Time { return now }})
	who, err := a.Identify(bearing(t, p.token(nil)))
	must(t, err)
	equal(t, "user", who.User, "ada@example.com")
	equal(t, "kind", who.Principal.String(), "user:ada@example.com")
	equal(t, "groups, without one that looks like a cluster's", len(who.Groups) == 1 && who.Groups[0] == "oak", true)
	equal(t, "operator", who.Operator, false)
	other := newProvider(t)
	for what, token := range map[string]string{
		"for another program":      p.token(map[string]any{"aud": "another"}),
		"of another provider":      other.token(nil),
		"another's, in our name":   other.token(map[string]any{"iss": p.http.URL}),
		"that ended":               p.token(map[string]any{"exp": noon.Add(-time.Minute).Unix()}),
		"of an unproven address":   p.token(map[string]any{"email_verified": false}),
		"without a user":           p.token(map[string]any{"email": ""}),
		"of a user with a colon":   p.token(map[string]any{"email": "serviceaccount:ci"}),
		"with a changed signature": p.token(nil) + "x",
	} {
		if _, err := a.Identify(bearing(t, token)); err == nil {
			t.Errorf("a token %s is taken", what)
		}
	}
	now = noon.Add(2 * time.Hour)
	if _, err := a.Identify(bearing(t, p.token(nil))); err == nil {
		t.Error("a token is taken after its end")
	}
}

func TestAProviderRotatesItsKeyAndGoesAway(t *testing.T) {
	p := newProvider(t)
	now := noon
	a := api.NewOIDC(api.OIDCOptions{Issuer: p.http.URL, ClientID: "muster", Now: func() time.Time { return now }})
	p.down.Store(true)
	if _, err := a.Identify(bearing(t, p.token(nil))); err == nil {
		t.Error("a sign-in is taken before the provider was reached")
	}
	p.down.Store(false)
	now = now.Add(time.Minute)
	_, err := a.Identify(bearing(t, p.token(nil)))
	must(t, err)
	p.rotate("two")
	fresh := p.token(nil)
	_, err = a.Identify(bearing(t, fresh))
	must(t, err)
	p.down.Store(true)
	_, err = a.Identify(bearing(t, fresh))
	must(t, err) // who is in stays in
	p.rotate("three")
	if _, err := a.Identify(bearing(t, p.token(nil))); err == nil {
		t.Error("a key that the provider could not confirm is believed")
	}
}

// A server with a provider tells who shows nothing how to sign in.
func TestWhoShowsNothingIsToldHowToSignIn(t *testing.T) {
	p := newProvider(t)
	none, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	must(t, err)
	for says, list := range map[string]api.SignIns{
		"muster login": {api.NewOIDC(api.OIDCOptions{Issuer: p.http.URL, ClientID: "muster"})},
		"no token":     {},
	} {
		if _, err := list.Identify(none); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("it says %v, want %q", err, says)
		}
	}
}
