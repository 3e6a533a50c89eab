package dcgm

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
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
// it what GPUs do, and nothing else: the questions of Read, word for word. They go to one fixed URL,
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
		r.Out.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || strings.TrimPrefix(r.URL.Path, Path) != "/api/v1/query" {
			http.Error(w, fmt.Sprintf("the agent lets no %.20s of %.100q through to Prometheus", r.Method, r.URL.Path), http.StatusForbidden)
			return
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, mostQuestion))
		if err != nil || !slices.ContainsFunc(append(slices.Clone(activity), tensor), func(m metric) bool { return m.question() == string(body) }) {
			http.Error(w, "the agent lets no question through to Prometheus but what GPUs do", http.StatusForbidden)
			return
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		proxy.ServeHTTP(w, r)
	}), nil
}

// mostQuestion is more than a question has, in bytes.
const mostQuestion = 4 << 10
