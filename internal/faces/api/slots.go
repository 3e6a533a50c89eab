package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"

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

// How long the server may work for a user: seconds of it in each second, and how much may be
// saved up or owed. Callers that run the fleet are not bounded so.
const (
	workEach  = 0.25
	workSaved = 5.0
	workOwed  = -5.0
)

// mostOfWrite is what a command counts at most: the rest of its time it waits for the disk.
const mostOfWrite = 5 * time.Millisecond

// slots are the calls of a caller that are in progress.
type slots struct {
	calls, large, writes chan struct{}
	line                 int // that wait for a slot

	work  float64   // seconds that are left
	usual float64   // seconds that a call takes
	paid  time.Time // when it was counted last
}

func newSlots(c *caller) slots {
	p := slots{calls: make(chan struct{}, userCalls), large: make(chan struct{}, userLarge), writes: make(chan struct{}, userWrites), work: workSaved, paid: time.Now()}
	if c.runs {
		p.calls, p.large, p.writes = make(chan struct{}, operatorCalls), make(chan struct{}, operatorLarge), make(chan struct{}, operatorWrites)
	}
	return p
}

// idle says whether nothing is in progress.
func (o *slots) idle() bool { return o.line == 0 && len(o.calls)+len(o.large)+len(o.writes) == 0 }

// isLarge says whether a request may need much memory, by what it says of itself.
func isLarge(r *http.Request) bool {
	return r.ContentLength < 0 || r.ContentLength > largeRequest || r.Header.Get("Content-Encoding") != "" || strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
}

// enter waits for a slot for a call.
func (t *turns) enter(ctx context.Context, c *caller, r *http.Request) (leave func(), err error) {
	return t.await(ctx, c, func(s *share) chan struct{} {
		if isLarge(r) || whole[r.URL.Path] && r.Header.Get(headerLarge) == asStream {
			return s.large
		}
		return s.calls
	})
}

// await waits for one of a caller's slots.
func (t *turns) await(ctx context.Context, c *caller, of func(*share) chan struct{}) (leave func(), err error) {
	var slot chan struct{}
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
	leave = func() { <-slot }
	if err != nil || !waits {
		return leave, err
	}
	defer func() { _ = t.mind(c, func(s *share) error { s.line--; return nil }) }()
	defer gate.Lend(ctx)()
	patience := time.NewTimer(patienceInLine)
	defer patience.Stop()
	select {
	case slot <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-patience.C:
		return nil, tooMuch("%s has %d calls in progress; wait for their answers", answerable(c), cap(slot))
	}
}

// pace waits until the server may work for a caller again, and has what is done now counted,
// up to a bound. Each call is counted with what the caller's calls usually take before it begins:
// calls that have waited for the same moment do not all begin in it.
func (t *turns) pace(ctx context.Context, c *caller, most time.Duration) (done func(), err error) {
	if c.runs {
		return func() {}, nil
	}
	ahead, wait := t.begin(c)
	for ; wait > 0; ahead, wait = t.begin(c) {
		if !paused(ctx, wait) {
			return nil, ctx.Err()
		}
	}
	began := time.Now()
	return func() {
		took := min(most, time.Since(began)).Seconds()
		_ = t.mind(c, func(s *share) error {
			s.work = max(workOwed, s.work+ahead-took)
			s.usual += (took - s.usual) / usualOver
			return nil
		})
	}, nil
}

// usualOver is over how many of a caller's calls what they usually take is learned.
const usualOver = 16

// begin counts a call that begins now, with how many seconds it says, or says how long it has to wait.
func (t *turns) begin(c *caller) (ahead float64, wait time.Duration) {
	_ = t.mind(c, func(s *share) error {
		now := time.Now()
		s.work, s.paid = min(workSaved, s.work+workEach*now.Sub(s.paid).Seconds()), now
		if s.work < 0 {
			wait = max(time.Millisecond, time.Duration(-s.work/workEach*float64(time.Second)))
			return nil
		}
		ahead = s.usual
		s.work -= ahead
		return nil
	})
	return ahead, wait
}

// paused waits; it is false if ctx ends first.
func paused(ctx context.Context, wait time.Duration) bool {
	if wait <= 0 {
		return true
	}
	defer gate.Lend(ctx)()
	return gate.Pause(ctx, wait)
}

// share counts what is no RPC against its caller's share. It reads the whole fleet, so one of a
// caller is answered at a time.
func (t *turns) share(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callerOf(r.Context())
		over, err := t.costly(r.Context(), c)
		if err != nil {
			http.Error(w, err.Error(), http.StatusTooManyRequests)
			return
		}
		defer over()
		done, err := t.pace(r.Context(), c, patienceInLine)
		if err != nil {
			return // the caller has gone
		}
		defer done()
		next.ServeHTTP(w, r)
	})
}

// turn waits until it is the turn of a call whose request is known.
func (t *turns) turn(ctx context.Context, c *caller, req connect.AnyRequest) (over func(), err error) {
	m, changes := req.Any().(writeMessage)
	changes = changes && !m.GetWrite().GetDryRun()
	costly, most := isCostly(req.Spec().Procedure, req.Any()), patienceInLine
	if changes && !costly {
		most = mostOfWrite
	}
	steps := []func() (func(), error){func() (func(), error) { return t.pace(ctx, c, most) }}
	if costly {
		steps = append([]func() (func(), error){func() (func(), error) { return t.costly(ctx, c) }}, steps...)
	}
	if changes {
		steps = append([]func() (func(), error){func() (func(), error) { return t.await(ctx, c, func(s *share) chan struct{} { return s.writes }) }}, steps...)
	}
	var done []func()
	over = func() {
		for _, end := range slices.Backward(done) {
			end()
		}
	}
	for _, step := range steps {
		end, err := step()
		if err != nil {
			over()
			return nil, err
		}
		done = append(done, end)
	}
	return over, nil
}
