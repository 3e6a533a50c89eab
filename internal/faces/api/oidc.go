package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// OIDCOptions say which provider people sign in at, by OpenID Connect.
type OIDCOptions struct {
	Issuer        string // URL of the provider
	ClientID      string // as which this server, and its command line, are known there
	UsernameClaim string // that names the user; "": email
	GroupsClaim   string // that lists the user's groups; "": groups
	Client        *http.Client
	Log           *slog.Logger
	Now           func() time.Time // nil: time.Now
}

// OIDC is the Authenticator of people who show an ID token of a provider. The provider's
// keys are kept, so that tokens stay good while it cannot be reached.
type OIDC struct {
	o OIDCOptions

	mu       sync.Mutex
	provider *oidc.Provider // nil: it was not reached yet
	verifier *oidc.IDTokenVerifier
	tried    time.Time
	failed   error
}

// providerEvery is how often a provider that cannot be reached is tried again, at most.
const providerEvery = 5 * time.Second

// providerPatience bounds one question to the provider.
const providerPatience = 10 * time.Second

// maxIDToken bounds a token, in bytes.
const maxIDToken = 16 << 10

// NewOIDC does not reach the provider yet: a server starts without it, too.
func NewOIDC(o OIDCOptions) *OIDC {
	if o.UsernameClaim == "" {
		o.UsernameClaim = "email"
	}
	if o.GroupsClaim == "" {
		o.GroupsClaim = "groups"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: providerPatience}
	}
	return &OIDC{o: o}
}

// Identify finds the user of the ID token that a request bears.
func (p *OIDC) Identify(r *http.Request) (Identity, error) {
	bearer := bearerOf(r)
	if strings.Count(bearer, ".") != 2 || strings.HasPrefix(bearer, servicePrefix) {
		return Identity{}, ErrNotMine
	}
	if len(bearer) > maxIDToken {
		return Identity{}, fmt.Errorf("the ID token has %d bytes; at most %d are read", len(bearer), maxIDToken)
	}
	who, _, err := p.Verified(r.Context(), bearer)
	return who, err
}

// Verified is the user that an ID token names, and the token, whose nonce the caller compares.
func (p *OIDC) Verified(ctx context.Context, bearer string) (Identity, *oidc.IDToken, error) {
	if _, err := p.reach(); err != nil {
		return Identity{}, nil, err
	}
	token, err := p.verifier.Verify(ctx, bearer)
	if err != nil {
		return Identity{}, nil, p.unverified(err)
	}
	who, err := p.identity(token)
	return who, token, err
}

// Endpoint is where the provider asks people who they are, and gives tokens.
func (p *OIDC) Endpoint() (oauth2.Endpoint, error) {
	provider, err := p.reach()
	if err != nil {
		return oauth2.Endpoint{}, err
	}
	return provider.Endpoint(), nil
}

// Scopes are what this server and its command line ask the provider for, of what it says
// that it has: some refuse a sign-in that asks for more.
func (p *OIDC) Scopes() []string {
	provider, err := p.reach()
	var said struct {
		Has []string `json:"scopes_supported"`
	}
	if err != nil || provider.Claims(&said) != nil || len(said.Has) == 0 {
		return scopes
	}
	return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return s != oidc.ScopeOpenID && !slices.Contains(said.Has, s) })
}

// scopes bring a user's name and groups, and what a sign-in is renewed with.
var scopes = []string{oidc.ScopeOpenID, "email", "profile", "groups", oidc.ScopeOfflineAccess}

// Greet finds the provider when a server starts, so that the log says at once if it is not there.
func (p *OIDC) Greet() { _, _ = p.reach() }

// Client asks the provider; what it asks has an end.
func (p *OIDC) Client() *http.Client { return p.o.Client }

// Names are the provider, and this server as it is known there.
func (p *OIDC) Names() (issuer, clientID string) { return p.o.Issuer, p.o.ClientID }

// reach finds the provider, which names its keys once.
func (p *OIDC) reach() (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.o.Now()
	if p.provider != nil {
		return p.provider, nil
	}
	if p.failed != nil && now.Sub(p.tried) < providerEvery {
		return nil, p.failed
	}
	p.tried = now
	provider, err := oidc.NewProvider(oidc.ClientContext(context.Background(), p.o.Client), p.o.Issuer) // its keys are asked for later, with this context
	if err != nil {
		p.o.Log.Warn("the sign-in provider cannot be reached", "issuer", p.o.Issuer, "error", err)
		p.failed = errors.New("the sign-in provider " + p.o.Issuer + " cannot be reached, so that no new sign-in is accepted; try again later")
		return nil, p.failed
	}
	p.verifier = provider.Verifier(&oidc.Config{ClientID: p.o.ClientID, Now: p.o.Now})
	p.provider, p.failed = provider, nil
	return provider, nil
}

func (p *OIDC) unverified(err error) error {
	var expired *oidc.TokenExpiredError
	if errors.As(err, &expired) {
		return errors.New("the sign-in ended; sign in again: muster login")
	}
	p.o.Log.Info("an ID token was refused", "error", err)
	return errors.New("the ID token is not one of " + p.o.Issuer + " for this server; sign in again: muster login")
}

// identity is the user that a token names. An address that the provider did not prove to be
// the user's names no one.
func (p *OIDC) identity(token *oidc.IDToken) (Identity, error) {
	var claims map[string]json.RawMessage
	if err := token.Claims(&claims); err != nil {
		return Identity{}, fmt.Errorf("the ID token cannot be read: %w", err)
	}
	var name string
	_ = json.Unmarshal(claims[p.o.UsernameClaim], &name) // a claim that is no text is none
	proven := true
	if raw, said := claims["email_verified"]; said && p.o.UsernameClaim == "email" {
		proven = string(raw) == "true" || string(raw) == `"true"`
	}
	switch {
	case !fleet.ValidPrincipalName(name):
		return Identity{}, fmt.Errorf("the ID token has no claim %s that can name a user", p.o.UsernameClaim)
	case !proven:
		return Identity{}, fmt.Errorf("the provider has not proven that %s is the user's address", name)
	}
	return Identity{
		User: name, Groups: groupsIn(claims[p.o.GroupsClaim]), Token: "oidc:" + brief(token.Subject), Began: token.IssuedAt, By: "command-line",
		Principal: fleet.Principal{Kind: fleet.UserPrincipal, Name: name},
	}, nil
}

func brief(text string) string { return text[:min(len(text), 64)] }

// groupsIn are the groups of a claim: a list, or one. A name that could look like another
// kind of principal is left out.
func groupsIn(raw json.RawMessage) (groups []string) {
	var list []string
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		list = []string{one}
	} else {
		_ = json.Unmarshal(raw, &list) // a claim of another form is none
	}
	for _, g := range list {
		if fleet.ValidPrincipalName(g) {
			groups = append(groups, g)
		}
	}
	return groups
}

// Find knows no users: their groups come with their tokens.
func (p *OIDC) Find(string) (Identity, bool) { return Identity{}, false }

// SignInPath tells the command line where people of this server sign in.
const SignInPath = "/sign-in.json"

// Tell answers SignInPath.
func (p *OIDC) Tell(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"issuer": p.o.Issuer, "client_id": p.o.ClientID, "groups_claim": p.o.GroupsClaim, "scopes": p.Scopes()})
}
