package api

import (
	"net"
	"net/netip"
	"os"
	"testing"
)

// The kernel says of one connection inside this machine what its list of all says, and knows none that is not there.
func TestTheKernelIsAskedForOneConnection(t *testing.T) {
	for _, at := range []string{"127.0.0.1:0", "[::1]:0", "[::]:0"} {
		t.Run(at, func(t *testing.T) {
			l, err := net.Listen("tcp", at)
			if err != nil {
				t.Skip("this machine has no such address: ", err)
			}
			defer func() { _ = l.Close() }()
			port := l.Addr().(*net.TCPAddr).AddrPort().Port()
			host := l.Addr().(*net.TCPAddr).AddrPort().Addr()
			if host.IsUnspecified() {
				host = netip.MustParseAddr("127.0.0.1") // it reaches a socket of both families
			}
			c, err := net.Dial("tcp", netip.AddrPortFrom(host, port).String())
			if err != nil {
				t.Fatal(err)
			}
			served, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = served.Close() }()
			theirs, _ := endOf(served.RemoteAddr())
			ours, _ := endOf(served.LocalAddr())
			asked := askedUser(theirs, ours)
			if listed := max(listedUser("/proc/self/net/tcp", theirs, ours), listedUser("/proc/self/net/tcp6", theirs, ours)); asked != listed || asked != os.Getuid() {
				t.Errorf("asked for one, the kernel says user %d; in its list of all %d; it is %d", asked, listed, os.Getuid())
			}
			if other := askedUser(ours, netip.AddrPortFrom(theirs.Addr(), theirs.Port()^1)); other != -1 {
				t.Errorf("a connection that is not there is of user %d", other)
			}
			_ = c.Close()
			if left := askedUser(theirs, ours); left != -1 {
				t.Errorf("a connection that its owner has left is of user %d", left)
			}
		})
	}
}

func BenchmarkWhoseAConnectionIs(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	theirs, _ := endOf(c.LocalAddr())
	ours, _ := endOf(c.RemoteAddr())
	b.Run("asked", func(b *testing.B) {
		for range b.N {
			askedUser(theirs, ours)
		}
	})
	b.Run("listed", func(b *testing.B) {
		for range b.N {
			listedUser("/proc/self/net/tcp", theirs, ours)
		}
	})
}
