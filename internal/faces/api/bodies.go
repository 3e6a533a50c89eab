package api

import (
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// How many requests to pages and hooks may be arriving at a time, of one address and in all. Who sends
// them shows who they are in what they send, so each may have a megabyte in memory until then.
const (
	arrivingOfAddress = 16
	arrivingOfAll     = 64
)

// bodies bounds the requests that are arriving before it is known who sends them. One more than may
// be cuts the oldest of the address that has most: bodies that do not end keep no other out.
type bodies struct {
	mu   sync.Mutex
	line []*arriving // the oldest first
}

// arriving is the body of a request that is not there yet.
type arriving struct {
	io.ReadCloser
	in      *bodies
	address string
	cut     func()
}

// bound lets next read bodies in bounded number.
func (b *bodies) bound(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		one := &arriving{ReadCloser: r.Body, in: b, address: AddressOf(r), cut: func() { _ = http.NewResponseController(w).SetReadDeadline(time.Now()) }}
		b.enter(one)
		defer b.leave(one)
		r.Body = one
		next.ServeHTTP(w, r)
	})
}

// Read reads a part. At the end the body is no longer arriving.
func (o *arriving) Read(p []byte) (int, error) {
	n, err := o.ReadCloser.Read(p)
	if err != nil {
		o.in.leave(o)
	}
	return n, err
}

// enter counts a body, and cuts another where there are too many.
func (b *bodies) enter(one *arriving) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of(one.address) >= arrivingOfAddress {
		b.drop(one.address)
	} else if len(b.line) >= arrivingOfAll {
		b.drop(b.crowded())
	}
	b.line = append(b.line, one)
}

func (b *bodies) leave(one *arriving) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.line = slices.DeleteFunc(b.line, func(o *arriving) bool { return o == one })
}

// of counts the bodies of an address. The bodies are locked.
func (b *bodies) of(address string) (n int) {
	for _, o := range b.line {
		if o.address == address {
			n++
		}
	}
	return n
}

// crowded is the address that has most of them. The bodies are locked.
func (b *bodies) crowded() (address string) {
	most := 0
	for _, o := range b.line {
		if n := b.of(o.address); n > most {
			address, most = o.address, n
		}
	}
	return address
}

// drop cuts the oldest body of an address. The bodies are locked.
func (b *bodies) drop(address string) {
	i := slices.IndexFunc(b.line, func(o *arriving) bool { return o.address == address })
	if i < 0 {
		return
	}
	b.line[i].cut()
	b.line = slices.Delete(b.line, i, i+1)
}
