package kube

import (
	"context"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// APIProxy is a cluster's API server as its agent shows it to Muster. All calls are made as
// the agent's own user: headers that name another are removed. Only calls that Muster makes
// pass, as far as the agent's mode goes (allowedcalls.go).
type APIProxy struct {
	client *Client
	proxy  http.Handler
	door   *door
}

// NewAPIProxy is the door to the cluster of a kubeconfig, or of this process's own.
func NewAPIProxy(file, in string, mode Mode) (*APIProxy, error) {
	config, err := ConfigOf(file, in)
	if err != nil {
		return nil, err
	}
	client, err := connect(rest.CopyConfig(config))
	if err != nil {
		return nil, err
	}
	way, err := rest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	to, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, err
	}
	return &APIProxy{client, proxyTo(to, way), &door{Mode: mode, client: client}}, nil
}

// Server is the address of the API server.
func (d *APIProxy) Server() string { return d.client.Server }

// Alive asks whether the API server answers.
func (d *APIProxy) Alive(ctx context.Context) error { return d.client.Alive(ctx) }

// UID tells the cluster from any other; "" where that cannot be read.
func (d *APIProxy) UID(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var is *unstructured.Unstructured
	is, err := d.client.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		return ""
	}
	return string(is.GetUID())
}

func proxyTo(to *url.URL, way http.RoundTripper) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = to.Host
			for name := range r.Out.Header {
				if name == "Authorization" || strings.HasPrefix(name, "Impersonate-") || strings.HasPrefix(name, "X-Remote-") {
					r.Out.Header.Del(name)
				}
			}
		},
		Transport:     way,
		FlushInterval: -1, // watches say what they see at once
	}
}

// ServeHTTP lets a call through to the API server, if it may pass.
func (d *APIProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if why := d.door.bars(r); why != "" {
		status(w, why)
		return
	}
	d.proxy.ServeHTTP(w, r)
}

// status answers as an API server would, so that the other side understands it.
func status(w http.ResponseWriter, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Forbidden","code":403,"message":"` + jsonText(why) + `"}`))
}

func jsonText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '"' || r == '\\' || r < ' ' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}
