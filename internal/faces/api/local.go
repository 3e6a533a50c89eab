package api

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/user"
)

// Local is the Authenticator of a server that only this machine can reach:
// whoever reaches it is the operating system's user that runs it, and an operator.
type Local struct{ who Identity }

// NewLocal finds the operating system's user.
func NewLocal() (*Local, error) {
	u, err := user.Current()
	if err != nil {
		return nil, fmt.Errorf("who runs this server: %w", err)
	}
	return &Local{Identity{User: u.Username, Operator: true}}, nil
}

// Identify refuses what a browser sends on behalf of a page from elsewhere, for
// that did reach this machine, but not from it.
func (l *Local) Identify(r *http.Request) (Identity, error) {
	if !loopbackHost(r.Host) {
		return Identity{}, fmt.Errorf("this server answers to localhost only, not to the name %q; give it a tokens file (--tokens) to be reached by others", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" && !loopbackOrigin(origin) {
		return Identity{}, fmt.Errorf("a page from %s may not command this server; give it a tokens file (--tokens) to be reached by others", origin)
	}
	return l.who, nil
}

// Find knows nothing of other users: they have no groups here.
func (l *Local) Find(string) (Identity, bool) { return Identity{}, false }

func loopbackOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && loopbackHost(u.Host)
}

// loopbackHost says whether a host, with a port or without, can only be this machine.
func loopbackHost(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(trimBrackets(host))
	return ip != nil && ip.IsLoopback()
}

func trimBrackets(host string) string {
	if n := len(host); n > 1 && host[0] == '[' && host[n-1] == ']' {
		return host[1 : n-1]
	}
	return host
}
