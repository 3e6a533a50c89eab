package kube

import (
	"fmt"
	"net/http"

	"k8s.io/client-go/rest"
)

// ConnectReading is Connect for who only watches: whatever is asked, and whatever the
// kubeconfig's user may, nothing on the cluster is written.
func ConnectReading(file, in string) (*Client, error) {
	config, err := ConfigOf(file, in)
	if err != nil {
		return nil, err
	}
	config.Wrap(func(way http.RoundTripper) http.RoundTripper { return readingOnly{way} })
	return connect(rest.CopyConfig(config))
}

// readingOnly is a way on which nothing is written.
type readingOnly struct{ http.RoundTripper }

// RoundTrip lets through what reads.
func (r readingOnly) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.Method == http.MethodGet || q.Method == http.MethodHead {
		return r.RoundTripper.RoundTrip(q)
	}
	if q.Body != nil {
		_ = q.Body.Close()
	}
	return nil, fmt.Errorf("the cluster was joined with --observe, and nothing is written there (%s %s)", q.Method, q.URL.Path)
}
