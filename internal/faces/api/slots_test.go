package api

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/gate"
)

func callerNamed(name string) *caller {
	return &caller{actor: core.Actor{Name: "user:" + name, User: name}}
}

// calmTurns are turns on a machine where no caller waits for the processor.
func calmTurns() *turns {
	t := newTurns()
	t.spare = func() float64 { return 1 }
	return t
}

// While others wait for the processor, a caller has less of it, and what was saved up is less, too.
func TestACallerHasLessWhileOthersWait(t *testing.T) {
	turns, bob := calmTurns(), callerNamed("bob")
	turns.spare = func() float64 { return 0.25 }
	done, err := turns.pace(t.Context(), bob, "list", time.Second, gate.Elapsed)
	if err != nil {
		t.Fatal(err)
	}
	done()
	_ = turns.mind(bob, func(s *share) error {
		if s.work > workSaved/4 {
			t.Errorf("%.2f s are saved up", s.work)
		}
		s.work, s.paid = -1, time.Now()
		return nil
	})
	if _, wait := turns.begin(bob, "list"); wait < 15*time.Second {
		t.Errorf("one second is earned in %v", wait)
	}
}

// A call that was kept waiting does not count as work for its caller, whose next calls would wait for it, and give way.
func TestWhatACallWaitsForIsNoWorkForItsCaller(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("how long a thread has had a processor is asked on Linux only")
	}
	turns, ada := calmTurns(), callerNamed("ada")
	done, err := turns.turn(t.Context(), ada, &asked{"nodes", connect.NewRequest(&musterv1.NodesRequest{})})
	if err != nil {
		t.Fatal(err)
	}
	<-time.After(600 * time.Millisecond)
	done()
	if turns.spent(ada) {
		t.Error("ada has had her share")
	}
}

// A batch waits for others' decisions and for the disk. Its caller pays for what is done for it, and a bound for each piece.
func TestABatchPaysNotForWhatItWaits(t *testing.T) {
	turns := calmTurns()
	turns.busy = func() func() time.Duration { return func() time.Duration { return 0 } }
	synctest.Test(t, func(t *testing.T) {
		for specs, want := range map[int]time.Duration{1: mostOfWrite, 1000: 11 * mostOfWrite} {
			took := turns.batched(&musterv1.SubmitBatchRequest{Specs: make([]*musterv1.WorkloadSpec, specs)})()
			<-time.After(10 * time.Second)
			if is := took(); is != want {
				t.Errorf("%d workloads count %v, want %v", specs, is, want)
			}
		}
	})
}

// A change counts what is worked for it before it is decided, too: to draw out the days of a zone takes half a second.
func TestWhatAChangeTakesBeforeItIsDecidedCounts(t *testing.T) {
	turns, bob := calmTurns(), callerNamed("bob")
	over, err := turns.turn(t.Context(), bob, connect.NewRequest(&musterv1.AddZoneRequest{}))
	if err != nil {
		t.Fatal(err)
	}
	for took := gate.Busy(); took() < 300*time.Millisecond; {
	}
	over()
	if left := turns.callers["user:bob"].work; left > workSaved-0.2 {
		t.Errorf("%.3f s are left of %.0f", left, workSaved)
	}
}

// To hold a request against its rules counts, also where it is refused for them.
func TestHoldingARequestAgainstItsRulesCounts(t *testing.T) {
	rules, err := newValidation()
	if err != nil {
		t.Fatal(err)
	}
	bob, m := callerNamed("bob"), &musterv1.GetWorkloadRequest{Namespace: "oak", Name: "w"}
	ctx := withCaller(t.Context(), bob)
	_ = rules.check(m) // the rules are read once
	rules.turns = calmTurns()
	m.Name = strings.Repeat("a", 4<<20)
	took := gate.Busy()
	_, err = rules.WrapUnary(nil)(ctx, connect.NewRequest(m))
	spent := took().Seconds()
	if err == nil {
		t.Fatal("a name of 4 MB is good")
	}
	if left := rules.turns.callers["user:bob"].work; left > workSaved-spent/2 {
		t.Errorf("%.4f s are left of %.0f, and %.4f were spent", left, workSaved, spent)
	}
}

