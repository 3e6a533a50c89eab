package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// servers are those of one fleet: all of them follow one log, and one of them leads. Calls go
// to one of them for as long as it can answer, and then to the next. It is the way of a
// client that knows several addresses.
type servers struct {
	list  []host
	now   atomic.Uint64 // modulo their number: the one that is asked
	doubt time.Duration // after it an answer that has not come, or not ended, is doubted
}

// host is one of them.
type host struct {
	url *url.URL
	way http.RoundTripper
}

// addresses are those that a text lists, by commas.
func addresses(text string) (list []string) {
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one != "" {
			list = append(list, one)
		}
	}
	return list
}

// newServers finds the way to each address. With through all of them are reached by that.
func newServers(list []string, through http.RoundTripper) *servers {
	s := &servers{doubt: usualDoubt}
	for _, address := range list {
		u, err := url.Parse(base(address))
		if err != nil {
			u = &url.URL{Scheme: "http", Host: address} // a call says what is wrong with it
		}
		way := through
		if way == nil {
			way = transport(address)
		}
		s.list = append(s.list, host{u, byPlain{way}})
	}
	return s
}

// RoundTrip asks the present server. One that does not answer, or that cannot decide
// now, is not asked next.
func (s *servers) RoundTrip(r *http.Request) (*http.Response, error) {
	at := s.now.Load()
	res, err := s.ask(at, r)
	if err != nil && r.Context().Err() == nil || err == nil && res.StatusCode == http.StatusServiceUnavailable {
		s.leave(at)
	}
	return res, err
}

// leave lets the server after one be asked next.
func (s *servers) leave(at uint64) { s.now.CompareAndSwap(at, at+1) }

// ask asks one server. The call ends where that falls silent and another could answer.
func (s *servers) ask(at uint64, r *http.Request) (*http.Response, error) {
	is := s.list[at%uint64(len(s.list))]
	ctx, stop := context.WithCancelCause(r.Context())
	out := r.Clone(ctx)
	out.URL.Scheme, out.URL.Host, out.Host = is.url.Scheme, is.url.Host, ""
	out.URL.Path = strings.TrimRight(is.url.Path, "/") + r.URL.Path
	doubts := time.AfterFunc(s.doubt, func() { s.guard(ctx, at, is, stop) })
	end := func() { doubts.Stop(); stop(nil) }
	res, err := is.way.RoundTrip(out)
	if err != nil {
		defer end()
		return nil, because(ctx, err)
	}
	res.Body = &answer{res.Body, ctx, end}
	return res, nil
}

// usualDoubt is how long an answer may take until its server is asked whether it is there; look
// is how long it may take to say so.
const (
	usualDoubt = 2500 * time.Millisecond
	look       = time.Second
)

// guard watches over a call: it breaks off once its server cannot answer, and another can.
func (s *servers) guard(ctx context.Context, at uint64, is host, stop context.CancelCauseFunc) {
	tick := time.NewTicker(s.doubt)
	defer tick.Stop()
	for {
		if !ready(ctx, is) && s.another(ctx, is) && ctx.Err() == nil {
			s.leave(at)
			stop(&silent{is.url.Host})
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// another says whether another server could answer.
func (s *servers) another(ctx context.Context, than host) bool {
	for _, is := range s.list {
		if is.url != than.url && ready(ctx, is) {
			return true
		}
	}
	return false
}

// ready asks a server whether it can answer.
func ready(ctx context.Context, is host) bool {
	ctx, stop := context.WithTimeout(ctx, look)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, is.url.JoinPath("readyz").String(), nil)
	if err != nil {
		return false
	}
	res, err := is.way.RoundTrip(r) //nolint:bodyclose // discard closes it
	if err != nil {
		return false
	}
	return discard(res.Body) == nil && res.StatusCode == http.StatusOK
}

func discard(body io.ReadCloser) error {
	_, err := io.Copy(io.Discard, io.LimitReader(body, 1<<16))
	return errors.Join(err, body.Close())
}

// answer is the body of an answer, whose call is watched over until its end.
type answer struct {
	io.ReadCloser
	ctx context.Context //nolint:containedctx // of the call, which ends with the body
	end func()
}

// Read says why an answer was broken off.
func (a *answer) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = because(a.ctx, err)
	}
	return n, err
}

// Close ends the call.
func (a *answer) Close() error {
	defer a.end()
	return a.ReadCloser.Close()
}

// because is what broke a call off, where that was a doubt, and else err.
func because(ctx context.Context, err error) error {
	var is *silent
	if errors.As(context.Cause(ctx), &is) {
		return is
	}
	return err
}

// silent is the error of a call whose server does not answer any more. It is a net.Error: the
// call may be sent again.
type silent struct{ address string }

// Error names the server.
func (e *silent) Error() string { return fmt.Sprintf("%s does not answer any more", e.address) }

// Timeout is part of net.Error.
func (e *silent) Timeout() bool { return false }

// Temporary is part of net.Error.
func (e *silent) Temporary() bool { return true }
