package dcgm

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
)

// Path is where an agent answers for the Prometheus of its cluster.
const Path = "/.muster/prometheus"

// Over is a client of a Prometheus that only an agent reaches: way is the way to the
// agent, which answers with NewProxy.
func Over(cluster string, way http.RoundTripper) *Client {
	return &Client{base: "http://" + cluster + Path, http: &http.Client{Transport: way, Timeout: patience}}
}

// NewProxy is what an agent puts before the Prometheus at an address, so that the server may ask
// it what GPUs do, and nothing else. It passes on instant queries alone, to one fixed URL,
// without the headers of the caller: no credentials go along.
func NewProxy(address string) (http.Handler, error) {
	c, err := New(address)
	if err != nil {
		return nil, err
	}
	to, err := url.Parse(c.base + "/api/v1/query")
	if err != nil {
		return nil, err
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL, r.Out.Host = to, to.Host
		kind := r.In.Header.Get("Content-Type")
		r.Out.Header = http.Header{"Content-Type": {kind}}
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || strings.TrimPrefix(r.URL.Path, Path) != "/api/v1/query" {
			http.Error(w, fmt.Sprintf("the agent lets no %.20s of %.100q through to Prometheus", r.Method, r.URL.Path), http.StatusForbidden)
			return
		}
		proxy.ServeHTTP(w, r)
	}), nil
}
