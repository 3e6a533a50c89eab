package gate

import (
	"net"
	"slices"
	"sync"
	"sync/atomic"
)

// Bounds say how many connections a listener has at a time. 0: as many as come.
type Bounds struct {
	PerAddress int // of one address
	Total      int
}

// Listen is a listener whose connections are counted. Where there are as many as may be,
// the oldest one that has said nothing yet is closed for the next. Where all have said
// something, the next one is closed.
func (b Bounds) Listen(l net.Listener) net.Listener {
	return &listener{Listener: l, crowd: NewCrowd(b)}
}

type listener struct {
	net.Listener
	crowd *Crowd
}

// Accept waits for the next connection that may stay.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if in, ok := l.crowd.Enter(c); ok {
			return in, nil
		}
		_ = c.Close()
	}
}

// Crowd are the connections that are counted together.
type Crowd struct {
	bounds Bounds
	mu     sync.Mutex
	all    []*Conn            // the oldest first
	of     map[string][]*Conn // by address, the oldest first
}

// NewCrowd is a crowd without connections.
func NewCrowd(b Bounds) *Crowd { return &Crowd{bounds: b, of: map[string][]*Conn{}} }

// Conn is a counted connection.
type Conn struct {
	net.Conn
	crowd   *Crowd
	address string
	spoken  atomic.Bool
	once    sync.Once
}

// Enter counts a connection until it is closed; false: there is no room for it.
func (c *Crowd) Enter(raw net.Conn) (*Conn, bool) {
	conn := &Conn{Conn: raw, crowd: c, address: host(raw)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bounds.PerAddress > 0 && len(c.of[conn.address]) >= c.bounds.PerAddress && !c.evict(c.of[conn.address]) {
		return nil, false
	}
	if c.bounds.Total > 0 && len(c.all) >= c.bounds.Total && !c.evict(c.crowded()) && !c.evict(c.all) {
		return nil, false
	}
	c.all, c.of[conn.address] = append(c.all, conn), append(c.of[conn.address], conn)
	return conn, true
}

// crowded are the connections of the address that has most of them.
func (c *Crowd) crowded() (most []*Conn) {
	for _, list := range c.of {
		if len(list) > len(most) || len(list) == len(most) && len(list) > 0 && list[0].address < most[0].address {
			most = list
		}
	}
	return most
}

// evict closes the oldest connection of a list that has said nothing.
func (c *Crowd) evict(list []*Conn) bool {
	for _, conn := range list {
		if !conn.spoken.Load() {
			c.forget(conn)
			go func() { _ = conn.Conn.Close() }() // a close may take long, and the next one waits
			return true
		}
	}
	return false
}

func (c *Crowd) forget(conn *Conn) {
	c.all = without(c.all, conn)
	if c.of[conn.address] = without(c.of[conn.address], conn); len(c.of[conn.address]) == 0 {
		delete(c.of, conn.address)
	}
}

func without(list []*Conn, conn *Conn) []*Conn {
	if i := slices.Index(list, conn); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	return list
}

// Spoke says that a connection has shown who it is, or has asked for something.
func (c *Conn) Spoke() { c.spoken.Store(true) }

// Leave counts the connection no longer. It stays open.
func (c *Conn) Leave() {
	c.once.Do(func() {
		c.crowd.mu.Lock()
		defer c.crowd.mu.Unlock()
		c.crowd.forget(c)
	})
}

// Read reads, and notes that the other side has said something.
func (c *Conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.spoken.Store(true)
	}
	return n, err
}

// Close closes the connection, which is counted no longer.
func (c *Conn) Close() error {
	c.Leave()
	return c.Conn.Close()
}

// host is the address of the other side, without its port.
func host(c net.Conn) string {
	at, _, err := net.SplitHostPort(c.RemoteAddr().String())
	if err != nil {
		return c.RemoteAddr().String()
	}
	return at
}
