package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

// A request counts as who asked the proxy, where a proxy that is trusted says so, and as its own
// connection otherwise. What a caller writes in front of what the proxy adds counts for nothing.
func TestOnlyAProxysWordCounts(t *testing.T) {
	near := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}
	for _, c := range []struct {
		what, from, says, is string
		proxied              bool
		proxies              []netip.Prefix
	}{
		{"no proxy", "203.0.113.9:4000", "198.51.100.1", "203.0.113.9", false, nil},
		{"any proxy", "10.0.0.7:4000", "198.51.100.1", "198.51.100.1", true, nil},
		{"a caller's own words in front", "10.0.0.7:4000", "1.1.1.1, 198.51.100.1", "198.51.100.1", true, near},
		{"a stranger beside the proxy", "203.0.113.9:4000", "198.51.100.1", "203.0.113.9", true, near},
		{"two proxies", "10.0.0.7:4000", "1.1.1.1, 198.51.100.1, 10.0.0.8", "198.51.100.1", true, near},
		{"a proxy that says nothing", "10.0.0.7:4000", "", "10.0.0.7", true, near},
		{"a proxy that says nonsense", "10.0.0.7:4000", "; DROP TABLE", "10.0.0.7", true, near},
		{"nonsense behind a proxy's proxy", "10.0.0.7:4000", "nonsense, 10.0.0.8", "10.0.0.8", true, near},
		{"the network of an address", "10.0.0.7:4000", "2001:db8:1:2:3::9", "2001:db8:1:2::/64", true, near},
		{"an IPv4 address written as IPv6", "10.0.0.7:4000", "::ffff:198.51.100.1", "198.51.100.1", true, near},
	} {
		s := &Server{proxied: c.proxied, proxies: c.proxies}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody)
		r.RemoteAddr = c.from
		if c.says != "" {
			r.Header.Set("X-Forwarded-For", c.says)
		}
		var page context.Context
		s.through(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if is := AddressOf(r); is != c.is {
				t.Errorf("%s: it counts as %s and not as %s", c.what, is, c.is)
			}
			page = r.Context()
		})).ServeHTTP(nil, r)
		asked := httptest.NewRequestWithContext(page, http.MethodPost, "/", http.NoBody) // as a page asks, in process
		asked.RemoteAddr = c.from
		s.through(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if is := AddressOf(r); is != c.is {
				t.Errorf("%s: what its page asks counts as %s and not as %s", c.what, is, c.is)
			}
		})).ServeHTTP(nil, asked)
	}
}
