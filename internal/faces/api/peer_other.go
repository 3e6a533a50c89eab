//go:build !linux

package api

import "net"

// socketUser is unknown here: a caller by the socket shows the token.
func socketUser(*net.UnixConn) int { return -1 }

// connectionUser is unknown here: a caller shows the token.
func connectionUser(_, _ net.Addr) int { return -1 }

// connectionUserKnown says whether this system tells whose a connection is.
const connectionUserKnown = false
