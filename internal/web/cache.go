package web

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// How long an answer is handed to others who ask the same. While nothing happens, it
// stays true but for what time alone changes. While something does, an answer that
// took long to make may be some times as old as that: many pages look at the same figures, and
// pages that are told of each change shall not make the server work for nothing else.
const (
	sameWhileStill = 2 * time.Second
	tookLong       = 20 * time.Millisecond
	timesAsOld     = 8
	oldest         = 30 * time.Second
	mostKept       = 512
)

// cache keeps answers to questions, by what was asked and by whom. Who asks what
// somebody else has just asked waits for that one's answer.
type cache struct {
	next http.RoundTripper
	last func() uint64 // the last record; nil: nobody knows, and nothing is kept

	mu   sync.Mutex
	kept map[string]*keptAnswer
}

type keptAnswer struct {
	ready chan struct{}
	at    time.Time
	took  time.Duration
	seq   uint64
	code  int
	head  http.Header
	body  []byte
	err   error
}

func newCache(next http.RoundTripper, last func() uint64) *cache {
	return &cache{next: next, last: last, kept: map[string]*keptAnswer{}}
}

// RoundTrip answers from what is kept, or asks. What changes something is never
// kept, and what was kept before it is forgotten.
func (c *cache) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.last == nil || !questions()[r.URL.Path] {
		res, err := c.next.RoundTrip(r)
		c.forget()
		return res, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	k, mine := c.find(key(r, body))
	if mine {
		c.fill(k, r)
	}
	select {
	case <-k.ready:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if k.err != nil {
		return c.next.RoundTrip(again(r, body)) // that was the other's trouble: its page was closed
	}
	return &http.Response{
		StatusCode: k.code, Status: http.StatusText(k.code), Header: k.head.Clone(), Body: io.NopCloser(bytes.NewReader(k.body)),
		ContentLength: int64(len(k.body)), Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Trailer: http.Header{},
	}, nil
}

func again(r *http.Request, body []byte) *http.Request {
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return r
}

// key is what is asked, and by whom.
func key(r *http.Request, body []byte) string {
	var b strings.Builder
	b.WriteString(r.URL.Path)
	if who, ok := r.Context().Value(browserKey{}).(browser); ok {
		b.WriteString("\x00" + who.host + "\x00" + who.origin + "\x00" + who.token)
	}
	b.WriteByte(0)
	b.Write(body)
	return b.String()
}

// find is the answer to a question; mine says that whoever asks must fill it.
func (c *cache) find(key string) (k *keptAnswer, mine bool) {
	seq, now := c.last(), time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if k = c.kept[key]; k != nil {
		if k.good(seq, now.Sub(k.at)) {
			return k, false
		}
	}
	if len(c.kept) >= mostKept {
		clear(c.kept)
	}
	k = &keptAnswer{ready: make(chan struct{}), at: now, seq: seq}
	c.kept[key] = k
	return k, true
}

// good says whether an answer may still be handed on: while it is being made, it may.
func (k *keptAnswer) good(seq uint64, age time.Duration) bool {
	select {
	case <-k.ready:
	default:
		return k.seq == seq
	}
	return k.seq == seq && age < sameWhileStill || k.took > tookLong && age < min(oldest, timesAsOld*k.took)
}

func (c *cache) fill(k *keptAnswer, r *http.Request) {
	defer close(k.ready)
	res, err := c.next.RoundTrip(r)
	if err != nil {
		k.err = err
		c.forget()
		return
	}
	defer res.Body.Close()
	k.code, k.head = res.StatusCode, res.Header
	k.body, k.err = io.ReadAll(res.Body)
	k.took = time.Since(k.at)
}

func (c *cache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.kept)
}

// questions are the methods of the API that only read.
var questions = sync.OnceValue(func() map[string]bool {
	_ = musterv1.File_muster_v1_system_proto // so that the API is registered
	paths := map[string]bool{}
	protoregistry.GlobalFiles.RangeFilesByPackage("muster.v1", func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			s := f.Services().Get(i)
			for j := range s.Methods().Len() {
				m := s.Methods().Get(j)
				o, ok := m.Options().(*descriptorpb.MethodOptions)
				if ok && o.GetIdempotencyLevel() == descriptorpb.MethodOptions_NO_SIDE_EFFECTS {
					paths["/"+string(s.FullName())+"/"+string(m.Name())] = true
				}
			}
		}
		return true
	})
	return paths
})
