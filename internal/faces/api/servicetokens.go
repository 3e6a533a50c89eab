package api

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// servicePrefix begins a token of a service account: muster_ID_SECRET, so that scanners
// find one that was published by mistake.
const servicePrefix = "muster_"

// newServiceToken makes a token: its ID, its secret of 256 random bits as it is shown, and
// the hash that is kept.
func newServiceToken() (id, secret, sum string) {
	var name [6]byte
	var bits [32]byte
	_, _ = rand.Read(name[:]) // never fails: crypto/rand ends the process instead
	_, _ = rand.Read(bits[:])
	id = hex.EncodeToString(name[:])
	secret = servicePrefix + id + "_" + base64.RawURLEncoding.EncodeToString(bits[:])
	digest := sha256.Sum256([]byte(secret))
	return id, secret, hex.EncodeToString(digest[:])
}

// lastUse is when and from where a token was used last.
type lastUse struct {
	at   time.Time
	from string
}

// ServiceTokens is the Authenticator of service accounts, whose tokens are in the state.
type ServiceTokens struct {
	look func(func(*fleet.State))
	now  func() time.Time

	mu   sync.Mutex
	used map[string]lastUse
}

// NewServiceTokens is the Authenticator of the tokens in a state that look shows.
func NewServiceTokens(look func(func(*fleet.State)), now func() time.Time) *ServiceTokens {
	if now == nil {
		now = time.Now
	}
	return &ServiceTokens{look: look, now: now, used: map[string]lastUse{}}
}

// Identify finds the service account of the token that the request bears.
func (t *ServiceTokens) Identify(r *http.Request) (Identity, error) {
	bearer := bearerOf(r)
	rest, ok := strings.CutPrefix(bearer, servicePrefix)
	if !ok {
		return Identity{}, ErrNotMine
	}
	id, _, _ := strings.Cut(rest, "_")
	var is *fleet.ServiceToken
	t.look(func(s *fleet.State) {
		if found := s.Token(id); found != nil {
			c := *found
			is = &c
		}
	})
	sum := sha256.Sum256([]byte(bearer))
	switch {
	case is == nil || subtle.ConstantTimeCompare([]byte(hex.EncodeToString(sum[:])), []byte(is.SHA256)) != 1:
		return Identity{}, errors.New("unknown token of a service account: it was revoked, or never made; muster token create makes one")
	case fleet.InstantOf(t.now()) >= is.Until:
		return Identity{}, errors.New("the token of service account " + is.Account + " ended; muster token rotate " + is.ID + " makes another")
	}
	t.note(is.ID, r)
	p := fleet.Principal{Kind: fleet.ServicePrincipal, Name: is.Account}
	return Identity{User: p.String(), Principal: p, Token: is.ID}, nil
}

// Find knows no users.
func (t *ServiceTokens) Find(string) (Identity, bool) { return Identity{}, false }

func (t *ServiceTokens) note(id string, r *http.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used[id] = lastUse{t.now(), sourceOf(r)}
}

// Used says when and from where a token was used last since the server started.
func (t *ServiceTokens) Used(id string) (at time.Time, from string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := t.used[id]
	return u.at, u.from
}
