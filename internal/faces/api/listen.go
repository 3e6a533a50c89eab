package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// DefaultAddress is where a server listens unless told otherwise.
const DefaultAddress = "127.0.0.1:6878"

// Listen opens the server's port. Without tokens it opens it on loopback only;
// the error says what to do.
func Listen(ctx context.Context, address string, tokens bool) (net.Listener, error) {
	if address == "" {
		address = DefaultAddress
	}
	where, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen address %q: %w; write host:port, as in %s", address, err, DefaultAddress)
	}
	if !tokens && !where.IP.IsLoopback() {
		return nil, fmt.Errorf("listen address %q can be reached from other machines, and anyone there could command the fleet: give a tokens file (--tokens FILE), or listen on loopback, as in 127.0.0.1:%d", address, where.Port)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", where.String())
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("listen address %s is in use: another Muster, or another program, listens there; stop it, or choose another address (--listen)", where)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("listen address %s: this user may not open it; choose a port above 1023 (--listen)", where)
	case err != nil:
		return nil, fmt.Errorf("listen address %s: %w", where, err)
	}
	return l, nil
}
