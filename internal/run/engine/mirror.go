package engine

import (
	"context"
	"sync"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mirror is a second state, for who looks long: it lives through the same records,
// once they are durable. No decision waits for a reader of it, nor does a
// reader wait for a decision. It is made at the first read.
type mirror struct {
	mu    sync.RWMutex // guards state; who has it may take news, too
	state *fleet.State // nil: it was not read yet

	news struct {
		sync.Mutex
		wanted  bool // it was read: what becomes durable is gathered
		entries []journal.Entry
		busy    bool // a goroutine is about to apply them
	}
}

// mostNews is how many records may wait for the next read: at more they are applied
// beside everything else.
const mostNews = 256

// Look shows fn the state as of the last durable record or later. Unlike with Read no
// decision waits for fn, however long it takes. fn must neither keep nor change the
// state.
func (e *Engine) Look(fn func(*fleet.State)) {
	m := &e.mirror
	for {
		m.mu.RLock()
		if m.state != nil && !m.late() {
			break
		}
		m.mu.RUnlock()
		m.mu.Lock()
		e.reflect()
		m.mu.Unlock()
	}
	defer m.mu.RUnlock()
	fn(m.state)
}

// Study is Look for who asks the planner: it keeps notes in the state, so fn is
// alone with it meanwhile.
func (e *Engine) Study(fn func(*fleet.State)) {
	m := &e.mirror
	m.mu.Lock()
	defer m.mu.Unlock()
	whole := false
	defer func() {
		if !whole {
			m.state = nil // fn has left it in the middle of something
		}
	}()
	e.reflect()
	fn(m.state)
	whole = true
}

// reflect brings the mirror up to what is durable.
func (e *Engine) reflect() {
	m := &e.mirror
	if m.state == nil {
		m.news.Lock()
		m.news.wanted, m.news.entries = true, nil
		m.news.Unlock() // what becomes durable from here on is gathered
		e.show(func(s *fleet.State) {
			m.state = s.Fork()
			for _, use := range s.Keys { // a copy has none, and a reader is to see all
				m.state.Remember(use)
			}
		})
		_ = e.await(context.Background(), m.state.Seq) // as in Read
	}
	for _, en := range m.take() {
		if en.Seq <= m.state.Seq {
			continue
		}
		rec, err := event.Decode(en.Data)
		if err != nil {
			panic(err) // it was encoded a moment ago
		}
		core.ApplyRecord(m.state, rec)
		m.state.Hush(m.state.Time)
	}
}

// hear takes note of what has become durable.
func (e *Engine) hear(entries ...journal.Entry) {
	e.recent.add(entries)
	m := &e.mirror
	m.news.Lock()
	defer m.news.Unlock()
	if !m.news.wanted {
		return
	}
	m.news.entries = append(m.news.entries, entries...)
	if len(m.news.entries) > mostNews && !m.news.busy {
		m.news.busy = true
		go func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			e.reflect()
		}()
	}
}

func (m *mirror) late() bool {
	m.news.Lock()
	defer m.news.Unlock()
	return len(m.news.entries) > 0
}

func (m *mirror) take() []journal.Entry {
	m.news.Lock()
	defer m.news.Unlock()
	list := m.news.entries
	m.news.entries, m.news.busy = nil, false
	return list
}

// blind forgets the mirror: the state was changed by something else than a record.
func (m *mirror) blind() {
	go func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.state = nil
	}()
}
