package engine

import (
	"context"
	"sync"
)

// mark is a sequence number that only grows, and that one can wait for.
type mark struct {
	mu   sync.Mutex
	seq  uint64
	err  error
	grew chan struct{}
}

func newMark(seq uint64) *mark { return &mark{seq: seq, grew: make(chan struct{})} }

// reach moves the mark up to seq.
func (m *mark) reach(seq uint64) { m.set(seq, nil) }

// fail tells everyone who waits that the mark will never move again.
func (m *mark) fail(err error) { m.set(0, err) }

func (m *mark) set(seq uint64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if seq <= m.seq && err == nil {
		return
	}
	m.seq = max(m.seq, seq)
	if m.err == nil {
		m.err = err
	}
	close(m.grew)
	m.grew = make(chan struct{})
}

// nudge lets everyone who waits look again.
func (m *mark) nudge() {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.grew)
	m.grew = make(chan struct{})
}

// failed is why the mark will never move again; nil: it may.
func (m *mark) failed() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

func (m *mark) now() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seq
}

// wait returns when the mark has reached seq, has failed, or ctx is over.
func (m *mark) wait(ctx context.Context, seq uint64) error {
	return m.waitUnless(ctx, seq, func() bool { return false })
}

// waitUnless is wait that also returns, whenever it is nudged, if over says so.
func (m *mark) waitUnless(ctx context.Context, seq uint64, over func() bool) error {
	for {
		m.mu.Lock()
		reached, err, grew := m.seq >= seq, m.err, m.grew
		m.mu.Unlock()
		if reached || err != nil || over() {
			return err
		}
		select {
		case <-grew:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
