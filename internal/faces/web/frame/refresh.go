package frame

import (
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/faces/web/ask"
)

// How old a refresh that is handed to others may be: while things change, and while nothing
// does. With the age of its answers and the time between two beats it stays under a second.
const (
	refreshAge      = 150 * time.Millisecond
	quietRefreshAge = 2 * time.Second
	mostRefreshes   = 512
	refreshBytes    = 32 << 20
)

// refreshes makes what of a page has changed once for everybody who has the page open. What
// belongs to one browser alone is made for each.
type refreshes struct {
	last    func() uint64 // number of the last record; nil: unknown, and nothing is kept
	changed func()        // tells pages to ask again

	mu       sync.Mutex
	kept     ask.Shelf[*refresh]
	reminder bool // a call of changed is scheduled
}

type refresh struct {
	key    string // by which it is kept
	reader string
	ready  chan struct{} // closed when it is there
	at     time.Time
	seq    uint64 // the last record before it was made
	a      *recorder
	own    bool // it is of one browser alone
}

// recorder keeps what a page writes.
type recorder struct {
	*ask.Recorder
	own bool // it says something that is of one browser alone
}

// serve answers who asks for a refresh.
func (f *refreshes) serve(w http.ResponseWriter, r *http.Request, page http.Handler) {
	if f.last == nil {
		page.ServeHTTP(w, r)
		return
	}
	for key := refreshKey(r); ; {
		k, mine, old := f.find(key, tokenOf(r))
		if mine {
			f.fill(k, r, page)
		}
		select {
		case <-k.ready:
		case <-r.Context().Done():
			return
		}
		switch {
		case mine, !k.own && !old:
			k.a.send(w)
			return
		case k.own:
			page.ServeHTTP(w, r)
			return
		}
	}
}

// refreshKey names what is asked for, and by whom.
func refreshKey(r *http.Request) string {
	key := r.Host + "\x00" + r.Header.Get("Origin") + "\x00" + r.URL.RequestURI()
	return key + "\x00" + tokenOf(r)
}

// find is the refresh of a key. mine: the caller must fill it. old: it is being made from the
// state before the last record.
func (f *refreshes) find(key, reader string) (k *refresh, mine, old bool) {
	seq, now, size := f.last(), time.Now(), 0
	f.mu.Lock()
	defer f.mu.Unlock()
	if kept, found := f.kept.Get(key); found {
		k = kept
		select {
		case <-k.ready:
		default:
			return k, false, k.seq != seq
		}
		age := now.Sub(k.at)
		if k.seq == seq && age < quietRefreshAge {
			return k, false, false
		}
		if age < refreshAge {
			f.remind(refreshAge - age)
			return k, false, false
		}
		size = k.a.Body.Len()
	}
	k = &refresh{key: key, reader: reader, ready: make(chan struct{}), at: now, seq: seq, a: &recorder{Recorder: ask.NewRecorder()}}
	k.a.Body.Grow(size + size/8) // it is as long as the one before, or a little longer
	f.kept.Put(key, k)
	return k, true, false
}

// remind schedules a call of changed for the moment at which an old refresh that was handed
// out expires, so that its page asks again. The refreshes are locked.
func (f *refreshes) remind(in time.Duration) {
	if f.reminder || f.changed == nil {
		return
	}
	f.reminder = true
	time.AfterFunc(in, func() {
		f.mu.Lock()
		f.reminder = false
		f.mu.Unlock()
		f.changed()
	})
}

// Owner is the reader for whom it was made.
func (k *refresh) Owner() string { return k.reader }

// Over says whether a refresh is handed to no page any more.
func (k *refresh) Over(now time.Time) bool {
	select {
	case <-k.ready:
		return now.Sub(k.at) > quietRefreshAge
	default:
		return false
	}
}

// Weight is how many bytes a refresh takes; of one that is being made little is known.
func (k *refresh) Weight() int {
	select {
	case <-k.ready:
		return 1<<10 + k.a.Body.Cap()
	default:
		return 1 << 10
	}
}

// fill makes a refresh. One that failed, or sets a cookie, is of its reader alone.
func (f *refreshes) fill(k *refresh, r *http.Request, page http.Handler) {
	defer func() {
		close(k.ready)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.kept.Weigh(k.key, k)
	}()
	k.own = true
	page.ServeHTTP(k.a, r)
	k.own = k.a.own || k.a.Code != http.StatusOK || k.a.Header().Get("Set-Cookie") != "" || r.Context().Err() != nil
}

func (f *refreshes) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept.Clear()
}

// send writes what was kept.
func (a *recorder) send(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.Header())
	w.WriteHeader(a.Code)
	_, _ = w.Write(a.Body.Bytes())
}
