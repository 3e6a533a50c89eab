package link

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// two are servers of one fleet, an agent that knows both, and a cluster behind it that works on a
// write until it is let go on.
type two struct {
	t             *testing.T
	first, second *house
	terms         [2]atomic.Int64
	begun         chan struct{} // a write is worked on
	goOn          chan struct{}
	broken        atomic.Int64 // writes that were broken off
	watches       atomic.Int64 // that are open
}

func newTwo(t *testing.T) *two {
	w := &two{t: t, first: newHouse(t), begun: make(chan struct{}, 1), goOn: make(chan struct{})}
	w.second = w.first.second()
	w.first.hub.Term, w.second.hub.Term = w.terms[0].Load, w.terms[1].Load
	w.first.agent(w.first.address+","+w.second.address, w.first.enrol("tiger"), "tiger", w.cluster)
	for _, h := range []*house{w.first, w.second} {
		h.until("the agent has a line to both", func() bool { return h.hub.Connected("tiger") == 1 })
	}
	w.terms[0].Store(4)
	return w
}

func (w *two) cluster(_ http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost:
		w.begun <- struct{}{}
		<-w.goOn
		if r.Context().Err() != nil {
			w.broken.Add(1)
		}
	case r.URL.Path == "/watch":
		w.watches.Add(1)
		<-r.Context().Done()
		w.watches.Add(-1)
	}
}

// asks sends a call to the cluster through a server's hub, and says how that was answered; 0: not at all.
func (w *two) asks(ctx context.Context, by *house, method, path string) int {
	r, _ := http.NewRequestWithContext(ctx, method, "http://tiger"+path, nil)
	res, err := by.hub.Way("tiger").RoundTrip(r)
	if err != nil {
		return 0
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// writes begins a write of the first server, and returns once the cluster works on it.
func (w *two) writes(ctx context.Context) (answered chan int) {
	answered = make(chan int, 1)
	go func() { answered <- w.asks(ctx, w.first, http.MethodPost, "/write") }()
	<-w.begun
	return answered
}

// briefly is about how long a call takes, many times over.
func (w *two) briefly() context.Context {
	ctx, stop := context.WithTimeout(w.t.Context(), 300*time.Millisecond)
	w.t.Cleanup(stop)
	return ctx
}

// What an earlier leader has begun to write ends before a newer one is answered: it sees the
// cluster as that write left it, and the write comes after nothing that the newer one did.
func TestANewerLeaderWaitsForTheWritesOfEarlierOnes(t *testing.T) {
	w := newTwo(t)
	wrote := w.writes(t.Context())
	w.terms[1].Store(5)
	w.second.hub.Lead(w.briefly())
	if got := w.asks(w.briefly(), w.second, http.MethodGet, "/pods"); got != 0 {
		t.Errorf("while the earlier leader's write goes on the newer one is answered with %d", got)
	}
	if got := w.asks(t.Context(), w.first, http.MethodPost, "/write"); got != http.StatusPreconditionFailed {
		t.Errorf("a second write of the earlier leader is answered with %d", got)
	}
	close(w.goOn)
	if got := <-wrote; got != http.StatusOK {
		t.Errorf("the earlier leader's write is answered with %d", got)
	}
	if got := w.asks(t.Context(), w.second, http.MethodGet, "/pods"); got != http.StatusOK {
		t.Errorf("after that the newer leader is answered with %d", got)
	}
}

// A write goes on where the server that asked for it is gone: of one that was broken off it is not known whether the
// cluster still does it.
func TestAWriteOutlivesTheServerThatAskedForIt(t *testing.T) {
	w := newTwo(t)
	asking, gone := context.WithCancel(t.Context())
	wrote := w.writes(asking)
	gone()
	<-wrote
	if got := w.asks(t.Context(), w.first, http.MethodGet, "/pods"); got != http.StatusOK { // by then the agent knows
		t.Errorf("another call is answered with %d", got)
	}
	w.terms[1].Store(5)
	if got := w.asks(w.briefly(), w.second, http.MethodGet, "/pods"); got != 0 {
		t.Errorf("while that write goes on the newer leader is answered with %d", got)
	}
	close(w.goOn)
	if got := w.asks(t.Context(), w.second, http.MethodGet, "/pods"); got != http.StatusOK {
		t.Errorf("after that the newer leader is answered with %d", got)
	}
	if w.broken.Load() > 0 {
		t.Error("the write was broken off")
	}
}

// What an earlier leader only looks at ends at once, and no server waits for it.
func TestAnEarlierLeaderWatchesNothingAnyMore(t *testing.T) {
	w := newTwo(t)
	watched := make(chan int, 1)
	go func() { watched <- w.asks(t.Context(), w.first, http.MethodGet, "/watch") }()
	w.first.until("the watch is open", func() bool { return w.watches.Load() == 1 })
	w.terms[1].Store(5)
	if got := w.asks(t.Context(), w.second, http.MethodGet, "/pods"); got != http.StatusOK {
		t.Errorf("the newer leader is answered with %d", got)
	}
	w.first.until("the watch of the earlier leader has ended", func() bool { return w.watches.Load() == 0 })
	<-watched
}
