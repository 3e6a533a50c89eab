package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// looked is an engine, and a function that has it carry out a command.
func looked(t *testing.T) (e *Engine, do func(core.Command)) {
	t.Helper()
	e, err := Open(t.Context(), Options{Journal: memory.New(), Synchronous: true})
	if err != nil {
		t.Fatal(err)
	}
	return e, func(c core.Command) {
		t.Helper()
		if _, err := e.Do(t.Context(), core.Request{Command: c, Actor: core.System, Reason: "a test"}); err != nil {
			t.Fatal(err)
		}
	}
}

// quotas is how many quotas a reader sees who looks in a way.
func quotas(look func(func(*fleet.State))) (n int) {
	look(func(s *fleet.State) { n = len(s.Quotas) })
	return n
}

// While one ponders, decisions are made, and all others see them.
func TestWhoPondersKeepsOthersFromNothing(t *testing.T) {
	e, do := looked(t)
	do(core.CreateQuota{Path: "a"})
	e.Ponder(func(s *fleet.State) {
		do(core.CreateQuota{Path: "b"})
		if look, study := quotas(e.Look), quotas(e.Study); look != 2 || study != 2 || len(s.Quotas) != 1 {
			t.Errorf("who looks sees %d quotas, who studies %d, and who pondered before %d; want 2, 2 and 1", look, study, len(s.Quotas))
		}
	})
	if n := quotas(e.Ponder); n != 2 {
		t.Errorf("the next who ponders sees %d quotas, not 2", n)
	}
}

// The state for those who ponder is copied anew once most of the copy is of what has gone.
func TestTheSecondMirrorIsCopiedAnew(t *testing.T) {
	e, do := looked(t)
	do(core.CreateQuota{Path: "a"})
	_ = quotas(e.Ponder)
	first := e.aside.state
	e.aside.state.Seq += aged
	e.Ponder(func(s *fleet.State) {
		if s != first {
			t.Error("it is copied too soon")
		}
	})
	e.aside.state.Seq++
	e.Ponder(func(s *fleet.State) {
		if s == first || len(s.Quotas) != 1 {
			t.Errorf("the copy of before is kept, or has %d quotas, not 1", len(s.Quotas))
		}
	})
}

// The state for those who ponder is given up when none has for long, and made anew for the next.
func TestTheSecondMirrorIsGivenUp(t *testing.T) {
	e, do := looked(t)
	do(core.CreateQuota{Path: "a"})
	_ = quotas(e.Ponder)
	for range mostUnread {
		e.aside.catchUp(e.reflectAside)
	}
	if e.aside.state == nil {
		t.Error("it is given up too soon")
	}
	e.aside.catchUp(e.reflectAside)
	if e.aside.state != nil || e.aside.news.wanted {
		t.Error("it is kept")
	}
	do(core.CreateQuota{Path: "b"})
	if n := quotas(e.Ponder); n != 2 {
		t.Errorf("the next who ponders sees %d quotas, not 2", n)
	}
}

// A panic of who ponders leaves a good state to the next.
func TestAPanicOfWhoPondersIsTheirOwn(t *testing.T) {
	e, do := looked(t)
	do(core.CreateQuota{Path: "a"})
	func() {
		defer func() { _ = recover() }()
		e.Ponder(func(s *fleet.State) { s.Quotas = nil; panic("a mistake") })
	}()
	if n := quotas(e.Ponder); n != 1 {
		t.Errorf("the next who ponders sees %d quotas, not 1", n)
	}
}

// Who may call is known while the state is busy with a decision, and it is what was decided last.
func TestWhoMayCallIsKnownWhileADecisionIsMade(t *testing.T) {
	e, do := looked(t)
	ada := fleet.Principal{Kind: fleet.UserPrincipal, Name: "ada"}
	known := func() (roles, tokens, ended int) {
		e.mu.Lock() // as a decision does
		defer e.mu.Unlock()
		e.Peek(func(s *fleet.State) { roles, tokens, ended = len(s.BindingsOf(ada)), len(s.Tokens), len(s.SignOffs) })
		return roles, tokens, ended
	}
	for _, one := range []struct {
		does                 core.Command
		roles, tokens, ended int
	}{
		{core.GrantRole{Subject: ada, Role: fleet.Viewer}, 1, 0, 0},
		{core.MakeToken{ID: "t1", Account: "robot", SHA256: strings.Repeat("0", 64), Until: e.o.Now().Add(time.Hour)}, 1, 1, 0},
		{core.EndSessions{User: "ada"}, 1, 1, 1},
		{core.RevokeToken{ID: "t1"}, 1, 0, 1},
		{core.RevokeRole{Subject: ada, Role: fleet.Viewer}, 0, 0, 1},
	} {
		do(one.does)
		if roles, tokens, ended := known(); roles != one.roles || tokens != one.tokens || ended != one.ended {
			t.Errorf("after %T: %d roles, %d tokens and %d ended sign-ins are known; want %d, %d and %d", one.does, roles, tokens, ended, one.roles, one.tokens, one.ended)
		}
	}
}

// The policy is known as soon.
func TestThePolicyIsKnownWhileADecisionIsMade(t *testing.T) {
	e, do := looked(t)
	policy := fleet.DefaultPolicy()
	policy.MaxGrace += time.Minute
	do(core.SetPolicy{Policy: policy})
	e.mu.Lock() // as a decision does
	defer e.mu.Unlock()
	e.Peek(func(s *fleet.State) {
		if s.Policy.MaxGrace != policy.MaxGrace {
			t.Errorf("the most grace is %v, not %v", s.Policy.MaxGrace, policy.MaxGrace)
		}
	})
}
