package api

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/gen/muster/v1/musterv1connect"
	"github.com/muster-fleet/muster/internal/run/gate"
)

// What one caller may have at a time. Those who run the fleet have more, for what the fleet's
// own machinery does comes by their tokens.
const (
	userRate      = 200   // calls a second
	userBurst     = 2000  // calls that may have been saved up
	operatorRate  = 20000 // as above
	operatorBurst = 40000

	userStreams     = 32
	operatorStreams = 256
	mostStreams     = 4096 // of all callers

	costlyInLine   = 32 // questions of one caller that try something, and wait for their turn
	operatorInLine = 256
	mostCallers    = 10_000
)

// costlyTogether is how many such questions of all callers run at once: fewer than there
// are cores where these are many, so that a command is decided beside them.
func costlyTogether() int { return max(2, min(copies, gate.Cores()-1)) }

// costlyAtOnce is how many of them are one caller's at a time: never all, so that another's is
// answered beside them.
func costlyAtOnce() int { return max(1, costlyTogether()-1) }

// patienceInLine is how long a question waits for its turn.
const patienceInLine = 20 * time.Second

// turns sees to it that the calls of one caller do not keep out another's.
type turns struct {
	mu       sync.Mutex
	callers  map[string]*share
	runners  map[string]*share // of those who run the fleet: who is given such a role, or loses it, has a new share
	streams  int
	together chan struct{}
	waiting  atomic.Int32   // questions that wait for a turn of together
	spare    func() float64 // how much of its share a caller has now, 1: all
	busy     counter        // how long a call has a processor
}

// share is what a caller has of the server.
type share struct {
	tokens  float64
	at      time.Time
	streams int
	inLine  int
	costly  chan struct{}
	slots
}

func newTurns() *turns {
	return &turns{callers: map[string]*share{}, runners: map[string]*share{}, together: make(chan struct{}, costlyTogether()), spare: gate.Spare, busy: gate.Busy}
}

// answerable is who answers for what a caller does: an operator also for what is done as others.
func answerable(c *caller) string {
	name, _, _ := strings.Cut(c.actor.Name, " for ")
	return name
}

// mind runs fn with a caller's share, made if need be. Shares out of use are forgotten
// once there are many.
func (t *turns) mind(c *caller, fn func(*share) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	name, of := answerable(c), t.callers
	if c.runs {
		of = t.runners
	}
	s := of[name]
	if s == nil {
		if len(of) >= mostCallers {
			forget(of)
		}
		s = &share{tokens: burstOf(c), at: time.Now(), costly: make(chan struct{}, costlyAtOnce()), slots: newSlots(c)}
		of[name] = s
	}
	return fn(s)
}

func forget(of map[string]*share) {
	for name, s := range of {
		if s.streams == 0 && s.inLine == 0 && s.idle() && time.Since(s.at) > time.Minute {
			delete(of, name)
		}
	}
}

func burstOf(c *caller) float64 {
	if c.runs {
		return operatorBurst
	}
	return userBurst
}

// call counts one call of a caller.
func (t *turns) call(c *caller) error {
	rate := float64(userRate)
	if c.runs {
		rate = operatorRate
	}
	return t.mind(c, func(s *share) error {
		now := time.Now()
		s.tokens = min(burstOf(c), s.tokens+rate*now.Sub(s.at).Seconds())
		s.at = now
		if s.tokens < 1 {
			return tooMuch("%s calls more than %.0f times a second; wait a moment, and ask less often", answerable(c), rate)
		}
		s.tokens--
		return nil
	})
}

// spent says whether a caller has used half of what it could have now: then its calls are answered where nothing else wants
// the processor. Who asks now and then is never among them, also not just after a strain, when all have saved little.
func (t *turns) spent(c *caller) (is bool) {
	if c.runs {
		return false
	}
	_ = t.mind(c, func(s *share) error { is = s.work < s.could/2; return nil })
	return is
}

// stream counts a stream of a caller until it is over.
func (t *turns) stream(c *caller) (over func(), err error) {
	limit := userStreams
	if c.runs {
		limit = operatorStreams
	}
	err = t.mind(c, func(s *share) error {
		switch {
		case s.streams >= limit:
			return tooMuch("%s follows %d streams already; end some of them", answerable(c), limit)
		case t.streams >= mostStreams:
			return tooMuch("%d streams are followed already; try again later", mostStreams)
		}
		s.streams++
		t.streams++
		return nil
	})
	return func() {
		_ = t.mind(c, func(s *share) error {
			s.streams--
			t.streams--
			return nil
		})
	}, err
}

// costly waits for a caller's turn to ask something costly of a kind, and has its time counted. These turns
// bound the question by themselves, so a page that asks it gives its place to others until it is
// answered.
func (t *turns) costly(ctx context.Context, c *caller, what string, counts counter) (over func(), err error) {
	back := gate.Lend(ctx)
	own, err := t.lineUp(c)
	if err != nil {
		back()
		return nil, err
	}
	done, err := t.among(ctx, c, what, own, counts)
	if err != nil {
		t.stepOut(c)
		back()
		return nil, err
	}
	return func() {
		done()
		t.stepOut(c)
		back()
	}, nil
}

