package kubetest

import (
	"fmt"
	"net"
	"sync"
)

// Proxy is a way to the API server that can be cut: connections through it break,
// fall silent, or are refused.
type Proxy struct {
	to       string
	listener net.Listener

	mu     sync.Mutex
	open   map[net.Conn]bool
	state  way
	passes chan struct{} // closed while what is sent gets through
}

// way is what becomes of what is sent through a proxy.
type way int

const (
	through way = iota
	silent      // connections stand, and nothing comes through
	refused     // there is no connection
)

// Proxy begins a way to the API server. Close ends it.
func (c *Cluster) Proxy() (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{to: fmt.Sprintf("127.0.0.1:%d", c.ports["api"]), listener: l, open: map[net.Conn]bool{}, passes: make(chan struct{})}
	close(p.passes)
	go p.serve()
	return p, nil
}

// URL is the address of the API server by this way.
func (p *Proxy) URL() string { return "https://" + p.listener.Addr().String() }

// Cut breaks every connection; new ones are let through.
func (p *Proxy) Cut() { p.set(through, true) }

// Refuse breaks every connection, and lets none through until Open.
func (p *Proxy) Refuse() { p.set(refused, true) }

// Silence lets connections stand, and nothing through, until Open.
func (p *Proxy) Silence() { p.set(silent, false) }

// Open lets everything through.
func (p *Proxy) Open() { p.set(through, false) }

// Close ends the proxy and all that goes through it.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.set(refused, true)
}

func (p *Proxy) set(to way, breakAll bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == silent && to != silent {
		close(p.passes)
	}
	if p.state != silent && to == silent {
		p.passes = make(chan struct{})
	}
	p.state = to
	if breakAll {
		for conn := range p.open {
			_ = conn.Close()
		}
		clear(p.open)
	}
}

func (p *Proxy) serve() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.join(conn)
	}
}

// join connects one side with the other until either is done or is cut.
func (p *Proxy) join(from net.Conn) {
	to, err := net.Dial("tcp", p.to)
	if err != nil {
		_ = from.Close()
		return
	}
	p.mu.Lock()
	if p.state == refused {
		p.mu.Unlock()
		_, _ = from.Close(), to.Close()
		return
	}
	p.open[from], p.open[to] = true, true
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { p.pass(from, to) })
	both.Go(func() { p.pass(to, from) })
	both.Wait()
	p.mu.Lock()
	delete(p.open, from)
	delete(p.open, to)
	p.mu.Unlock()
}

func (p *Proxy) pass(from, to net.Conn) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		passes := p.passes
		p.mu.Unlock()
		<-passes
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
