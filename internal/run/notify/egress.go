package notify

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Egress says where webhooks may go.
type Egress struct {
	// Hosts are those that may be called, with all under them where one begins with a dot;
	// none: any.
	Hosts []string
	// Local lets this machine and its link be called, where other services may trust
	// whatever comes from here.
	Local bool
}

// errLocal says that a URL leads to this machine, or to its link.
var errLocal = errors.New("it leads to this machine or its link, where no webhook goes")

// allows says whether a host may be called.
func (e Egress) allows(host string) bool {
	return len(e.Hosts) == 0 || slices.ContainsFunc(e.Hosts, func(one string) bool {
		return strings.EqualFold(host, one) || strings.HasPrefix(one, ".") && strings.HasSuffix(strings.ToLower(host), strings.ToLower(one))
	})
}

// control looks at the address that a name was resolved to, right before it is dialled.
func (e Egress) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !e.Local && isLocal(at.Addr()) {
		return errLocal
	}
	return nil
}

// isLocal says whether an address is this machine's, or its link's.
func isLocal(at netip.Addr) bool {
	ip := at.Unmap()
	return ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() || ip.IsInterfaceLocalMulticast()
}

// refuses says why no call can ever go to a URL, as far as it says itself where it leads; nil: one may.
// What a name leads to is looked at before each call.
func (e Egress) refuses(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return nil //nolint:nilerr // what is wrong with it is said elsewhere
	}
	host := u.Hostname()
	if !e.allows(host) {
		return fmt.Errorf("the host %.100q is none that webhooks of this server may go to; name one of %.200s, or have it added to --webhooks-to of muster up", host, strings.Join(e.Hosts, ", "))
	}
	at, err := netip.ParseAddr(host)
	local := strings.EqualFold(host, "localhost") || err == nil && isLocal(at)
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u})
	if e.Local || !local || err != nil || proxy != nil {
		return nil //nolint:nilerr // a call says it
	}
	return fmt.Errorf("%.100s is this server's own machine or its link, where no webhook goes; name a host that others reach, or start the server with --webhooks-local", host)
}

// client calls where webhooks may go.
func (e Egress) client() *http.Client {
	dialer := &net.Dialer{Timeout: callTakes, Control: e.control}
	return &http.Client{CheckRedirect: noRedirect, Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute,
		TLSHandshakeTimeout: callTakes, MaxResponseHeaderBytes: 64 << 10,
	}}
}

// unnamed is an error of a call without the URL: its path is often what lets one in, and
// errors are shown and logged.
func unnamed(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Err != nil {
		return fmt.Errorf("%s: %w", dial.Op, dial.Err)
	}
	return err
}
