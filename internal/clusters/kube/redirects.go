package kube

import (
	"fmt"
	"net/http"
)

// Stays is a way that leads to no other server than the one that is asked. An API server that was taken over could send
// this one on to any address that it reaches, and with it the token of the kubeconfig.
func Stays(way http.RoundTripper) http.RoundTripper { return ownServer{way} }

type ownServer struct{ http.RoundTripper }

// RoundTrip hands on no answer that leads elsewhere.
func (s ownServer) RoundTrip(q *http.Request) (*http.Response, error) {
	res, err := s.RoundTripper.RoundTrip(q)
	if err != nil || res.StatusCode < 300 || res.StatusCode > 399 || res.Header.Get("Location") == "" {
		return res, err
	}
	_ = res.Body.Close()
	return nil, fmt.Errorf("the API server answers with %d and leads elsewhere, which is not followed; name its own address in the kubeconfig", res.StatusCode)
}

// WrappedRoundTripper is asked by the client's machinery, which closes idle connections.
func (s ownServer) WrappedRoundTripper() http.RoundTripper { return s.RoundTripper }
