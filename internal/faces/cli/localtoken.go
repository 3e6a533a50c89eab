package cli

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// LocalDir is the folder where servers of this user leave their tokens, and where commands
// of the same user find them; "" where nothing says where that is.
func LocalDir(getenv func(string) string) string {
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "muster", "local")
	}
	if dir := getenv("HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, ".local", "state", "muster", "local")
	}
	return ""
}

// LocalTokenName is the name of the token's file of a server that listens on an address.
func LocalTokenName(address string) string {
	return strings.NewReplacer(":", "_", "/", "_", "[", "", "]", "").Replace(address)
}

// localToken is the token that a server on this machine left for its user; "": none. It is
// shown to loopback alone.
func (a *app) localToken() string {
	address := a.server
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		address = u.Host
	}
	host, port, err := net.SplitHostPort(address)
	dir := LocalDir(a.Getenv)
	if err != nil || dir == "" {
		return ""
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if !Loopback(host) {
		return ""
	}
	text, err := os.ReadFile(filepath.Join(dir, LocalTokenName(net.JoinHostPort(host, port))))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
