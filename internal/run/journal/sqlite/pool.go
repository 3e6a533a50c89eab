package sqlite

import (
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// maxIdle readers are kept open; more come and go with the demand.
const maxIdle = 4

// reader is a connection for reading with its statements.
type reader struct {
	*conn
	stretch, stored, tail, offset *stmt
}

func openReader(path string, how access, wait time.Duration) (*reader, error) {
	c, err := connect(path, how, wait)
	if err != nil {
		return nil, err
	}
	r := &reader{conn: c}
	for _, q := range []struct {
		sql  string
		into **stmt
	}{
		{"SELECT " + entryColumns + " FROM entry WHERE seq >= ? ORDER BY seq LIMIT ?", &r.stretch},
		{"SELECT " + linkColumns + " FROM entry WHERE seq = ?", &r.stored},
		{tailQuery, &r.tail},
		{"SELECT sqlite_offset(data) FROM entry WHERE seq = ?", &r.offset},
	} {
		if *q.into, err = c.prepare(q.sql); err != nil {
			c.close()
			return nil, err
		}
	}
	return r, nil
}

// pool hands out readers. No goroutine waits for a reader that another has.
type pool struct {
	path string
	how  access
	wait time.Duration

	mu     sync.Mutex
	idle   []*reader
	closed bool
}

// with lends fn a reader.
func (p *pool) with(fn func(*reader) error) error {
	r, err := p.takeIdle()
	if err == nil && r == nil {
		r, err = openReader(p.path, p.how, p.wait)
	}
	if err != nil {
		return err
	}
	if err = fn(r); err != nil {
		r.close() // whatever state it is in, it is not handed out again
		return err
	}
	p.giveBack(r)
	return nil
}

// takeIdle returns nil where all readers are at work.
func (p *pool) takeIdle() (*reader, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, journal.ErrClosed
	}
	n := len(p.idle)
	if n == 0 {
		return nil, nil
	}
	r := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return r, nil
}

func (p *pool) giveBack(r *reader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle) == maxIdle {
		r.close()
		return
	}
	p.idle = append(p.idle, r)
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, r := range p.idle {
		r.close()
	}
	p.idle = nil
}

func (p *pool) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}
