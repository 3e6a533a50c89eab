package ask

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
	"github.com/muster-fleet/muster/internal/run/gate"
)

// How long an answer is handed to others who ask the same question.
const (
	// While nothing happens, an answer changes with time alone.
	freshWhileQuiet = 2 * time.Second
	// While things change, an answer that took longer than this to make may be slightly
	// old: many pages show the same figures, and each still sees a change within a second.
	slowAnswer = 5 * time.Millisecond
	maxAge     = 100 * time.Millisecond
	// Forecasts and the like take seconds and say nothing of this very moment: they may
	// be as old as so many times what they took.
	studyAge    = 8
	maxStudyAge = 30 * time.Second
	maxEntries  = 512
	maxBytes    = 32 << 20
)

// studies are the questions that try changes, forecast, or read the whole past.
var studies = map[string]bool{
	musterv1connect.WorkloadServiceWhenProcedure: true, musterv1connect.WorkloadServiceFitProcedure: true, musterv1connect.WorkloadServiceWhyProcedure: true,
	musterv1connect.SeriesServiceFrontierProcedure: true, musterv1connect.SeriesServiceQuotaSeriesProcedure: true, musterv1connect.SeriesServiceRepairCurvesProcedure: true,
	musterv1connect.HaircutServiceCompareHaircutsProcedure: true, musterv1connect.HaircutServiceShadowHistoryProcedure: true,
}

// isStudy says whether a question is one of them, or when a rollout should end.
func isStudy(path string, body []byte) bool {
	if path != musterv1connect.MaintenanceServiceGetMaintenanceProcedure {
		return studies[path]
	}
	m := &musterv1.GetMaintenanceRequest{}
	return proto.Unmarshal(body, m) == nil && m.GetRollout() != "" && (m.GetSearch() == nil || m.GetSearch().AsDuration() != 0)
}

// cache keeps answers by question and reader. Who asks a question that is being answered
// waits for that answer.
type cache struct {
	next    http.RoundTripper
	last    func() uint64 // number of the last record; nil: unknown, and nothing is kept
	changed func()        // tells pages to ask again; may be nil

	mu       sync.Mutex
	entries  Shelf[*entry]
	changes  map[string]int // that readers have asked for: what is kept for them is of before
	reminder bool           // a call of changed is scheduled
}

// entry is one answer.
type entry struct {
	name   string // by which it is kept
	reader string
	ready  chan struct{} // closed when the answer is there
	at     time.Time
	took   time.Duration
	study  bool
	seq    uint64 // the last record before it was asked
	code   int
	head   http.Header
	body   []byte
	err    error
}

func newCache(next http.RoundTripper, last func() uint64) *cache {
	return &cache{next: next, last: last, entries: Shelf[*entry]{Most: maxEntries, Bytes: maxBytes}}
}

// RoundTrip answers from the cache, or asks. A request that changes something is never kept, and its
// reader is given nothing of before it. What is kept for others stays: each of a reader's forms, also
// one that is refused, would have all others ask anew.
func (c *cache) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.last == nil || !questions()[r.URL.Path] {
		res, err := c.next.RoundTrip(r)
		c.forget(readerOf(r))
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
		return c.next.RoundTrip(again(r, body)) // the page that asked first was closed
	}
	return response(r, k.code, k.head.Clone(), k.body), nil
}

// answered is the answer to a question, once it is there. One answer to a question is made
// at a time: who asks after a change waits for the one that is being made, then for the next.
func (c *cache) answered(r *http.Request, body []byte) (*entry, error) {
	for name := c.key(r, body); ; {
		k, mine, old := c.find(name, r, body)
		if mine {
			c.fill(k, r)
			return k, nil
		}
		if err := k.await(r.Context()); err != nil {
			return nil, err
		}
		if !old {
			return k, nil
		}
	}
}

