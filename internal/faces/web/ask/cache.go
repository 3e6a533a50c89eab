package web

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
)

// How long an answer is handed to others who ask the same. While nothing happens, it
// stays true but for what time alone changes. While something does, an answer that took
// long to make may be as old as this: many pages look at the same figures, and each shall
// see a change within a second all the same. What is tried or forecast takes much longer,
// and says nothing of this very moment.
const (
	sameWhileStill = 2 * time.Second
	tookLong       = 5 * time.Millisecond
	oldFigures     = 100 * time.Millisecond
	timesAsOld     = 8 // of a study
	oldStudy       = 30 * time.Second
	mostKept       = 512
)

// studies are the questions whose answers are tried, forecast, or read out of the whole past.
var studies = map[string]bool{
	musterv1connect.WorkloadServiceWhenProcedure: true, musterv1connect.WorkloadServiceFitProcedure: true, musterv1connect.WorkloadServiceWhyProcedure: true,
	musterv1connect.SeriesServiceFrontierProcedure: true, musterv1connect.SeriesServiceQuotaSeriesProcedure: true, musterv1connect.SeriesServiceRepairCurvesProcedure: true,
	musterv1connect.HaircutServiceCompareHaircutsProcedure: true, musterv1connect.HaircutServiceShadowHistoryProcedure: true,
}

// cache keeps answers to questions, by what was asked and by whom. Who asks what
// somebody else has just asked waits for that one's answer.
type cache struct {
	next http.RoundTripper
	last func() uint64 // the last record; nil: nobody knows, and nothing is kept

	changed func() // tells the pages that something has changed; may be nil

	mu      sync.Mutex
	kept    map[string]*keptAnswer
	reminds bool // it is about to
}

type keptAnswer struct {
	ready chan struct{}
	at    time.Time
	took  time.Duration
	study bool // see studies
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
	k, err := c.answered(r, body)
	if err != nil {
		return nil, err
	}
	if k.err != nil {
		return c.next.RoundTrip(again(r, body)) // that was the other's trouble: its page was closed
	}
	return &http.Response{
		StatusCode: k.code, Status: http.StatusText(k.code), Header: k.head.Clone(), Body: io.NopCloser(bytes.NewReader(k.body)),
		ContentLength: int64(len(k.body)), Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Trailer: http.Header{},
	}, nil
}

// answered is the answer to a question once it is there. One is worked out at a time: who
// asks after something has changed waits for the one that is being made, and for the next.
func (c *cache) answered(r *http.Request, body []byte) (*keptAnswer, error) {
	for name := key(r, body); ; {
		k, mine, old := c.find(name, r)
		if mine {
			c.fill(k, r)
			return k, nil
		}
		select {
		case <-k.ready:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
		if !old {
			return k, nil
		}
	}
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

// find is the answer to a question; mine says that whoever asks must fill it, old that
// it is being made from what was before the last record.
func (c *cache) find(key string, r *http.Request) (k *keptAnswer, mine, old bool) {
	seq, now := c.last(), time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if k = c.kept[key]; k != nil {
		select {
		case <-k.ready:
		default:
			return k, false, k.seq != seq
		}
		if age := now.Sub(k.at); k.good(seq, age, isToldAgain(r.Context())) {
			if k.seq != seq {
				c.remind(k.lasts() - age)
			}
			return k, false, false
		}
	}
	if len(c.kept) >= mostKept {
		clear(c.kept)
	}
	k = &keptAnswer{ready: make(chan struct{}), at: now, seq: seq, study: studies[r.URL.Path]}
	c.kept[key] = k
	return k, true, false
}

// remind tells the pages once more that something has changed, when an answer that was
// handed on although it is older than that is given up. The cache is locked.
func (c *cache) remind(in time.Duration) {
	if c.reminds || c.changed == nil {
		return
	}
	c.reminds = true
	time.AfterFunc(in, func() {
		c.mu.Lock()
		c.reminds = false
		c.mu.Unlock()
		c.changed()
	})
}

// good says whether an answer that is there may still be handed on: one of before the last
// record only to a page that is told once more.
func (k *keptAnswer) good(seq uint64, age time.Duration, toldAgain bool) bool {
	return k.seq == seq && age < sameWhileStill || (toldAgain || k.study) && age < k.lasts()
}

type toldKey struct{}

// toldAgain marks the questions of a page that is open already, and is told when something
// changes. Who opens one sees what is.
func toldAgain(ctx context.Context) context.Context { return context.WithValue(ctx, toldKey{}, true) }

func isToldAgain(ctx context.Context) bool { return ctx.Value(toldKey{}) != nil }

// lasts is how old an answer may get while things change.
func (k *keptAnswer) lasts() time.Duration {
	if k.took <= tookLong {
		return 0
	}
	if k.study {
		return min(oldStudy, timesAsOld*k.took)
	}
	return oldFigures
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
