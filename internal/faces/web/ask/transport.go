package ask

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/muster-fleet/muster/client"
)

// Client asks the API that the handler answers. last is the number of the journal's last
// record; nil: unknown, and no answer is kept. changed is called when pages that were
// given a slightly old answer should ask again.
func Client(api http.Handler, last func() uint64, changed func()) *client.Client {
	kept := newCache(&transport{api}, last)
	kept.changed = changed
	return client.New(client.Options{Address: "http://muster", HTTPClient: &http.Client{Transport: kept}, Retries: -1})
}

// Reader is what of a browser's request the questions of its page carry to the API.
type Reader struct {
	Host, Origin, Token string
	// Proof is what the connection itself proves of the reader, as the API's own handler
	// wrote it down. It only tells readers apart.
	Proof string
}

type (
	readerKey     struct{}
	refreshingKey struct{}
)

// As makes the questions of a context those of a reader.
func As(ctx context.Context, r Reader) context.Context {
	return context.WithValue(ctx, readerKey{}, r)
}

// Refreshing marks the questions of a page that is open already and is told of every change.
// It may be given an answer that is slightly old; a page that is being opened may not.
func Refreshing(ctx context.Context) context.Context {
	return context.WithValue(ctx, refreshingKey{}, true)
}

func isRefreshing(ctx context.Context) bool { return ctx.Value(refreshingKey{}) != nil }

// transport carries requests to the API of the same process, without a network.
type transport struct{ api http.Handler }

// RoundTrip asks the API as the reader of the page.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("Accept-Encoding") // compressing what stays in memory saves nothing
	if b, ok := r.Context().Value(readerKey{}).(Reader); ok {
		b.sign(r)
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	answer := NewRecorder()
	t.api.ServeHTTP(answer, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return response(r, answer.Code, answer.Header(), answer.Body.Bytes()), nil
}

// sign makes a request the reader's.
func (b Reader) sign(r *http.Request) {
	r.Host = b.Host
	if b.Origin != "" {
		r.Header.Set("Origin", b.Origin)
	}
	if b.Token != "" {
		r.Header.Set("Authorization", "Bearer "+b.Token)
	}
}

// response is an answer in the form in which clients read it.
func response(r *http.Request, code int, header http.Header, body []byte) *http.Response {
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)), Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Trailer: http.Header{},
	}
}

// Recorder is a response writer that keeps what is written to it.
type Recorder struct {
	Code   int
	Body   bytes.Buffer
	header http.Header
	wrote  bool
}

// NewRecorder is an empty one, with code 200.
func NewRecorder() *Recorder { return &Recorder{header: http.Header{}, Code: http.StatusOK} }

// Header is the header of the answer.
func (a *Recorder) Header() http.Header { return a.header }

// WriteHeader keeps the first code.
func (a *Recorder) WriteHeader(code int) {
	if !a.wrote {
		a.Code, a.wrote = code, true
	}
}

// Write keeps a part of the body.
func (a *Recorder) Write(b []byte) (int, error) {
	a.wrote = true
	return a.Body.Write(b)
}
