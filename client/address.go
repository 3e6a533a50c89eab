package client

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// URLs are those of the servers that an address lists. A host:port of this machine is asked by
// plain HTTP, any other by TLS; unix:PATH stays as it is.
func URLs(address string) (list []string) {
	if strings.TrimSpace(address) == "" {
		address = DefaultAddress
	}
	for _, one := range addresses(address) {
		if !strings.HasPrefix(one, socketScheme) {
			one = base(one)
		}
		list = append(list, one)
	}
	return list
}

// base makes a URL of an address.
func base(address string) string {
	if address == "" {
		address = DefaultAddress
	}
	if strings.HasPrefix(address, socketScheme) {
		return "http://localhost"
	}
	if !strings.Contains(address, "://") {
		address = schemeOf(address) + address
	}
	return strings.TrimRight(address, "/")
}

// schemeOf is how a bare host:port is asked: what leaves this machine is told by TLS.
func schemeOf(address string) string {
	const open, sealed = "http://", "https://"
	if u, err := url.Parse(open + address); err == nil && ThisMachine(u.Hostname()) {
		return open
	}
	return sealed
}

// ThisMachine says whether a host is the machine that asks.
func ThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || strings.EqualFold(host, "localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// InClear is the first of the servers that an address lists to which a token would go in clear:
// it is asked by plain HTTP, and is not on this machine; "": none.
func InClear(address string) string {
	for _, one := range addresses(address) {
		at := base(one)
		u, err := url.Parse(at)
		if err == nil && u.Scheme != "https" && !ThisMachine(u.Hostname()) {
			return at
		}
	}
	return ""
}

// NoAddress says that a text names no server. Nothing was sent.
type NoAddress struct{ Text string }

// Error says what does.
func (e *NoAddress) Error() string {
	return fmt.Sprintf("%.200q is no address of a server; write HOST:PORT, https://HOST, or unix:PATH", e.Text)
}

// noAddress is the first text of a list that names no server; nil: each names one.
func noAddress(address string) error {
	for _, one := range addresses(address) {
		u, err := url.Parse(base(one))
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return &NoAddress{one}
		}
	}
	return nil
}
