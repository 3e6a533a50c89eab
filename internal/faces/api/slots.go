package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/run/gate"
)

// What one caller may have in progress at a time, beside streams. Who wants more waits in
// line, before anything of the request is read.
const (
	userCalls, operatorCalls = 32, 512
	// Of requests that are large, or do not say how large they are, and of answers that may be.
	userLarge, operatorLarge = 4, 32
	// Commands on their way to be decided: another's waits for at most so many of this caller's.
	userWrites, operatorWrites = 4, 128

	largeRequest = 64 << 10 // bytes
	callsInLine  = 512
)

// How long the server may work for a user: seconds of a processor in each second, and how much may be
// saved up or owed. While others wait for the processor it is less of both (gate.Spare).
// Callers that run the fleet are not bounded so. What is saved is what a caller can take from all
// others at one stroke: with five seconds of it, one hostile caller held a core for its first ten
// seconds, and that was all of the others' p99. With a quarter of a second in each, what others cancel took
// 2.1 times as long at p99 on two slow cores.
const (
	workEach  = 0.2
	workSaved = 1.0
	workOwed  = -4.0 // what is earned while a call waits (patienceInLine)
)

// What a request counts beside what is done for it, in seconds: for itself, before anything of it is
// read, and for each byte that was read. It takes about that long to see that a request is wrong.
const (
	workOfCall = 0.2e-3
	workOfByte = 4e-9
)

// mostOfWrite is what a command counts at most: the rest of its time it waits for the disk.
const mostOfWrite = 5 * time.Millisecond

// slots are the calls of a caller that are in progress.
type slots struct {
	calls, large, writes chan struct{}
	line                 int           // that wait for a slot, or for time
	first                chan struct{} // of those that wait for time, the one that looks whether there is some

	work  float64   // seconds that are left
	could float64   // seconds that would be left, had the caller asked nothing
	paid  time.Time // when both were counted last
	each  map[string]*kind
}

// kind is what a caller has of one kind of call, such as one procedure.
type kind struct {
	usual   float64       // seconds that one takes
	running chan struct{} // those that are answered now
}

// sameAtOnce is how many calls of one kind of one user are answered at a time. What each takes is
// known only afterwards, so more of them could all be long.
const sameAtOnce = 2

// longCall is from where on calls of a kind count as long, in seconds. One user's long calls are
// answered one at a time, of whatever kind: together they would keep all processors from others.
const longCall = 0.05

// of is a kind of calls, made if need be.
func (o *slots) of(what string) *kind {
	k := o.each[what]
	if k == nil {
		k = &kind{running: make(chan struct{}, sameAtOnce)}
		o.each[what] = k
	}
	return k
}

func newSlots(c *caller) slots {
	p := slots{each: map[string]*kind{}, first: make(chan struct{}, 1), calls: make(chan struct{}, userCalls), large: make(chan struct{}, userLarge), writes: make(chan struct{}, userWrites), work: workSaved, could: workSaved, paid: time.Now()}
	if c.runs {
		p.calls, p.large, p.writes = make(chan struct{}, operatorCalls), make(chan struct{}, operatorLarge), make(chan struct{}, operatorWrites)
	}
	return p
}

// idle says whether nothing is in progress.
func (o *slots) idle() bool { return o.line == 0 && len(o.calls)+len(o.large)+len(o.writes) == 0 }

// isLarge says whether a request may need much memory, by what it says of itself. Asked by GET it is packed in its address.
func isLarge(r *http.Request) bool {
	if r.Method == http.MethodGet && r.URL.Query().Get("compression") != "" {
		return true
	}
	return r.ContentLength < 0 || r.ContentLength > largeRequest || headerOf(r.Header, "Content-Encoding") != "" || strings.HasPrefix(headerOf(r.Header, "Content-Type"), "application/grpc")
}

// enter waits for a slot for a call.
func (t *turns) enter(ctx context.Context, c *caller, r *http.Request) (leave func(), err error) {
	if err := t.afford(ctx, c); err != nil {
		return nil, err
	}
	t.weigh(c, r)
	line := lineOfCalls
	if isLarge(r) || whole[r.URL.Path] && headerOf(r.Header, headerLarge) == asStream {
		line = lineOfLarge
	}
	slot, err := t.await(ctx, c, line)
	return func() { <-slot }, err
}

