package kube

import (
	"fmt"
	"net/http"

	"k8s.io/client-go/rest"
)

// ConnectReading is Connect for who only watches: whatever is asked, and whatever the
// kubeconfig's user may, nothing on the cluster is written.
func ConnectReading(file, in string) (*Client, error) {
	return ConnectWhile(file, in, func(q *http.Request) error {
		return fmt.Errorf("the cluster was joined with --observe, and nothing is written there (%s %s)", q.Method, q.URL.Path)
	})
}

// ConnectWhile is Connect for who writes only while it may.
func ConnectWhile(file, in string, may func(*http.Request) error) (*Client, error) {
	config, err := ConfigOf(file, in)
	if err != nil {
		return nil, err
	}
	config.Wrap(func(way http.RoundTripper) http.RoundTripper { return While(way, may) })
	return connect(rest.CopyConfig(config))
}

// While is a way on which is written only while that may be. What reads passes at all times.
func While(way http.RoundTripper, may func(*http.Request) error) http.RoundTripper {
	return guarded{way, may}
}

type guarded struct {
	http.RoundTripper
	may func(*http.Request) error
}

// RoundTrip lets through what may pass.
func (g guarded) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.Method == http.MethodGet || q.Method == http.MethodHead {
		return g.RoundTripper.RoundTrip(q)
	}
	if err := g.may(q); err != nil {
		if q.Body != nil {
			_ = q.Body.Close()
		}
		return nil, err
	}
	return g.RoundTripper.RoundTrip(q)
}
