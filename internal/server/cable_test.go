package server

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// cable is the network between a server and its database. Cut, it holds back what is sent;
// mended, it delivers that, however late it is.
type cable struct {
	listener net.Listener
	to       atomic.Pointer[string]

	mu   sync.Mutex
	open chan struct{} // closed while bytes pass
}

func newCable(t *testing.T, to string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{listener: l, open: make(chan struct{})}
	close(c.open)
	c.to.Store(&to)
	go c.accept()
	t.Cleanup(func() { _ = l.Close() })
	return c
}

func (c *cable) address() string { return c.listener.Addr().String() }

// lead makes new connections go elsewhere.
func (c *cable) lead(to string) { c.to.Store(&to) }

func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = make(chan struct{})
}

func (c *cable) mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.open)
}

// pass returns while the cable is whole.
func (c *cable) pass() {
	c.mu.Lock()
	open := c.open
	c.mu.Unlock()
	<-open
}

func (c *cable) accept() {
	for {
		near, err := c.listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer near.Close()
			c.pass()
			far, err := net.Dial("tcp", *c.to.Load())
			if err != nil {
				return
			}
			defer far.Close()
			go c.carry(near, far)
			c.carry(far, near)
		}()
	}
}

// carry moves bytes one way until one end closes, and then closes both.
func (c *cable) carry(to, from net.Conn) {
	b := make([]byte, 1<<16)
	for {
		n, err := from.Read(b)
		c.pass()
		if n > 0 {
			if _, err := to.Write(b[:n]); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	_ = to.Close()
	_ = from.Close()
}
