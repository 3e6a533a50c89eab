package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"connectrpc.com/connect"

	"github.com/muster-fleet/muster/internal/decide/core"
)

func callerNamed(name string) *caller {
	return &caller{actor: core.Actor{Name: "user:" + name, User: name}}
}

// A caller's calls wait for one another, and not for another's.
func TestCallsInProgressAreCounted(t *testing.T) {
	turns, bob := newTurns(), callerNamed("bob")
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
	turns, bob := newTurns(), callerNamed("bob")
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
	turns, bob := newTurns(), callerNamed("bob")
	done, err := turns.pace(t.Context(), bob, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	done()
	_ = turns.mind(bob, func(s *share) error { s.work = workOwed; return nil })
	brief, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer end()
	if _, err := turns.pace(brief, bob, time.Second); err == nil {
		t.Error("bob goes on at once")
	}
	if _, err := turns.pace(t.Context(), callerNamed("ada"), time.Second); err != nil {
		t.Error(err)
	}
	if _, err := turns.pace(t.Context(), &caller{actor: bob.actor, runs: true}, time.Second); err != nil {
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
	turns, bob := newTurns(), callerNamed("bob")
	_ = turns.mind(bob, func(s *share) error { s.work, s.usual = 2.5, 1; return nil })
	begun := 0
	for range userCalls {
		if _, wait := turns.begin(bob); wait == 0 {
			begun++
		}
	}
	if begun != 3 {
		t.Errorf("%d calls begin at once", begun)
	}
}

// What is no RPC and reads the whole fleet counts against its caller's share, too.
func TestTheInventoryCountsAgainstItsCallersShare(t *testing.T) {
	turns, bob := newTurns(), callerNamed("bob")
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