// The lines in which calls of a caller wait.
func lineOfCalls(s *share) chan struct{}  { return s.calls }
func lineOfLarge(s *share) chan struct{}  { return s.large }
func lineOfWrites(s *share) chan struct{} { return s.writes }

// afford counts a request once the caller has time left for it. What is refused for what stands in
// it, or is a stream too many, counts no less than what is answered.
func (t *turns) afford(ctx context.Context, c *caller) error {
	if c.runs || t.pay(c) == 0 {
		return nil
	}
	patient, end := context.WithTimeout(ctx, patienceInLine)
	defer end()
	err := t.earned(patient, c, func() (time.Duration, error) {
		wait := t.pay(c)
		if until, _ := patient.Deadline(); time.Now().Add(wait).After(until) {
			return 0, tooMuch("%s has had the server work for long; wait %d s, and ask less", answerable(c), int(wait/time.Second)+1)
		}
		return wait, nil
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return tooMuch("%s has had the server work for long; wait a moment, and ask less", answerable(c))
	}
	return err
}

// pay counts a request, or says how long it has to wait.
func (t *turns) pay(c *caller) (wait time.Duration) {
	_ = t.mind(c, func(s *share) error {
		if wait = s.earn(time.Now(), t.spare()); wait == 0 {
			s.work -= workOfCall
		}
		return nil
	})
	return wait
}

// earned waits until a call is paid for. Of all calls of a caller that wait for time one looks whether there is some, and
// the others wait for that one: hundreds that look in each millisecond keep the processor from everybody else.
func (t *turns) earned(ctx context.Context, c *caller, pay func() (wait time.Duration, err error)) error {
	leave, err := t.ahead(ctx, c)
	if err != nil {
		return err
	}
	defer leave()
	for {
		wait, err := pay()
		if err != nil || wait == 0 {
			return err
		}
		if !paused(ctx, wait) {
			return ctx.Err()
		}
	}
}

// ahead waits in line until a call is the one of its caller's that looks for time.
func (t *turns) ahead(ctx context.Context, c *caller) (leave func(), err error) {
	var first chan struct{}
	err = t.mind(c, func(s *share) error {
		if s.line >= callsInLine {
			return tooMuch("%s has %d calls waiting already; ask fewer things at once", answerable(c), callsInLine)
		}
		first = s.first
		s.line++
		return nil
	})
	if err != nil {
		return nil, err
	}
	back, out := gate.Lend(ctx), func() { _ = t.mind(c, func(s *share) error { s.line--; return nil }) }
	defer back()
	if !enters(ctx, first) {
		out()
		return nil, ctx.Err()
	}
	return func() { <-first; out() }, nil
}

// weigh has what is read of a request counted.
func (t *turns) weigh(c *caller, r *http.Request) {
	if !c.runs && r.Body != nil {
		r.Body = &weighed{r.Body, func(n int) { t.charge(c, workOfByte*float64(n)) }}
	}
}

// weighed is a request of which each part that is read counts.
type weighed struct {
	io.ReadCloser
	count func(n int)
}

// Read reads a part.
func (o *weighed) Read(p []byte) (int, error) {
	n, err := o.ReadCloser.Read(p)
	if n > 0 {
		o.count(n)
	}
	return n, err
}

// earn adds what the caller has earned since it was counted last, and says how long its next call
// has to wait. spare is how much of its share a caller has now.
func (o *slots) earn(now time.Time, spare float64) (wait time.Duration) {
	each, saved := workEach*spare, workSaved*spare
	earned := each * now.Sub(o.paid).Seconds()
	o.work, o.could, o.paid = min(saved, o.work+earned), min(saved, o.could+earned), now
	if o.work >= 0 {
		return 0
	}
	return max(time.Millisecond, time.Duration(-o.work/each*float64(time.Second)))
}

// await waits for one of a caller's slots. Who has it gives it back by reading from it.
func (t *turns) await(ctx context.Context, c *caller, of func(*share) chan struct{}) (slot chan struct{}, err error) {
	waits := false
	err = t.mind(c, func(s *share) error {
		slot = of(s)
		select {
		case slot <- struct{}{}:
			return nil
		default:
		}
		if s.line >= callsInLine {
			return tooMuch("%s has %d calls waiting already; ask fewer things at once", answerable(c), callsInLine)
		}
		waits = true
		s.line++
		return nil
	})
	if err == nil && waits {
		err = t.awaits(ctx, c, slot)
	}
	return slot, err
}

// awaits waits for a slot in its line.
func (t *turns) awaits(ctx context.Context, c *caller, slot chan struct{}) error {
	defer func() { _ = t.mind(c, func(s *share) error { s.line--; return nil }) }()
	defer gate.Lend(ctx)()
	patience := time.NewTimer(patienceInLine)
	defer patience.Stop()
	select {
	case slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-patience.C:
		return tooMuch("%s has %d calls in progress; wait for their answers", answerable(c), cap(slot))
	}
}

// share counts what is no RPC against its caller's share. It reads the whole fleet, so one of a
// caller is answered at a time.
func (t *turns) share(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callerOf(r.Context())
		over, err := t.costly(r.Context(), c, r.URL.Path, t.busy)
		if err != nil {
			http.Error(w, err.Error(), http.StatusTooManyRequests)
			return
		}
		defer over()
		next.ServeHTTP(w, r)
	})
}

