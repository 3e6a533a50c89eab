package client

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"connectrpc.com/connect"

	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
)

// DefaultAddress is where a server listens, and a client looks, unless told otherwise.
const DefaultAddress = "127.0.0.1:6878"

// Options of New. The zero value reaches a server on this machine.
type Options struct {
	// Address is host:port, a URL with http:// or https://, or unix:PATH; "" means DefaultAddress.
	// A bare host:port that is not this machine is asked by TLS.
	// Several, with commas in between, are servers of one fleet: whichever can answer is asked.
	Address    string
	Token      string       // says who the caller is, the end of its line is left out; "" is enough on loopback
	As         string       // the user to act for; only operators may
	HTTPClient *http.Client // nil: one of the client's own
	PlainHTTP  bool         // the token may go by plain HTTP to another machine: something else protects the way
	Retries    int          // how often a lost command is sent again; 0 means 3, below 0 never
}

// Client has one field per service. Its methods may be called from several goroutines.
type Client struct {
	Fleet         musterv1connect.FleetServiceClient
	Quotas        musterv1connect.QuotaServiceClient
	Workloads     musterv1connect.WorkloadServiceClient
	Capacity      musterv1connect.CapacityServiceClient
	Events        musterv1connect.EventServiceClient
	System        musterv1connect.SystemServiceClient
	Subscriptions musterv1connect.SubscriptionServiceClient
	Requests      musterv1connect.RequestServiceClient
	Haircuts      musterv1connect.HaircutServiceClient
	Health        musterv1connect.HealthServiceClient
	Promises      musterv1connect.PromiseServiceClient
	Past          musterv1connect.PastServiceClient
	Series        musterv1connect.SeriesServiceClient
	Coming        musterv1connect.ComingServiceClient
	Maintenance   musterv1connect.MaintenanceServiceClient
	Buildout      musterv1connect.BuildoutServiceClient
	Access        musterv1connect.AccessServiceClient

	courier *courier
}

// New makes a client. It does not connect yet.
func New(o Options) *Client {
	h, address := way(o)
	c := newCourier(address, o)
	if c.refused != nil {
		address = base(DefaultAddress) // nothing is sent, and the services want an address that is one
	}
	with := []connect.ClientOption{connect.WithInterceptors(follower{}, c)}
	return &Client{
		Access:        musterv1connect.NewAccessServiceClient(h, address, with...),
		Fleet:         musterv1connect.NewFleetServiceClient(h, address, with...),
		Quotas:        musterv1connect.NewQuotaServiceClient(h, address, with...),
		Workloads:     musterv1connect.NewWorkloadServiceClient(h, address, with...),
		Capacity:      musterv1connect.NewCapacityServiceClient(h, address, with...),
		Events:        musterv1connect.NewEventServiceClient(h, address, with...),
		System:        musterv1connect.NewSystemServiceClient(h, address, with...),
		Maintenance:   musterv1connect.NewMaintenanceServiceClient(h, address, with...),
		Subscriptions: musterv1connect.NewSubscriptionServiceClient(h, address, with...),
		Requests:      musterv1connect.NewRequestServiceClient(h, address, with...),
		Haircuts:      musterv1connect.NewHaircutServiceClient(h, address, with...),
		Health:        musterv1connect.NewHealthServiceClient(h, address, with...),
		Promises:      musterv1connect.NewPromiseServiceClient(h, address, with...),
		Past:          musterv1connect.NewPastServiceClient(h, address, with...),
		Series:        musterv1connect.NewSeriesServiceClient(h, address, with...),
		Coming:        musterv1connect.NewComingServiceClient(h, address, with...),
		Buildout:      musterv1connect.NewBuildoutServiceClient(h, address, with...),
		courier:       c,
	}
}

// way is how the server is reached, or whichever of several can answer, and the URL of its calls.
func way(o Options) (h *http.Client, at string) {
	list := addresses(o.Address)
	h = &http.Client{Transport: transport(o.Address)}
	if o.HTTPClient != nil {
		*h = *o.HTTPClient
	} else if len(list) > 1 {
		h.Transport = nil // newServers makes one for each
	}
	if h.CheckRedirect == nil {
		h.CheckRedirect = ledElsewhere
	}
	if len(list) > 1 {
		h.Transport = newServers(list, h.Transport)
		return h, base(list[0])
	}
	h.Transport = byPlain{orDefault(h.Transport)}
	return h, base(o.Address)
}

// orDefault is a way, or the usual one.
func orDefault(way http.RoundTripper) http.RoundTripper {
	if way == nil {
		return http.DefaultTransport
	}
	return way
}

// ledElsewhere refuses to be sent on. What callers show is for the server that they name: on a way
// through an API server the next one would be shown what the kubeconfig holds, too.
func ledElsewhere(r *http.Request, _ []*http.Request) error {
	return fmt.Errorf("the server sends the call on to %.200s; name that address yourself, if it is the right one", r.URL.Redacted())
}

// socketScheme begins the address of a server's socket on this machine: unix:/path.
const socketScheme = "unix:"

// transport keeps enough connections for many callers at once. Over plain HTTP
// it speaks HTTP/1.1, which for small calls is faster here than HTTP/2.
func transport(address string) http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	if path, ok := strings.CutPrefix(address, socketScheme); ok {
		t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}
	}
	t.Proxy = proxyFor
	t.MaxIdleConns = 0
	t.MaxIdleConnsPerHost = 256
	t.IdleConnTimeout = 90 * time.Second
	return t
}

// proxyFor is the proxy by which a server is asked; none asks for this machine.
func proxyFor(r *http.Request) (*url.URL, error) {
	if ThisMachine(r.URL.Hostname()) {
		return nil, nil //nolint:nilnil // so a transport is told that there is none
	}
	return http.ProxyFromEnvironment(r)
}
