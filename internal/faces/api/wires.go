package api

import (
	"net"
	"net/http"
	"time"

	"github.com/muster-fleet/muster/internal/run/gate"
)

// How many connections there may be at a time, and how many calls on each. Behind a proxy
// all come from one address.
const (
	mostOfAddress = 512
	mostConnected = 8192
	streamsAtOnce = 128
)

// staysEncrypted tells a browser to come over TLS only, for a year (HSTS).
const staysEncrypted = "max-age=31536000"

// usualTimes are how long a caller may take to send a request, and to take each part of an answer.
var usualTimes = gate.Times{Body: 30 * time.Second, Write: 30 * time.Second}

// answer serves on a listener whose connections are counted, with TLS or without.
func (s *Server) answer(h *http.Server, l net.Listener) error {
	if l.Addr().Network() == "unix" {
		return h.Serve(l) // of this machine: neither counted nor encrypted, and the kernel says whose a connection is
	}
	bounds := gate.Bounds{PerAddress: mostOfAddress, Total: mostConnected}
	if s.proxied {
		bounds.PerAddress = 0
	}
	l = bounds.Listen(l)
	if s.tls != nil {
		return h.ServeTLS(l, "", "")
	}
	return h.Serve(l)
}

// secured tells browsers that came over TLS to do so from now on. How they came to a
// proxy, the proxy says; without one that header is a caller's own word, and is dropped.
func (s *Server) secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil {
			w.Header().Set("Strict-Transport-Security", staysEncrypted)
		}
		if !s.proxied {
			delete(r.Header, "X-Forwarded-Proto")
		}
		next.ServeHTTP(w, r)
	})
}
