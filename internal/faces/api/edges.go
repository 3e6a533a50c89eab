package api

import (
	"context"
	"io"
	"net/http"
	"time"

	"connectrpc.com/connect"
)

// edges counts what a call takes before its turn and after it: to unpack and decode the request, and to encode and pack the
// answer. That can be fifty times what the answer takes. While the caller sends or reads, nothing is counted, and
// no thread is held.
type edges struct {
	counts counter
	took   func() time.Duration // nil: nothing is counted now
	sum    time.Duration        // that is not charged yet
}

// edges has the edges of a service's calls counted for who calls. All of a call is done on one goroutine.
func (t *turns) edges(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callerOf(r.Context())
		if c.runs {
			next.ServeHTTP(w, r)
			return
		}
		e := &edges{counts: t.busy}
		e.on()
		defer func() { t.charge(c, e.off().Seconds()) }()
		c.edges = e
		if r.Body != nil {
			r.Body = &sentIn{r.Body, e}
		}
		next.ServeHTTP(&sentOut{w, e}, r)
	})
}

// on begins to count.
func (e *edges) on() { e.took = e.counts() }

// off ends that, and takes what was counted since it was taken last.
func (e *edges) off() (sum time.Duration) {
	e.pause()
	sum, e.sum = e.sum, 0
	return sum
}

// aside counts nothing until back is called.
func (e *edges) aside() (back func()) {
	if e.took == nil {
		return func() {}
	}
	e.pause()
	return e.on
}

func (e *edges) pause() {
	if e.took != nil {
		e.sum += e.took()
		e.took = nil
	}
}

// sentIn is a request as it comes.
type sentIn struct {
	io.ReadCloser
	e *edges
}

// Read waits for a part.
func (o *sentIn) Read(p []byte) (int, error) {
	defer o.e.aside()()
	return o.ReadCloser.Read(p)
}

// sentOut is an answer as it goes.
type sentOut struct {
	http.ResponseWriter
	e *edges
}

// Write sends a part.
func (o *sentOut) Write(p []byte) (int, error) {
	defer o.e.aside()()
	return o.ResponseWriter.Write(p)
}

// Flush sends what is kept back.
func (o *sentOut) Flush() {
	defer o.e.aside()()
	_ = http.NewResponseController(o.ResponseWriter).Flush()
}

// Unwrap is what a http.ResponseController needs.
func (o *sentOut) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// between is the interceptor that stands where a request is decoded, and its answer is not encoded yet. What comes
// then counts by itself.
type between struct{ turns *turns }

// WrapUnary is part of connect.Interceptor.
func (b between) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		c := callerOf(ctx)
		e := c.edges
		if e == nil {
			return next(ctx, req)
		}
		b.turns.charge(c, e.off().Seconds())
		defer e.on()
		return next(ctx, req)
	}
}

// WrapStreamingHandler is part of connect.Interceptor. What a stream shows it counts by itself.
func (b between) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		c := callerOf(ctx)
		e := c.edges
		if e == nil {
			return next(ctx, conn)
		}
		charge := func() { b.turns.charge(c, e.off().Seconds()) }
		charge()
		return next(ctx, received{conn, func() (over func()) { e.on(); return charge }})
	}
}

// received is a stream of which each message that comes is counted as it is decoded.
type received struct {
	connect.StreamingHandlerConn
	count func() (over func())
}

// Receive receives one message.
func (o received) Receive(message any) error {
	defer o.count()()
	return o.StreamingHandlerConn.Receive(message)
}

// WrapStreamingClient is part of connect.Interceptor; a server has no clients.
func (between) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}
