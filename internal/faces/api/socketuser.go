package api

import (
	"net/http"
	"os"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// SocketUser is the Authenticator of the server's own user on the socket in its data folder:
// an operator, as the kernel says who made the connection.
type SocketUser struct{ uid int }

// NewSocketUser is the one of this process' user.
func NewSocketUser() SocketUser { return SocketUser{os.Getuid()} }

// Identify knows connections by the socket of the server's own user.
func (u SocketUser) Identify(r *http.Request) (Identity, error) {
	p := peerOf(r.Context())
	if p == nil || !p.socket || u.uid < 0 || p.user() != u.uid {
		return Identity{}, ErrNotMine
	}
	return Identity{User: "local", Operator: true, Principal: fleet.Principal{Kind: fleet.LocalPrincipal, Name: "local"}, Token: "socket"}, nil
}

// Find knows no users.
func (SocketUser) Find(string) (Identity, bool) { return Identity{}, false }
