package frame

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/run/gate"
)

// A page is told of a change at once after a quiet while, and once in a beat under constant
// change. All pages of one reader share the beat, so that what they then ask for is made once.
// Each reader has another one: what differs by reader is made for each of them, and hundreds who
// asked for it in the same moment would wait for one another.
// A heartbeat lets browsers notice when the server is gone; with it the reader is judged anew.
const (
	beat      = 700 * time.Millisecond
	heartbeat = 5 * time.Second
)

// How many pages may be told of changes at a time: of one reader, and of all.
const (
	mostOfReader = 64
	mostOpen     = 4096
)

// openPages counts the pages that are told of changes, by reader.
type openPages struct {
	mu  sync.Mutex
	of  map[string]int
	all int
}

// enter counts a page until it is closed; false: there are as many as may be.
func (o *openPages) enter(reader string) (leave func(), ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of[reader] >= mostOfReader || o.all >= mostOpen {
		return nil, false
	}
	if o.of == nil {
		o.of = map[string]int{}
	}
	o.of[reader]++
	o.all++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.all--
		if o.of[reader]--; o.of[reader] == 0 {
			delete(o.of, reader)
		}
	}, true
}

// feed tells those who wait that the state has changed.
type feed struct {
	began time.Time
	mu    sync.Mutex
	seq   uint64
	news  chan struct{} // closed and made anew with each record
	over  chan struct{} // closed when the server ends
}

func newFeed() *feed {
	return &feed{began: time.Now(), news: make(chan struct{}), over: make(chan struct{})}
}

// untilBeat is how long it is until a reader's next beat.
func (f *feed) untilBeat(now time.Time, reader string) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(reader)) // it never fails
	own := time.Duration(h.Sum64() % uint64(beat))
	return beat - (now.Sub(f.began)+own)%beat
}

func (f *feed) heard(seq uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seq = seq
	close(f.news)
	f.news = make(chan struct{})
}

// again wakes everybody without a new record.
func (f *feed) again() {
	f.mu.Lock()
	seq := f.seq
	f.mu.Unlock()
	f.heard(seq)
}

// now is the last record, and what will be closed by the next one.
func (f *feed) now() (uint64, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seq, f.news
}

// Live tells one page whenever something has changed, until the page is closed. The page asks
// itself for what has changed, as its reader.
func (s *Site) Live(w http.ResponseWriter, r *http.Request) {
	v, err := s.visit(w, r)
	if err == nil {
		_, err = s.heads.of(v)
	}
	if err != nil {
		http.Error(w, troubleOf(err).text, troubleOf(err).status)
		return
	}
	reader := v.reader()
	leave, ok := s.open.enter(reader)
	if !ok {
		w.Header().Set("Retry-After", "30")
		http.Error(w, fmt.Sprintf("%d pages are open already; close some of them", mostOfReader), http.StatusTooManyRequests)
		return
	}
	defer leave()
	out := http.NewResponseController(w)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	seq, news := s.feed.now()
	if _, err := fmt.Fprintf(w, "retry: 2000\nevent: hello\ndata: %d\n\n", seq); err != nil || out.Flush() != nil {
		return
	}
	alive := time.NewTicker(heartbeat)
	defer alive.Stop()
	for {
		kind := "changed"
		select {
		case <-r.Context().Done():
			return
		case <-s.feed.over:
			return
		case <-alive.C:
			if _, err := s.heads.of(v); err != nil && troubleOf(err).signIn {
				return // the browser comes again, and is told so
			}
			kind = "alive"
		case <-news:
		}
		seq, news = s.feed.now()
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %d\n\n", kind, seq); err != nil || out.Flush() != nil {
			return
		}
		if kind == "changed" && !gate.Pause(r.Context(), s.feed.untilBeat(time.Now(), reader)) {
			return
		}
	}
}
