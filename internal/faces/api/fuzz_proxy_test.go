package api

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

// FuzzForwarded sends any text as the word of a proxy: what is believed is an address, and what
// others than the named proxies say is not.
func FuzzForwarded(f *testing.F) {
	f.Add("10.0.0.7:4000", "192.0.2.1, 10.0.0.8")
	f.Add("192.0.2.9:4000", "192.0.2.1")
	f.Add("10.0.0.7:4000", "[::1%eth0]:80,,x")
	f.Add("[2001:db8::1]:1", "\"192.0.2.1\"")
	f.Fuzz(func(t *testing.T, remote, says string) {
		s := &Server{proxied: true, proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.RemoteAddr = remote
		r.Header["X-Forwarded-For"] = []string{says}
		from, ok := s.forwardedFor(r)
		if ok && (!from.IsValid() || from.Zone() != "") {
			t.Errorf("%q of %q is believed as %v", says, remote, from)
		}
		if ok && !s.proxies[0].Contains(addressIn(remote)) {
			t.Errorf("%q, which is no proxy, is believed", remote)
		}
		if len(AddressOf(r)) > 100 {
			t.Errorf("an address of %d bytes is counted", len(AddressOf(r)))
		}
	})
}
