package signin_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// provider is an OpenID provider at which ada is signed in already: it sends each browser
// back with a code at once. It is a strict one: whom it knows has no secret, and it refuses
// scopes that it does not say it has.
type provider struct {
	t    *testing.T
	http *httptest.Server
	now  func() time.Time

	mu     sync.Mutex
	down   bool
	gone   bool              // ada is no user any more
	says   map[string]string // by refresh token, the error with which it is answered
	key    *jose.JSONWebKey
	claims map[string]any        // that its next ID tokens have besides, or in place of the usual ones
	codes  map[string]url.Values // what was asked with, by code
	turns  int                   // refresh tokens given
	asked  int                   // times it was asked to confirm a session
}

func newProvider(t *testing.T, now func() time.Time) *provider {
	t.Helper()
	p := &provider{t: t, now: now, codes: map[string]url.Values{}}
	p.rotate("one")
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		say(w, map[string]any{
			"issuer": p.http.URL, "authorization_endpoint": p.http.URL + "/auth", "token_endpoint": p.http.URL + "/token", "jwks_uri": p.http.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"}, "scopes_supported": []string{"openid", "email", "offline_access"},
		})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		say(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{p.key.Public()}})
	})
	mux.HandleFunc("/auth", p.authorize)
	mux.HandleFunc("/token", p.token)
	p.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.down {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(p.http.Close)
	return p
}

func say(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// set changes the provider.
func (p *provider) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// rotate has the provider sign with another key, and forget the one of before.
func (p *provider) rotate(id string) {
	p.t.Helper()
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	must(p.t, err)
	p.key = &jose.JSONWebKey{Key: k, KeyID: id, Algorithm: "RS256", Use: "sig"}
}

func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	for scope := range strings.FieldsSeq(q.Get("scope")) {
		if scope != "openid" && scope != "email" && scope != "offline_access" { // of which it said nothing
			http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"error": {"invalid_scope"}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
			return
		}
	}
	code := rand.Text()
	p.codes[code] = q
	back := q.Get("redirect_uri") + "?" + url.Values{"code": {code}, "state": {q.Get("state")}}.Encode()
	http.Redirect(w, r, back, http.StatusFound)
}

func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	if _, _, shown := r.BasicAuth(); shown { // of a client that has no secret; the code is spent
		delete(p.codes, r.PostForm.Get("code"))
		p.refuse(w)
		return
	}
	nonce := ""
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		asked := p.codes[r.PostForm.Get("code")]
		delete(p.codes, r.PostForm.Get("code"))
		sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
		if asked == nil || base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") || asked.Get("redirect_uri") != r.PostForm.Get("redirect_uri") {
			p.refuse(w)
			return
		}
		nonce = asked.Get("nonce")
	case "refresh_token":
		p.asked++
		if code := p.says[r.PostForm.Get("refresh_token")]; code != "" {
			p.refuseAs(w, code)
			return
		}
		if p.gone || r.PostForm.Get("refresh_token") != p.refresh() { // one that was used before ends all
			p.refuse(w)
			return
		}
	}
	p.turns++
	say(w, map[string]any{"access_token": "x", "token_type": "Bearer", "expires_in": 60, "refresh_token": p.refresh(), "id_token": p.idToken(nonce)})
}

func (p *provider) refresh() string { return "refresh-" + string(rune('a'+p.turns)) }

func (p *provider) refuse(w http.ResponseWriter) { p.refuseAs(w, "invalid_grant") }

func (p *provider) refuseAs(w http.ResponseWriter, code string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": code})
}

func (p *provider) idToken(nonce string) string {
	claims := map[string]any{
		"iss": p.http.URL, "aud": "muster", "sub": "u-1", "exp": p.now().Add(time.Minute).Unix(), "iat": p.now().Unix(),
		"email": "ada@example.com", "email_verified": true, "groups": []string{"oak"}, "nonce": nonce,
	}
	maps.Copy(claims, p.claims)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: p.key}, nil)
	must(p.t, err)
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	must(p.t, err)
	return text
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
