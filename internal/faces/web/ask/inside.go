package web

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// inside carries requests of a client to the API of the same process: the same
// checks and answers as over the network, without one.
type inside struct{ api http.Handler }

func newInside(api http.Handler) *inside { return &inside{api} }

// browser is what of a reader's request its questions to the API carry along.
type browser struct{ host, origin, token string }

type browserKey struct{}

func withBrowser(ctx context.Context, b browser) context.Context {
	return context.WithValue(ctx, browserKey{}, b)
}

// RoundTrip asks the API as the reader of the page.
func (t *inside) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("Accept-Encoding") // nothing is saved by pressing what stays in memory
	if b, ok := r.Context().Value(browserKey{}).(browser); ok {
		r.Host = b.host
		if b.origin != "" {
			r.Header.Set("Origin", b.origin)
		}
		if b.token != "" {
			r.Header.Set("Authorization", "Bearer "+b.token)
		}
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	answer := &answer{header: http.Header{}, code: http.StatusOK}
	t.api.ServeHTTP(answer, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: answer.code, Status: http.StatusText(answer.code), Header: answer.header, Body: io.NopCloser(&answer.body),
		ContentLength: int64(answer.body.Len()), Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Trailer: http.Header{},
	}, nil
}

// answer keeps what the API answers.
type answer struct {
	header http.Header
	code   int
	wrote  bool
	own    bool // it says something that is of one browser alone
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(code int) {
	if !a.wrote {
		a.code, a.wrote = code, true
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.wrote = true
	return a.body.Write(b)
}
