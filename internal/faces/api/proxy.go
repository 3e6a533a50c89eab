package api

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

type forwardedKey struct{}

// through notes for whom a proxy sends a request. Pages ask the API in process, so their questions
// carry what was noted of the page's own request. What else says so is a caller's own word.
func (s *Server) through(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if from, ok := s.forwardedFor(r); ok && forwarded(r.Context()) == "" {
			r = r.WithContext(context.WithValue(r.Context(), forwardedKey{}, from.String()))
		}
		next.ServeHTTP(w, r)
	})
}

// forwarded is the address for which a proxy sends a request; "": no proxy says so.
func forwarded(ctx context.Context) string {
	from, _ := ctx.Value(forwardedKey{}).(string)
	return from
}

// forwardedFor is the address that the nearest proxy which is trusted was asked from. Each proxy
// adds who asked it behind what it was told, so of several trusted ones the first is asked by the caller.
func (s *Server) forwardedFor(r *http.Request) (from netip.Addr, ok bool) {
	if !s.proxied || !s.trusts(addressIn(sourceOf(r))) {
		return from, false
	}
	list := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, one := range slices.Backward(list) {
		at := addressIn(strings.TrimSpace(one))
		if !at.IsValid() {
			return from, ok
		}
		if from, ok = at, true; len(s.proxies) == 0 || !s.trusts(at) {
			return from, ok
		}
	}
	return from, ok
}

// trusts says whether an address is a proxy's. Where none is named, all that reach this port are.
func (s *Server) trusts(at netip.Addr) bool {
	return len(s.proxies) == 0 || slices.ContainsFunc(s.proxies, func(p netip.Prefix) bool { return p.Contains(at) })
}

// addressIn reads an address, with a port or without.
func addressIn(text string) netip.Addr {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap().WithZone("")
	}
	at, _ := netip.ParseAddr(strings.Trim(text, "[]")) // what is none is said by the zero value
	return at.Unmap().WithZone("")
}
