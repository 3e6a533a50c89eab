package engine

import (
	"context"
	"sync"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// mirror is another state, for who looks: it lives through the same records, once they are
// durable. No decision waits for a reader of it, nor does a reader wait for a decision. It is made
// at the first read.
//
// There are two. Who looks long would keep the first from what has become durable meanwhile, and
// with that all others who look. So they look at the second, which others do not wait for.
type mirror struct {
	mu    sync.RWMutex // guards state; who has it may take news, too
	state *fleet.State // nil: it was not read yet, or not for long
	from  uint64       // the number of the record after which it was copied

	news struct {
		sync.Mutex
		wanted  bool // it was read: what becomes durable is gathered
		entries []*fresh
		busy    bool // a goroutine is about to apply them
		unread  int  // times that this was done since it was read last
	}
}

// mostNews is how many records may wait for the next read: at more they are applied
// beside everything else.
const mostNews = 256

// mostUnread is how many times the second mirror is brought up to date without a read until it is
// given up. It takes as much memory as the state.
const mostUnread = 64

// aged is after how many records the second mirror is copied anew, where it has fewer workloads than that. A copy lies in
// few large pieces of memory, which stay as long as anything in them does.
const aged = 8192

// Look shows fn the state as of the last durable record or later. Unlike with Read no
// decision waits for fn, however long it takes. But others who look may wait for it, so who looks
// for longer than some milliseconds asks Ponder. fn must neither keep nor change the state.
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
func (e *Engine) Study(fn func(*fleet.State)) { e.mirror.alone(e.reflect, fn) }

// Ponder is Study for who looks long, as to copy the state or to try a large batch. None waits for it
// but others who ponder.
func (e *Engine) Ponder(fn func(*fleet.State)) {
	e.aside.alone(func() {
		e.aside.wasRead()
		e.reflectAside()
	}, fn)
}

// alone shows fn the state, which others do not see meanwhile.
func (m *mirror) alone(reflect func(), fn func(*fleet.State)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	whole := false
	defer func() {
		if !whole {
			m.state = nil // fn has left it in the middle of something
		}
	}()
	reflect()
	fn(m.state)
	whole = true
}

// reflect brings the mirror up to what is durable.
func (e *Engine) reflect() {
	m := &e.mirror
	if m.state == nil {
		m.gather()
		e.show(func(s *fleet.State) { m.copy(s) })
		_ = e.await(context.Background(), m.state.Seq) // as in Read
	}
	m.apply()
}

// reflectAside brings the second mirror up to what is durable. It is made of the first: no decision
// waits for that.
func (e *Engine) reflectAside() {
	m := &e.aside
	if m.state != nil && m.state.Seq-m.from > max(aged, uint64(len(m.state.Workloads))) {
		m.state = nil
	}
	if m.state == nil {
		m.gather()
		copied := make(chan struct{})
		go func() { // all who look wait for it, and the caller may be one who gives way
			defer close(copied)
			e.Look(m.copy)
		}()
		<-copied
	}
	m.apply()
}

// gather has what becomes durable from here on gathered.
func (m *mirror) gather() {
	m.news.Lock()
	defer m.news.Unlock()
	m.news.wanted, m.news.entries = true, nil
}

// copy makes the mirror a copy of a state.
func (m *mirror) copy(s *fleet.State) {
	m.state, m.from = s.Fork(), s.Seq
	for _, use := range s.Keys { // a copy has none, and a reader is to see all
		m.state.Remember(use)
	}
}

// wasRead has the mirror kept for longer.
func (m *mirror) wasRead() {
	m.news.Lock()
	defer m.news.Unlock()
	m.news.unread = 0
}

// apply has the mirror live through what was gathered.
func (m *mirror) apply() {
	for _, is := range m.take() {
		if is.entry.Seq <= m.state.Seq {
			continue
		}
		rec, err := is.record() // the same as all others': a state never changes what a record holds
		if err != nil {
			panic(err) // it was encoded a moment ago
		}
		core.ApplyRecord(m.state, rec)
		m.state.Hush(m.state.Time)
	}
}

// hear takes note of what has become durable.
func (e *Engine) hear(entries ...journal.Entry) {
	news := e.recent.add(entries)
	if e.mirror.hear(news) {
		go e.mirror.alone(e.reflect, func(*fleet.State) {})
	}
	if e.aside.hear(news) {
		go e.aside.catchUp(e.reflectAside)
	}
}

// hear gathers what has become durable; it says whether that is to be applied now.
func (m *mirror) hear(entries []*fresh) (many bool) {
	m.news.Lock()
	defer m.news.Unlock()
	if !m.news.wanted {
		return false
	}
	m.news.entries = append(m.news.entries, entries...)
	many = len(m.news.entries) > mostNews && !m.news.busy
	m.news.busy = m.news.busy || many
	return many
}

// catchUp brings the mirror up to date, or gives it up if it was not read for long.
func (m *mirror) catchUp(reflect func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.news.Lock()
	m.news.unread++
	over := m.state == nil || m.news.unread > mostUnread
	if over {
		m.news.wanted, m.news.busy, m.news.entries = false, false, nil
	}
	m.news.Unlock()
	if over {
		m.state = nil
		return
	}
	reflect()
}

func (m *mirror) late() bool {
	m.news.Lock()
	defer m.news.Unlock()
	return len(m.news.entries) > 0
}

func (m *mirror) take() []*fresh {
	m.news.Lock()
	defer m.news.Unlock()
	list := m.news.entries
	m.news.entries, m.news.busy = nil, false
	return list
}

// blind forgets the mirrors: the state was changed by something else than a record.
func (e *Engine) blind() {
	for _, m := range []*mirror{&e.mirror, &e.aside} {
		go func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.state = nil
		}()
	}
}
