package kube

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// tokenHeader carries Muster's token where the API server on the way reads Authorization.
const tokenHeader = "Muster-Token"

// service is a Service as a signpost names it.
var service = regexp.MustCompile(`^([a-z0-9][a-z0-9.-]{0,62})/(https:)?([a-z0-9][a-z0-9.-]{0,62}):([0-9]{1,5})$`)

// ServiceTransport is the way to a Service of a cluster, as NAMESPACE/NAME:PORT, or
// NAMESPACE/https:NAME:PORT where it does TLS, through its API server: an address and who carries what is asked there. The API server sees whom the
// kubeconfig names, and Muster whose token it is.
func ServiceTransport(file, in, to string) (address string, way http.RoundTripper, err error) {
	at := service.FindStringSubmatch(to)
	if len(at) < 2 || at[1] != signpost {
		return "", nil, fmt.Errorf("the cluster's ConfigMap muster names the service %.100q; it is one of the namespace muster, written muster/NAME:PORT, or muster/https:NAME:PORT", to)
	}
	config, err := ConfigOf(file, in)
	if err != nil {
		return "", nil, err
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		return "", nil, err
	}
	server, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return "", nil, err
	}
	address = strings.TrimSuffix(server.String(), "/") + "/api/v1/namespaces/" + at[1] + "/services/" + cmp.Or(at[2], "http:") + at[3] + ":" + at[4] + "/proxy"
	return address, through{transport}, nil
}

type through struct{ http.RoundTripper }

// RoundTrip leaves the header in which a token is sent usually to the API server.
func (t through) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		r.Header.Del("Authorization")
		r.Header.Set(tokenHeader, token)
	}
	res, err := t.RoundTripper.RoundTrip(r)
	if err == nil && res.StatusCode >= http.StatusBadRequest {
		return onTheWay(res)
	}
	return res, err
}

// mostOfStatus is more than an API server says of what it refuses.
const mostOfStatus = 64 << 10

// onTheWay puts what the API server itself says, and Muster does not, into words in
// which Muster's clients read an error: that the way is closed, and what opens it.
func onTheWay(res *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(res.Body, mostOfStatus))
	_ = res.Body.Close()
	if err != nil {
		return nil, err
	}
	var is metav1.Status
	if json.Unmarshal(body, &is) == nil && is.Kind == "Status" {
		code, remedy := remedyFor(res.StatusCode)
		body, err = json.Marshal(map[string]string{"code": code, "message": "the cluster's API server, on the way to Muster: " + is.Message + remedy})
		if err != nil {
			return nil, err
		}
		res.Header.Set("Content-Type", "application/json")
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	res.Header.Del("Content-Length")
	return res, nil
}

// remedyFor is the code by which Muster's clients know an answer of an API server, and
// what helps.
func remedyFor(status int) (code, remedy string) {
	switch status {
	case http.StatusUnauthorized:
		return "unauthenticated", "; sign in to the cluster"
	case http.StatusForbidden:
		return "permission_denied", "; the Role muster-signpost of the chart gives this right, and with --server ADDRESS it is not needed"
	case http.StatusNotFound:
		return "unavailable", "; the ConfigMap muster names this service: is the server installed there?"
	}
	return "unavailable", "; does the server run?"
}