// Calls that are refused for what stands in them, and streams too many, count, too: reading them
// takes time. Who has none left waits before anything is read.
func TestWhatIsRefusedCounts(t *testing.T) {
	turns, bob := calmTurns(), callerNamed("bob")
	left := func() (work float64) {
		_ = turns.mind(bob, func(s *share) error { work = s.work; return nil })
		return work
	}
	for range 1000 {
		if err := turns.afford(t.Context(), bob); err != nil {
			t.Fatal(err)
		}
	}
	if now := left(); now > workSaved-0.1 {
		t.Errorf("%.3f s are left of %.0f after 1,000 calls that came to nothing", now, workSaved)
	}
	before := left()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", io.LimitReader(zeros{}, 200<<20))
	turns.weigh(bob, r)
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		t.Fatal(err)
	}
	if now := left(); now > before-0.5 {
		t.Errorf("%.3f s are left of %.3f after 200 MB", now, before)
	}
	_ = turns.mind(bob, func(s *share) error { s.work = -1; return nil })
	brief, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer end()
	if err := turns.afford(brief, bob); err == nil {
		t.Error("the next one is read at once")
	}
	if err := turns.afford(t.Context(), callerNamed("ada")); err != nil {
		t.Errorf("another's: %v", err)
	}
}

// zeros is what can be read for ever.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// Who would have to wait for longer than a call waits is told so at once.
func TestALongWaitIsRefused(t *testing.T) {
	turns, bob := calmTurns(), callerNamed("bob")
	turns.spare = func() float64 { return 0.1 }
	_ = turns.mind(bob, func(s *share) error { s.work = workOwed; return nil })
	if err := turns.afford(t.Context(), bob); connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("it is answered with %v", err)
	}
}

