package api

import (
	"context"
	"crypto/sha256"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// How many calls of one address may show an unknown token: a second, and saved up. More
// are refused without asking a provider or a cluster whose they are.
const (
	attemptRate   = 5
	attemptBurst  = 100
	mostAddresses = 10_000
)

// attempts bounds what callers cost who prove nothing. A token that proved something before, and
// one that this server knows by itself, is not kept out by others of the same address.
type attempts struct {
	mu    sync.Mutex
	of    map[string]*allowance      // by address
	known map[[sha256.Size]byte]bool // what was shown and proved something
}

type allowance struct {
	left float64
	at   time.Time
}

// many says whether an address has shown too many unknown tokens.
func (s *attempts) many(address, bearer string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.of[address]
	return a != nil && a.now() < 1 && !s.known[sha256.Sum256([]byte(bearer))]
}

// now is what is left of an allowance.
func (a *allowance) now() float64 {
	now := time.Now()
	a.left, a.at = min(attemptBurst, a.left+attemptRate*now.Sub(a.at).Seconds()), now
	return a.left
}

// seen notes what came of what an address has shown. Who shows nothing does not count: that
// costs nothing to refuse.
func (s *attempts) seen(address, bearer string, proved bool) {
	if bearer == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if proved {
		if s.known == nil || len(s.known) >= mostAddresses {
			s.known = map[[sha256.Size]byte]bool{}
		}
		s.known[sha256.Sum256([]byte(bearer))] = true
		return
	}
	a := s.of[address]
	if a == nil {
		if s.of == nil || len(s.of) >= mostAddresses {
			s.of = map[string]*allowance{}
		}
		a = &allowance{left: attemptBurst, at: time.Now()}
		s.of[address] = a
	}
	a.left = max(0, a.now()-1)
}

// elsewhereKey marks requests about which no provider and no cluster is asked.
type elsewhereKey struct{}

// withoutOthers is a request that is judged by what this server knows by itself.
func withoutOthers(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), elsewhereKey{}, true))
}

// asksOthers is an Authenticator that asks a provider or a cluster.
type asksOthers interface{ asksOthers() }

func (*OIDC) asksOthers()       {}
func (*KubeTokens) asksOthers() {}

// proof finds out who sends a request, and bounds how often an address may try.
func (s *Server) proof(r *http.Request) (Identity, error) {
	address, bearer := AddressOf(r), bearerOf(r)
	many := bearer != "" && s.attempts.many(address, bearer)
	asked := r
	if many {
		asked = withoutOthers(r)
	}
	who, err := s.auth.Identify(asked)
	s.attempts.seen(address, bearer, err == nil)
	if err != nil && many {
		err = tooMuch("more than %d calls a second come from %s that prove nothing; wait a moment, and sign in", attemptRate, address)
	}
	return who, err
}

// AddressOf is where a request comes from, as attempts are counted: of IPv6 the network.
func AddressOf(r *http.Request) string {
	if p := peerOf(r.Context()); p != nil && forwarded(r.Context()) == "" {
		return p.address
	}
	return comesFrom(sourceOf(r))
}

// comesFrom is AddressOf for a source.
func comesFrom(from string) string {
	at := addressIn(from)
	switch {
	case !at.IsValid():
		return from[:min(len(from), 100)]
	case at.Is4():
		return at.String()
	}
	return netip.PrefixFrom(at, 64).Masked().String()
}
