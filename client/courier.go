package client

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// The headers that say more about a call than its message does.
const (
	headerToken = "Authorization"
	headerAs    = "Muster-As"
	headerKey   = "Idempotency-Key"
)

// courier carries each call: it says who asks, gives commands a key, sends lost
// ones again, and turns errors into those of this package.
type courier struct {
	address string
	several bool // the address lists several servers
	token   string
	as      string
	retries int
	pause   func(ctx context.Context, attempt int) error
	refused error       // why nothing may be sent; nil: it may
	met     atomic.Bool // a server has answered
}

func newCourier(address string, o Options) *courier {
	retries := o.Retries
	if retries == 0 {
		retries = 3
	}
	several := len(addresses(o.Address)) > 1
	if several {
		address = o.Address
	}
	c := &courier{address: address, several: several, token: strings.TrimSpace(o.Token), as: o.As, retries: retries, pause: pause}
	if at := InClear(o.Address); at != "" && c.token != "" && !o.PlainHTTP {
		c.refused = &TokenInClear{at}
	}
	if err := noAddress(o.Address); err != nil {
		c.refused = err
	}
	return c
}

// WrapUnary is part of connect.Interceptor.
func (c *courier) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		if c.refused != nil {
			return nil, c.refused
		}
		c.sign(req.Header())
		if needsKey(req) {
			req.Header()[headerKey] = []string{newKey()}
		}
		t := tries{most: c.retries, several: c.several, began: time.Now()}
		for {
			res, err := next(ctx, req)
			if err == nil || connect.IsWireError(err) {
				c.met.Store(true)
			}
			if err == nil {
				return res, nil
			}
			t.met = c.met.Load()
			if !c.lost(ctx, err) || !t.another(err) || c.pause(ctx, t.pauses()) != nil {
				return nil, c.plain(err)
			}
		}
	}
}

// tries are how often one call was sent.
type tries struct {
	most    int  // more in a takeover
	several bool // servers are known
	met     bool // one of them has answered a call
	began   time.Time
	n       int
	waits   bool // for a server that takes over
}

// takeover is how long a call waits for a server that takes over.
const takeover = 10 * time.Second

// another says whether a call whose answer was lost is to be sent again. While one server
// takes over from another, each that is there says that none leads. Where none of several is
// there, though one was, one is gone and the other begins again.
func (t *tries) another(err error) bool {
	t.n++
	t.waits = t.waits || noneLeads(err, t.several, t.met)
	return t.n <= t.most || t.waits && t.most > 0 && time.Since(t.began) < takeover
}

// pauses is after which attempt the pause before the next is measured: in a takeover it stays short.
func (t *tries) pauses() int {
	if t.waits {
		return min(t.n-1, 1)
	}
	return t.n - 1
}

// noneLeads says whether a server answers that nothing can be decided now, where that ends with a takeover, or
// none of several answers any more.
func noneLeads(err error, several, met bool) bool {
	var e *connect.Error
	return errors.As(err, &e) && connect.CodeOf(err) == connect.CodeUnavailable &&
		(e.Meta().Get("Retry-After") != "" || several && (met || connect.IsWireError(err)))
}

// WrapStreamingClient is part of connect.Interceptor.
func (c *courier) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return func(ctx context.Context, spec connect.Spec) connect.StreamingClientConn {
		conn := next(ctx, spec)
		if c.refused != nil {
			return closedWay{conn, c.refused}
		}
		c.sign(conn.RequestHeader())
		return conn
	}
}

// WrapStreamingHandler is part of connect.Interceptor; a client has no handlers.
func (c *courier) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return next
}

// userAgent is what the server's neighbours on the way see.
var userAgent = []string{"muster-client"}

func (c *courier) sign(h http.Header) {
	h["User-Agent"] = userAgent
	if c.token != "" {
		h.Set(headerToken, "Bearer "+c.token)
	}
	if c.as != "" {
		h.Set(headerAs, c.as)
	}
}

// needsKey says whether a call is a command without a key. The key that it gets
// travels in a header, so that the caller's message stays as it is and may be
// sent again as a new command.
func needsKey(req connect.AnyRequest) bool {
	m, ok := req.Any().(interface{ GetWrite() *musterv1.Write })
	has := req.Header()[headerKey]
	return ok && m.GetWrite().GetIdempotencyKey() == "" && (len(has) == 0 || has[0] == "")
}

// newKey makes a key that says when it was made: a server that has forgotten keys of that
// time then refuses the command, and does not do it a second time.
func newKey() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	now := strconv.FormatInt(time.Now().Unix(), 16)
	key := append(make([]byte, 0, 32), "at-00000000"[:3+max(0, 8-len(now))]...)
	key = append(append(key, now...), '-')
	return string(base64.RawURLEncoding.AppendEncode(key, b[:]))
}

// lost says whether a call may be sent again: its answer may only have got lost. A server that is asked
// in the wrong way is asked so once, unless there are others.
func (c *courier) lost(ctx context.Context, err error) bool {
	return lost(ctx, err) && (c.several || misread(c.address, err) == nil)
}

// lost says whether the answer to a call may only have got lost on the way.
func lost(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if connect.CodeOf(err) == connect.CodeUnavailable {
		return true
	}
	var network net.Error
	return !connect.IsWireError(err) && (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.As(err, &network))
}

// pause waits before the next attempt: 50 ms, then four times as long each time, up to 3 s.
func pause(ctx context.Context, attempt int) error {
	wait := time.NewTimer(min(3*time.Second, 50*time.Millisecond<<(2*min(attempt, 10))))
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-wait.C:
		return nil
	}
}