// lineUp puts a costly question in its caller's line.
func (t *turns) lineUp(c *caller) (own chan struct{}, err error) {
	limit := costlyInLine
	if c.runs {
		limit = operatorInLine
	}
	err = t.mind(c, func(s *share) error {
		if s.inLine >= limit {
			return tooMuch("%s has asked %d questions that take long already; wait for their answers", answerable(c), limit)
		}
		s.inLine++
		own = s.costly
		return nil
	})
	return own, err
}

func (t *turns) stepOut(c *caller) {
	_ = t.mind(c, func(s *share) error { s.inLine--; return nil })
}

// among waits for the caller's own turn, then until the server may work for the caller again, and
// only then for a turn among all: who has to wait for time of their own keeps no other from a turn. How long
// it waited for one is no matter to the next.
func (t *turns) among(ctx context.Context, c *caller, what string, own chan struct{}, counts counter) (done func(), err error) {
	if !entersSoon(ctx, own) {
		return nil, tooMuch("%s has asked questions that take long already, and they take longer than %v; wait for their answers", answerable(c), patienceInLine)
	}
	start, err := t.prepaid(ctx, c, what, counts)
	if err != nil {
		<-own
		return nil, err
	}
	if !t.joins(ctx) {
		start(0)()
		<-own
		return nil, tooMuch("too many questions that take long are asked at once; try again later")
	}
	paid := start(patienceInLine)
	return func() {
		paid()
		<-t.together
		<-own
	}, nil
}

// joins takes a turn among all; false: it took too long, or ctx has ended first.
func (t *turns) joins(ctx context.Context) bool {
	t.waiting.Add(1)
	defer t.waiting.Add(-1)
	return entersSoon(ctx, t.together)
}

// crowded says whether a question waits for a turn that others have.
func (t *turns) crowded() bool { return t.waiting.Load() > 0 }

// entersSoon takes one of some turns; false: none came for as long as a question waits, or ctx has ended first.
func entersSoon(ctx context.Context, line chan struct{}) bool {
	patient, end := context.WithTimeout(ctx, patienceInLine)
	defer end()
	return enters(patient, line)
}

// enters takes one of some turns; false: ctx has ended, and none is there.
func enters(ctx context.Context, line chan struct{}) bool {
	select {
	case line <- struct{}{}:
		return true
	default:
	}
	select {
	case line <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// timed is a message that asks about a moment.
type timed interface{ GetAsOf() *timestamppb.Timestamp }

// isCostly says whether a call copies the fleet, lives through the past, or reads much of
// the log.
func isCostly(procedure string, message any) bool {
	if m, ok := message.(writeMessage); ok && m.GetWrite().GetDryRun() {
		return true
	}
	if m, ok := message.(timed); ok && m.GetAsOf() != nil {
		return true
	}
	if m, ok := message.(*musterv1.GetMaintenanceRequest); ok && playsOn(m) {
		return true
	}
	if m, ok := message.(*musterv1.ListWorkloadsRequest); ok {
		return m.GetReasons()
	}
	return studies[procedure]
}

// studies are the procedures that take long whatever is asked. The console keeps the answers of some
// of them (studies of package ask).
var studies = map[string]bool{
	musterv1connect.WorkloadServiceFitProcedure:            true,
	musterv1connect.WorkloadServiceWhyProcedure:            true,
	musterv1connect.WorkloadServiceWhenProcedure:           true,
	musterv1connect.SystemServiceStateHashProcedure:        true,
	musterv1connect.SeriesServiceQuotaSeriesProcedure:      true,
	musterv1connect.SeriesServiceFrontierProcedure:         true,
	musterv1connect.HaircutServiceDraftHaircutProcedure:    true,
	musterv1connect.HaircutServiceCompareHaircutsProcedure: true,
	musterv1connect.HaircutServiceShadowDecisionsProcedure: true,
	musterv1connect.HaircutServiceShadowHistoryProcedure:   true,
	musterv1connect.PromiseServiceBrokenProcedure:          true,
	musterv1connect.WorkloadServiceSubmitBatchProcedure:    true,
	musterv1connect.ComingServiceComingProcedure:           true,
	musterv1connect.PastServiceFlexOutlookProcedure:        true,
	musterv1connect.HaircutServiceExportHaircutProcedure:   true,
	musterv1connect.BuildoutServiceImportClustersProcedure: true, // tries each row by itself
	musterv1connect.HaircutServiceHaircutMessagesProcedure: true,
}

// WrapUnary is part of connect.Interceptor.
func (t *turns) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		over, err := t.turn(ctx, callerOf(ctx), req)
		if err != nil {
			return nil, err
		}
		defer over()
		return next(ctx, req)
	}
}

// WrapStreamingHandler is part of connect.Interceptor.
func (t *turns) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		over, err := t.stream(callerOf(ctx))
		if err != nil {
			return err
		}
		defer over()
		return next(ctx, conn)
	}
}

// WrapStreamingClient is part of connect.Interceptor; a server has no clients.
func (t *turns) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}
