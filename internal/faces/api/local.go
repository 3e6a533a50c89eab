package api

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/user"
	"path/filepath"

	"github.com/muster-fleet/muster/internal/run/wholefile"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Local is the Authenticator of a server that only this machine can reach. The operating
// system's user that runs the server is an operator; every other user of the machine is
// refused. A caller proves to be that user by the connection, where the system says whose
// it is, or else by a token from a file that no other user can read.
type Local struct {
	who   Identity
	uid   int
	file  string // of the token; "": there is none
	token string
}

// NewLocal finds the operating system's user. Callers whom the system cannot tell are refused.
func NewLocal() (*Local, error) {
	u, err := user.Current()
	if err != nil {
		return nil, fmt.Errorf("the OS user of this server: %w", err)
	}
	who := Identity{User: u.Username, Operator: true, Principal: fleet.Principal{Kind: fleet.LocalPrincipal, Name: u.Username}, Token: "local"}
	return &Local{who: who, uid: os.Getuid()}, nil
}

// NewLocalToken is NewLocal with a token of 256 random bits in a file, for systems and
// connections where the caller's user is not known. The file is the user's alone.
func NewLocalToken(file string) (*Local, error) {
	l, err := NewLocal()
	if err != nil {
		return nil, err
	}
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails: crypto/rand ends the process instead
	l.file, l.token = file, hex.EncodeToString(secret[:])
	err = os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = wholefile.WriteBytes(file, []byte(l.token+"\n")) // with mode 0600
	}
	if err != nil {
		return nil, fmt.Errorf("token of this server: %w", err)
	}
	return l, nil
}

// Identify refuses what a browser sends on behalf of a page from elsewhere, for
// that did reach this machine, but not from it, and what another user of the machine sends.
func (l *Local) Identify(r *http.Request) (Identity, error) {
	if !loopbackHost(r.Host) {
		return Identity{}, fmt.Errorf("this server answers to localhost only, not to the name %q; give it a tokens file (--tokens) to be reached by others", r.Host)
	}
	if origin := headerOf(r.Header, "Origin"); origin != "" && !loopbackOrigin(origin) {
		return Identity{}, fmt.Errorf("a page from %s may not command this server; give it a tokens file (--tokens) to be reached by others", origin)
	}
	if l.proves(r) {
		return l.who, nil
	}
	return Identity{}, l.unproven()
}

// proves says whether a request comes from the server's own user.
func (l *Local) proves(r *http.Request) bool {
	if l.token != "" && subtle.ConstantTimeCompare([]byte(bearerOf(r)), []byte(l.token)) == 1 {
		return true
	}
	p := peerOfRequest(r)
	return p != nil && l.uid >= 0 && p.user() == l.uid
}

func (l *Local) unproven() error {
	if l.file == "" {
		return fmt.Errorf("this server is %s's, and the request is not known to come from that user; give the server a tokens file (--tokens)", l.who.User)
	}
	return fmt.Errorf("this server is %s's, and the request is not known to come from that user: show the token in %s (--token, or MUSTER_TOKEN), or give the server a tokens file (--tokens)", l.who.User, l.file)
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
