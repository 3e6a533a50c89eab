package link

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// headerTerm has the term in which a server leads that shares its log with others.
const headerTerm = "Muster-Term"

// longestWrite is how long a write may take: as long as an API server works on a call at most.
const longestWrite = time.Minute

// fence answers no server that led in an earlier term than one that was heard already: what it asks
// was decided before, and may be wrong by now. A newer one is answered once all writes of earlier
// terms have ended: it then sees the cluster as they left it, and none comes after its own.
type fence struct {
	mu  sync.Mutex
	now *era
}

// era is the time in which a term is the newest that was heard.
type era struct {
	term    int64
	over    context.Context // ends once a newer term is heard
	end     context.CancelFunc
	writes  sync.WaitGroup
	settled chan struct{} // closed once the writes of all earlier eras have ended
}

func newEra(term int64) *era {
	e := &era{term: term, settled: make(chan struct{})}
	e.over, e.end = context.WithCancel(context.Background())
	return e
}

// enter is the era of a call; nil: it is of an earlier one. A call that writes leaves it by writes.Done.
func (f *fence) enter(term int64, writes bool) (is *era, newest int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch was := f.now; {
	case was == nil:
		f.now = newEra(term)
		close(f.now.settled)
	case term < was.term:
		return nil, was.term
	case term > was.term:
		f.now = newEra(term)
		was.end()
		go func(settled chan struct{}) {
			<-was.settled
			was.writes.Wait()
			close(settled)
		}(f.now.settled)
	}
	if writes {
		f.now.writes.Add(1)
	}
	return f.now, term
}

// newest is the newest term that was heard.
func (f *fence) newest() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now.term
}

// keep lets calls through in the order of their terms.
func (f *fence) keep(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		term, err := strconv.ParseInt(r.Header.Get(headerTerm), 10, 64)
		if err != nil { // its log is its own
			next.ServeHTTP(w, r)
			return
		}
		writes := r.Method != http.MethodGet && r.Method != http.MethodHead
		is, newest := f.enter(term, writes)
		if is == nil {
			isOver(w, term, newest)
			return
		}
		if writes {
			defer is.writes.Done()
		}
		select {
		case <-is.settled:
		case <-is.over.Done():
		case <-r.Context().Done():
			return
		}
		if is.over.Err() != nil {
			isOver(w, term, f.newest())
			return
		}
		ctx, stop := is.lasts(r.Context(), writes)
		defer stop()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// lasts is how long a call is worked on. One that reads ends with its line or its term. One that
// writes goes on until the cluster has answered: of one that was broken off it is not known whether
// it is still done.
func (e *era) lasts(ctx context.Context, writes bool) (context.Context, context.CancelFunc) {
	if writes {
		return context.WithTimeout(context.WithoutCancel(ctx), longestWrite)
	}
	ctx, stop := context.WithCancel(ctx)
	unhook := context.AfterFunc(e.over, stop)
	return ctx, func() { unhook(); stop() }
}

func isOver(w http.ResponseWriter, term, newest int64) {
	http.Error(w, fmt.Sprintf("the term %d of this server is over: another leads in term %d", term, newest), http.StatusPreconditionFailed)
}
