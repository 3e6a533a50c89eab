package gate

import (
	"io"
	"net/http"
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
		_ = c.SetWriteDeadline(time.Time{})
		if r.Body != nil && r.Body != http.NoBody {
			_ = c.SetReadDeadline(time.Now().Add(t.Body))
			r.Body = &body{r.Body, c}
		}
		next.ServeHTTP(&writer{ResponseWriter: w, c: c, each: t.Write}, r)
		_ = c.SetWriteDeadline(time.Now().Add(t.Write)) // for what is still to be sent
	})
}

// body is a request that has come in full, or has come too slowly.
type body struct {
	io.ReadCloser
	c *http.ResponseController
}

// Read reads more of the request. Its end ends the time for it.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		_ = b.c.SetReadDeadline(time.Time{})
	}
	return n, err
}

// writer is an answer of which each part is taken in time.
type writer struct {
	http.ResponseWriter
	c    *http.ResponseController
	each time.Duration
}

// piece is how much of an answer is sent at once, in bytes; each has its own time.
const piece = 64 << 10

// Write sends a part of the answer.
func (w *writer) Write(p []byte) (sent int, err error) {
	for first := true; err == nil && (first || sent < len(p)); first = false {
		_ = w.c.SetWriteDeadline(time.Now().Add(w.each))
		var n int
		n, err = w.ResponseWriter.Write(p[sent:min(len(p), sent+piece)])
		sent += n
	}
	return sent, err
}

// Flush sends what is kept back.
func (w *writer) Flush() {
	_ = w.c.SetWriteDeadline(time.Now().Add(w.each))
	_ = w.c.Flush()
}

// Unwrap is what a http.ResponseController needs.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
