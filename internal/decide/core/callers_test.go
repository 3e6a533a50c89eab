package core_test

import (
	"testing"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A copy of who may call is renewed exactly where a command has changed it.
func TestWhatChangesCallersIsKnown(t *testing.T) {
	st := smallFleet(t, 1)
	ada := fleet.Principal{Kind: fleet.UserPrincipal, Name: "ada"}
	policy := fleet.DefaultPolicy()
	policy.SecondPerson = true
	for _, c := range []struct {
		command core.Command
		changes bool
	}{
		{core.GrantRole{Subject: ada, Role: fleet.Researcher}, true},
		{core.RevokeRole{Subject: ada, Role: fleet.Researcher}, true},
		{core.EndSessions{User: "ada"}, true},
		{core.SetPolicy{Policy: policy}, true},
		{core.CreateQuota{Path: "oak"}, false},
	} {
		was := st.s.Callers()
		out, refusal := core.Step(st.s, core.Request{Command: c.command, Actor: ops, Reason: "r"}, moment(1))
		if refusal != nil {
			t.Fatalf("%T: %v", c.command, refusal)
		}
		is := st.s.Callers()
		was.Seq, was.Time = is.Seq, is.Time
		if known := knows(out.Record.Events); known != c.changes || known != (was.Hash() != is.Hash()) {
			t.Errorf("%T changes who may call: %v, want %v; the copy differs: %v", c.command, known, c.changes, was.Hash() != is.Hash())
		}
	}
}

func knows(events []event.Event) bool {
	for _, e := range events {
		if core.ChangesCallers(e) {
			return true
		}
	}
	return false
}
