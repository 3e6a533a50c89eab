package kube

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"k8s.io/client-go/rest"
)

// tokenHeader carries who asks Muster where Authorization is for somebody on the way.
const tokenHeader = "Muster-Token"

// service is a Service as a signpost names it.
var service = regexp.MustCompile(`^([a-z0-9][a-z0-9.-]{0,62})/([a-z0-9][a-z0-9.-]{0,62}):([0-9]{1,5})$`)

// Through is the way to a Service of a cluster, as NAMESPACE/NAME:PORT, through its API
// server: an address and who carries what is asked there. The API server sees whom the
// kubeconfig names, and Muster whose token it is.
func Through(file, in, to string) (address string, way http.RoundTripper, err error) {
	at := service.FindStringSubmatch(to)
	if at == nil {
		return "", nil, fmt.Errorf("the cluster's ConfigMap muster names the service %.100q; it is written NAMESPACE/NAME:PORT", to)
	}
	config, err := configOf(file, in)
	if err != nil {
		return "", nil, err
	}
	carrier, err := rest.TransportFor(config)
	if err != nil {
		return "", nil, err
	}
	server, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return "", nil, err
	}
	address = strings.TrimSuffix(server.String(), "/") + "/api/v1/namespaces/" + at[1] + "/services/http:" + at[2] + ":" + at[3] + "/proxy"
	return address, through{carrier}, nil
}

type through struct{ http.RoundTripper }

// RoundTrip leaves the header in which a token is sent usually to the API server.
func (t through) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		r.Header.Del("Authorization")
		r.Header.Set(tokenHeader, token)
	}
	return t.RoundTripper.RoundTrip(r)
}