// await waits until an answer that another page asks for is there.
func (k *entry) await(ctx context.Context) error {
	select {
	case <-k.ready:
		return nil
	default:
	}
	defer gate.Lend(ctx)()
	select {
	case <-k.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func again(r *http.Request, body []byte) *http.Request {
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return r
}

// readerOf names who asks.
func readerOf(r *http.Request) string {
	who, _ := r.Context().Value(readerKey{}).(Reader)
	return who.Host + "\x00" + who.Origin + "\x00" + who.Token + "\x00" + who.Proof
}

// key names a question and its reader.
func (c *cache) key(r *http.Request, body []byte) string {
	var b strings.Builder
	who := readerOf(r)
	c.mu.Lock()
	b.WriteString(r.URL.Path + "\x00" + who + "\x00" + strconv.Itoa(c.changes[who]))
	c.mu.Unlock()
	b.WriteByte(0)
	b.Write(body)
	return b.String()
}

// find is the entry of a question. mine: the caller must fill it. old: it is being made
// from the state before the last record.
func (c *cache) find(key string, r *http.Request, body []byte) (k *entry, mine, old bool) {
	seq, now := c.last(), time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept, found := c.entries.Get(key); found {
		k = kept
		select {
		case <-k.ready:
		default:
			return k, false, k.seq != seq
		}
		if age := now.Sub(k.at); k.good(seq, age, isRefreshing(r.Context())) {
			if k.seq != seq {
				c.remind(k.lasts() - age)
			}
			return k, false, false
		}
	}
	k = &entry{name: key, reader: readerOf(r), ready: make(chan struct{}), at: now, seq: seq, study: isStudy(r.URL.Path, body)}
	c.entries.Put(key, k)
	return k, true, false
}

// remind schedules a call of changed for the moment at which an old answer that was handed
// out expires, so that its page asks again. The cache is locked.
func (c *cache) remind(in time.Duration) {
	if c.reminder || c.changed == nil {
		return
	}
	c.reminder = true
	time.AfterFunc(in, func() {
		c.mu.Lock()
		c.reminder = false
		c.mu.Unlock()
		c.changed()
	})
}

// good says whether an answer may be handed out. One from before the last record only goes
// to a page that is refreshing.
func (k *entry) good(seq uint64, age time.Duration, refreshing bool) bool {
	return k.seq == seq && age < freshWhileQuiet || (refreshing || k.study) && age < k.lasts()
}

// lasts is how old an answer may be while things change.
func (k *entry) lasts() time.Duration {
	if k.took <= slowAnswer {
		return 0
	}
	if k.study {
		return min(maxStudyAge, studyAge*k.took)
	}
	return maxAge
}

// perEntry is what an answer weighs beside its text.
const perEntry = 1 << 10

// Owner is the reader who asked.
func (k *entry) Owner() string { return k.reader }

// Over says whether an answer goes to no page any more.
func (k *entry) Over(now time.Time) bool {
	select {
	case <-k.ready:
		return now.Sub(k.at) > max(freshWhileQuiet, k.lasts())
	default:
		return false
	}
}

// Weight is how many bytes an answer takes; of one that is not there yet little is known.
func (k *entry) Weight() int {
	select {
	case <-k.ready:
		return perEntry + len(k.body)
	default:
		return perEntry
	}
}

func (c *cache) fill(k *entry, r *http.Request) {
	defer func() {
		close(k.ready)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.entries.Weigh(k.name, k)
	}()
	res, err := c.next.RoundTrip(r)
	if err != nil {
		k.err = err
		c.drop(k)
		return
	}
	defer res.Body.Close()
	k.code, k.head = res.StatusCode, res.Header
	k.body = make([]byte, res.ContentLength) // all of it is there
	_, k.err = io.ReadFull(res.Body, k.body)
	k.took = time.Since(k.at)
}

// drop forgets one answer. All others stay: who closes pages does not have others ask anew.
func (c *cache) drop(k *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept, found := c.entries.Get(k.name); found && kept == k {
		c.entries.Remove(k.name)
	}
}

// forget has a reader asked for anew. Where very many have changed something, all are.
func (c *cache) forget(reader string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.changes) >= maxEntries {
		clear(c.changes)
		c.entries.Clear()
	}
	if c.changes == nil {
		c.changes = map[string]int{}
	}
	c.changes[reader]++
}

// questions are the paths of the methods that only read.
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
