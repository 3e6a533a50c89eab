package gate

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// Times are how long the other side of a call may take.
type Times struct {
	Body  time.Duration // to send all of a request
	Write time.Duration // to take each part of an answer; a stream may go on for ever
}

// Handler gives a handler's calls their times.
func (t Times) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		if len(r.Header["Expect"]) > 0 { // the connection says that it may go on, and the time for the answer before may be over
			_ = c.SetWriteDeadline(time.Time{})
		}
		if r.Body != nil && r.Body != http.NoBody {
			b := &body{ReadCloser: r.Body, c: c}
			b.begin(t.Body, r.ProtoMajor)
			defer b.leave()
			r.Body = b
		}
		a := &writer{ResponseWriter: w, c: c, each: t.Write}
		next.ServeHTTP(a, r)
		a.allow() // for what is still to be sent
	})
}

// body is a request that has come in full, or has come too slowly.
type body struct {
	io.ReadCloser
	c    *http.ResponseController
	late *time.Timer // cuts it; nil: its connection has a deadline
	mu   sync.Mutex
	left bool // the call is over, and nothing may be asked of its connection
}

// begin begins the time for it. On HTTP/2 each deadline that is set wakes the goroutine of the connection, which most bodies
// need not: they are there already.
func (b *body) begin(most time.Duration, version int) {
	if version < 2 {
		_ = b.c.SetReadDeadline(time.Now().Add(most))
		return
	}
	b.late = time.AfterFunc(most, b.cut)
}

// cut ends a body that has come too slowly.
func (b *body) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.left {
		_ = b.c.SetReadDeadline(time.Now().Add(-time.Second))
	}
}

// leave ends the time of a body whose call is over.
func (b *body) leave() {
	if b.late != nil {
		b.late.Stop()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.left = true
	}
}

// Read reads more of the request. Its end ends the time for it.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err != io.EOF:
	case b.late != nil:
		b.late.Stop()
	default:
		_ = b.c.SetReadDeadline(time.Time{})
	}
	return n, err
}

// writer is an answer of which each part is taken in time.
type writer struct {
	http.ResponseWriter
	c    *http.ResponseController
	each time.Duration
	set  time.Time // when the time for a part began last
}

// piece is how much of an answer is sent at once, in bytes; each has its own time.
const piece = 64 << 10

// sameTime is for which part of its time a piece is sent in that of the one before. To set a deadline takes longer than to
// write most answers.
const sameTime = 16

// allow begins the time for the next piece.
func (w *writer) allow() {
	if now := time.Now(); now.Sub(w.set) >= w.each/sameTime {
		w.set = now
		_ = w.c.SetWriteDeadline(now.Add(w.each))
	}
}

// Write sends a part of the answer.
func (w *writer) Write(p []byte) (sent int, err error) {
	for first := true; err == nil && (first || sent < len(p)); first = false {
		w.allow()
		var n int
		n, err = w.ResponseWriter.Write(p[sent:min(len(p), sent+piece)])
		sent += n
	}
	return sent, err
}

// Flush sends what is kept back.
func (w *writer) Flush() {
	w.allow()
	_ = w.c.Flush()
}

// Unwrap is what a http.ResponseController needs.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
