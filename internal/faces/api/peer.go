package api

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// peer is the other end of a connection to this server.
type peer struct {
	remote  string // its address, or the name of the socket
	address string // as attempts are counted: see AddressOf
	socket  bool
	local   net.Addr
	from    net.Addr
	ask     sync.Once
	uid     int // the operating system's user there; below 0: unknown
}

type peerKey struct{}

// withPeer notes who is at the other end of a connection that comes in.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	p := &peer{remote: c.RemoteAddr().String(), from: c.RemoteAddr(), local: c.LocalAddr(), uid: -1}
	if u, ok := c.(*net.UnixConn); ok {
		p.remote, p.socket, p.uid = "unix:"+c.LocalAddr().String(), true, socketUser(u)
		p.ask.Do(func() {})
	}
	p.address = comesFrom(p.remote)
	return context.WithValue(ctx, peerKey{}, p)
}

// peerOf is the other end of the connection that a request came by; nil: it came by none.
func peerOf(ctx context.Context) *peer {
	p, _ := ctx.Value(peerKey{}).(*peer)
	return p
}

// user is the operating system's user at the other end, where the system knows it for sure:
// by the credentials of a socket, or for a connection inside this machine. Below 0: unknown.
func (p *peer) user() int {
	p.ask.Do(func() { p.uid = connectionUser(p.from, p.local) })
	return p.uid
}

// connected notes who is at the other end where the server that reads the connection did not.
func connected(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if peerOf(r.Context()) == nil {
			if p := peerOfRequest(r); p != nil {
				r = r.WithContext(context.WithValue(r.Context(), peerKey{}, p))
			}
		}
		next.ServeHTTP(w, r)
	})
}

// peerOfRequest makes the connection known to servers that were not started by Serve: it is
// looked up by the addresses that the request carries.
func peerOfRequest(r *http.Request) *peer {
	if p := peerOf(r.Context()); p != nil {
		return p
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	from, err := net.ResolveTCPAddr("tcp", r.RemoteAddr)
	if local == nil || err != nil {
		return nil
	}
	return &peer{remote: r.RemoteAddr, address: comesFrom(r.RemoteAddr), from: from, local: local, uid: -1}
}