// turn waits until it is the turn of a call whose request is known: for those of its kind, or other commands of
// its caller's, and then for time of its caller's.
func (t *turns) turn(ctx context.Context, c *caller, req connect.AnyRequest) (over func(), err error) {
	is := sortOf(req)
	line := is.line(c)
	if line == nil {
		return t.timeFor(ctx, c, is)
	}
	slot, err := t.await(ctx, c, line)
	if err != nil {
		return nil, err
	}
	if c.runs && !is.costly {
		return func() { <-slot }, nil // no time is counted
	}
	done, err := t.timeFor(ctx, c, is)
	if err != nil {
		<-slot
		return nil, err
	}
	return func() { done(); <-slot }, nil
}

// sort is what the lines of its caller need to know of a call.
type sort struct {
	procedure string
	message   any
	changes   bool // it is done for good
	costly    bool
}

func sortOf(req connect.AnyRequest) sort {
	is := sort{procedure: req.Spec().Procedure, message: req.Any()}
	m, writes := is.message.(writeMessage)
	is.changes = writes && !m.GetWrite().GetDryRun()
	is.costly = isCostly(is.procedure, is.message)
	return is
}

// line is where a call waits for others of its caller's; nil: it waits for none.
func (is sort) line(c *caller) func(*share) chan struct{} {
	switch {
	case is.changes:
		return lineOfWrites
	case is.costly || c.runs:
		return nil
	}
	return func(s *share) chan struct{} {
		if k := s.of(is.procedure); k.usual < longCall {
			return k.running
		}
		return s.costly
	}
}

// timeFor waits until the server may work for a call, and has what it takes counted.
func (t *turns) timeFor(ctx context.Context, c *caller, is sort) (done func(), err error) {
	counts := t.busy
	if is.changes {
		counts = t.batched(is.message)
	}
	if is.costly {
		return t.costly(ctx, c, is.procedure, counts)
	}
	return t.pace(ctx, c, is.procedure, patienceInLine, counts)
}

// batched counts what the commands of a call take: what is done for them here, as where the days of a zone are drawn out, and a bound
// for each piece that is decided, which another goroutine does. The rest of the time they wait for others and for the disk.
func (t *turns) batched(message any) counter {
	most := mostOfWrite
	if m, ok := message.(*musterv1.SubmitBatchRequest); ok {
		most *= time.Duration(1 + len(m.GetSpecs())/atOnce)
	}
	return func() func() time.Duration {
		busy, all := t.busy(), gate.Elapsed()
		return func() time.Duration {
			here := busy()
			return here + min(most, all()-here)
		}
	}
}