// A costly question whose caller has no time left holds no turn that others wait for.
func TestWhoWaitsForTimeHoldsNoTurn(t *testing.T) {
	turns, bob := calmTurns(), callerNamed("bob")
	_ = turns.mind(bob, func(s *share) error { s.work = -1; return nil })
	ctx, end := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = turns.costly(ctx, bob, "why", gate.Elapsed) // it ends with ctx
	}()
	for {
		waits := false
		_ = turns.mind(bob, func(s *share) error { waits = len(s.costly) == 1; return nil })
		if waits {
			break
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
	if n := len(turns.together); n != 0 {
		t.Errorf("%d of %d turns of all are taken", n, cap(turns.together))
	}
	end()
	<-over
}

// A caller's calls wait for one another, and not for another's.
func TestCallsInProgressAreCounted(t *testing.T) {
	turns, bob := calmTurns(), callerNamed("bob")
	small, err := http.NewRequest(http.MethodPost, "/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	var leave func()
	for range userCalls {
		if leave, err = turns.enter(t.Context(), bob, small); err != nil {
			t.Fatal(err)
		}
	}
	brief, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer end()
	if _, err := turns.enter(brief, bob, small); err == nil {
		t.Error("one more is let in")
	}
	if _, err := turns.enter(t.Context(), callerNamed("ada"), small); err != nil {
		t.Errorf("another's call: %v", err)
	}
	leave()
	if _, err := turns.enter(t.Context(), bob, small); err != nil {
		t.Errorf("after one was answered: %v", err)
	}
}

// Who has more calls waiting than anybody needs is refused.
func TestTheLineOfOneCallerEnds(t *testing.T) {
	turns, bob := calmTurns(), callerNamed("bob")
	_ = turns.mind(bob, func(s *share) error { s.line = callsInLine; return nil })
	r, err := http.NewRequest(http.MethodPost, "/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for range userCalls {
		if _, err := turns.enter(t.Context(), bob, r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := turns.enter(t.Context(), bob, r); connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("one more: %v", err)
	}
}

// Questions that took more than a caller's share make that caller's next ones wait.
func TestQuestionsAreHeldToTheirShare(t *testing.T) {
	turns, bob := calmTurns(), callerNamed("bob")
	done, err := turns.pace(t.Context(), bob, "list", time.Second, gate.Elapsed)
	if err != nil {
		t.Fatal(err)
	}
	done()
	_ = turns.mind(bob, func(s *share) error { s.work = workOwed; return nil })
	brief, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer end()
	if _, err := turns.pace(brief, bob, "list", time.Second, gate.Elapsed); err == nil {
		t.Error("bob goes on at once")
	}
	if _, err := turns.pace(t.Context(), callerNamed("ada"), "list", time.Second, gate.Elapsed); err != nil {
		t.Error(err)
	}
	if _, err := turns.pace(t.Context(), &caller{actor: bob.actor, runs: true}, "list", time.Second, gate.Elapsed); err != nil {
		t.Errorf("who runs the fleet: %v", err)
	}
}

// One caller never has all the turns of questions that try something.
func TestOneCallerLeavesTurnsToOthers(t *testing.T) {
	if costlyAtOnce() >= costlyTogether() {
		t.Errorf("one caller has %d of %d", costlyAtOnce(), costlyTogether())
	}
}

// Calls that wait for the same moment do not all begin in it: each is counted ahead with what the
// caller's calls usually take.
func TestCallsOfOneMomentDoNotAllBegin(t *testing.T) {
	turns, bob := calmTurns(), callerNamed("bob")
	_ = turns.mind(bob, func(s *share) error { s.work, s.of("list").usual = workSaved, 0.4*workSaved; return nil })
	begun := 0
	for range userCalls {
		if _, wait := turns.begin(bob, "list"); wait == 0 {
			begun++
		}
	}
	if begun != 3 {
		t.Errorf("%d calls begin at once", begun)
	}
}

// What calls of one kind take says nothing of another kind: short ones do not hide long ones.
func TestEachKindOfCallHasItsOwnUsualTime(t *testing.T) {
	turns, bob := calmTurns(), callerNamed("bob")
	turns.settle(bob, "walk over the log", 0, 0.2)
	for range 100 {
		turns.settle(bob, "status", 0, 1e-6)
	}
	_ = turns.mind(bob, func(s *share) error { s.work, s.paid = workSaved, time.Now(); return nil })
	if ahead, _ := turns.begin(bob, "walk over the log"); ahead < 0.2/usualOver {
		t.Errorf("a long call is counted ahead with %v s", ahead)
	}
	if ahead, _ := turns.begin(bob, "status"); ahead > 1e-3 {
		t.Errorf("a short call is counted ahead with %v s", ahead)
	}
}

// Of one user's calls of one kind few are answered at a time: what they take is known only then. Who
// runs the fleet is not held up.
func TestCallsOfOneKindAreAnsweredAFewAtATime(t *testing.T) {
	turns, bob := calmTurns(), callerNamed("bob")
	ops := &caller{actor: bob.actor, runs: true}
	req := &asked{what: "/muster.v1.EventService/ListEvents", AnyRequest: connect.NewRequest(&musterv1.ListEventsRequest{})}
	for range 3 * sameAtOnce {
		if _, err := turns.turn(t.Context(), ops, req); err != nil {
			t.Fatal(err)
		}
	}
	var over func()
	for range sameAtOnce {
		var err error
		if over, err = turns.turn(t.Context(), bob, req); err != nil {
			t.Fatal(err)
		}
	}
	brief, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer end()
	if _, err := turns.turn(brief, bob, req); err == nil {
		t.Errorf("%d calls are answered at a time", sameAtOnce+1)
	}
	other := &asked{what: "/muster.v1.CapacityService/Nodes", AnyRequest: connect.NewRequest(&musterv1.NodesRequest{})}
	if _, err := turns.turn(t.Context(), bob, other); err != nil {
		t.Errorf("a call of another kind: %v", err)
	}
	over()
	if _, err := turns.turn(t.Context(), bob, req); err != nil {
		t.Errorf("once one of them is answered: %v", err)
	}
}

// Of one user's calls that have turned out to take long, one is answered at a time, of whatever kind.
func TestLongCallsAreAnsweredOneAtATime(t *testing.T) {
	turns, bob := calmTurns(), callerNamed("bob")
	ask := func(what string) error {
		brief, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer end()
		_, err := turns.turn(brief, bob, &asked{what: what, AnyRequest: connect.NewRequest(&musterv1.NodesRequest{})})
		return err
	}
	for _, kind := range []string{"log", "nodes"} {
		turns.settle(bob, kind, 0, usualOver*longCall)
		_ = turns.mind(bob, func(s *share) error { s.work = workSaved; return nil })
	}
	for range costlyAtOnce() {
		if err := ask("log"); err != nil {
			t.Fatal(err)
		}
	}
	if ask("nodes") == nil {
		t.Error("another long call is answered meanwhile")
	}
	if err := ask("status"); err != nil {
		t.Errorf("a short call: %v", err)
	}
}

// asked is a request to a procedure.
type asked struct {
	what string
	connect.AnyRequest
}

// Spec is part of connect.AnyRequest.
func (a *asked) Spec() connect.Spec { return connect.Spec{Procedure: a.what} }

// What is no RPC and reads the whole fleet counts against its caller's share, too.
func TestTheInventoryCountsAgainstItsCallersShare(t *testing.T) {
	turns, bob := calmTurns(), callerNamed("bob")
	turns.busy = gate.Elapsed
	slow := turns.share(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(20 * time.Millisecond) }))
	r := httptest.NewRequestWithContext(withCaller(t.Context(), bob), http.MethodGet, inventoryPath, http.NoBody)
	slow.ServeHTTP(httptest.NewRecorder(), r)
	_ = turns.mind(bob, func(s *share) error {
		if s.work > workSaved-0.02 {
			t.Errorf("%.3f s are left of %.0f", s.work, workSaved)
		}
		return nil
	})
}

// Reading records that were there when a stream began counts, shown or not; waiting for new ones
// does not.
func TestReadingOldRecordsCounts(t *testing.T) {
	o := &reading{head: 10, since: time.Now().Add(-3 * time.Millisecond)}
	if took := o.took(10); took < 0.003 {
		t.Errorf("an old record counts %.4f s", took)
	}
	if took := o.took(11); took != 0 {
		t.Errorf("a new record counts %.4f s", took)
	}
	o.since = time.Now().Add(-time.Hour)
	if took := o.took(10); took != mostOfWrite.Seconds() {
		t.Errorf("one after an hour counts %.4f s", took)
	}
}

// Of many calls of one caller that wait for time, one looks whether there is some. If each did, they would look some
// thousand times a second between them, and keep the processor from others.
func TestOneOfThoseThatWaitLooksForTime(t *testing.T) {
	const calls = 100
	turns, bob := calmTurns(), callerNamed("bob")
	looks := 0 // while the turns are locked
	turns.spare = func() float64 { looks++; return 1 }
	_ = turns.mind(bob, func(s *share) error { s.work, s.paid = -workEach/50, time.Now(); return nil })
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			if err := turns.afford(t.Context(), bob); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most := 5 * calls; looks > most {
		t.Errorf("%d calls looked %d times whether there is time for them, which is more than %d", calls, looks, most)
	}
}

// A question that has waited for its caller's share for as long as one waits for others' turns is not refused for that,
// where a turn is free.
func TestWaitingForOnesOwnShareIsNoCrowd(t *testing.T) {
	for range 30 {
		synctest.Test(t, func(t *testing.T) {
			turns, bob := calmTurns(), callerNamed("bob")
			_ = turns.mind(bob, func(s *share) error { s.work, s.paid = workOwed, time.Now(); return nil })
			began := time.Now()
			over, err := turns.costly(t.Context(), bob, "fit", gate.Elapsed)
			if err != nil {
				t.Fatalf("after %v: %v", time.Since(began), err)
			}
			over()
			if waited := time.Since(began); waited < patienceInLine {
				t.Errorf("bob waited %v only, so this tries nothing", waited)
			}
		})
	}
}

// A call that was paid for at the last moment goes on: none is both counted and refused.
func TestWhatIsPaidForIsNotRefused(t *testing.T) {
	for range 30 {
		synctest.Test(t, func(t *testing.T) {
			turns, bob := calmTurns(), callerNamed("bob")
			_ = turns.mind(bob, func(s *share) error { s.work, s.paid = workOwed, time.Now(); return nil })
			err := turns.afford(t.Context(), bob)
			left := 0.0
			_ = turns.mind(bob, func(s *share) error { s.earn(time.Now(), 1); left = s.work; return nil })
			if paid := left < 0; paid == (err != nil) {
				t.Fatalf("it is paid for: %v; refused: %v", paid, err)
			}
		})
	}
}
