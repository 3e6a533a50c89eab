package web

import (
	"maps"
	"net/http"
	"sync"
	"time"
)

// oldFragment is how old what is handed to others may be while things change: with what
// its answers may be old and the time between two tellings it stays under a second.
const oldFragment = 150 * time.Millisecond

// fragments hands what of a page changes to everybody who has the same page open: it is made
// once for all of them. What belongs to one browser alone is made for each.
type fragments struct {
	last    func() uint64 // the last record; nil: nobody knows, and nothing is kept
	changed func()        // tells the pages that something has changed

	mu      sync.Mutex
	kept    map[string]*fragmentKept
	reminds bool // it is about to
}

type fragmentKept struct {
	ready chan struct{}
	at    time.Time
	seq   uint64
	a     answer
	own   bool // it is of one browser alone
}

// serve answers who asks for a fragment.
func (f *fragments) serve(w http.ResponseWriter, r *http.Request, page http.Handler) {
	if f.last == nil {
		page.ServeHTTP(w, r)
		return
	}
	for key := fragmentKey(r); ; {
		k, mine, old := f.find(key)
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

// fragmentKey is what is asked for, and by whom.
func fragmentKey(r *http.Request) string {
	key := r.Host + "\x00" + r.Header.Get("Origin") + "\x00" + r.URL.RequestURI()
	if c, err := r.Cookie(cookieToken); err == nil {
		key += "\x00" + c.Value
	}
	return key
}

// find is what is kept; mine says that whoever asks must fill it, old that it is being
// made from what was before the last record.
func (f *fragments) find(key string) (k *fragmentKept, mine, old bool) {
	seq, now := f.last(), time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if k = f.kept[key]; k != nil {
		select {
		case <-k.ready:
		default:
			return k, false, k.seq != seq
		}
		age := now.Sub(k.at)
		if k.seq == seq && age < sameWhileStill {
			return k, false, false
		}
		if age < oldFragment {
			f.remind(oldFragment - age)
			return k, false, false
		}
	}
	if f.kept == nil || len(f.kept) >= mostKept {
		f.kept = map[string]*fragmentKept{}
	}
	k = &fragmentKept{ready: make(chan struct{}), at: now, seq: seq, a: answer{header: http.Header{}, code: http.StatusOK}}
	f.kept[key] = k
	return k, true, false
}

// remind tells the pages once more that something has changed, when what was handed on
// although it is older than that is given up. The fragments are locked.
func (f *fragments) remind(in time.Duration) {
	if f.reminds || f.changed == nil {
		return
	}
	f.reminds = true
	time.AfterFunc(in, func() {
		f.mu.Lock()
		f.reminds = false
		f.mu.Unlock()
		f.changed()
	})
}

// fill makes a fragment. One that could not be made, or sets a cookie, is of its asker alone.
func (f *fragments) fill(k *fragmentKept, r *http.Request, page http.Handler) {
	defer close(k.ready)
	k.own = true
	page.ServeHTTP(&k.a, r)
	k.own = k.a.own || k.a.code != http.StatusOK || k.a.header.Get("Set-Cookie") != "" || r.Context().Err() != nil
}

func (f *fragments) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.kept)
}

// send writes an answer that is kept.
func (a *answer) send(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.code)
	_, _ = w.Write(a.body.Bytes())
}
