package core

import (
	"testing"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A sign-in is ended with those that began before it, by its person or an admin.
func TestSignInsAreEnded(t *testing.T) {
	s := fleet.NewState()
	ada := Actor{Name: "user:ada", User: "ada", Principal: fleet.Principal{Kind: fleet.UserPrincipal, Name: "ada"}}
	end := func(by Actor, c EndSessions, at fleet.Instant) *Refusal {
		_, refusal := Step(s, Request{Command: c, Actor: by}, at)
		return refusal
	}
	if refusal := end(ada, EndSessions{User: "bob"}, 10); refusal == nil || refusal.Code != AccessDenied {
		t.Errorf("ada ends bob's: %v", refusal)
	}
	if refusal := end(ada, EndSessions{User: "ada", Session: "session:ABC"}, 10); refusal != nil {
		t.Error(refusal)
	}
	for what, c := range map[string]struct {
		user, session string
		began         fleet.Instant
		want          bool
	}{
		"the one":             {"ada", "session:ABC", 9, true},
		"another of hers":     {"ada", "session:DEF", 9, false},
		"one of its name":     {"bob", "session:ABC", 9, false},
		"one that came later": {"ada", "session:ABC", 11, false},
	} {
		if got := s.SignedOff(c.user, c.session, c.began); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
	if refusal := end(admin(fleet.UserPrincipal, "amy"), EndSessions{User: "ada"}, 20); refusal != nil {
		t.Error(refusal)
	}
	if !s.SignedOff("ada", "session:DEF", 20) || s.SignedOff("ada", "session:DEF", 21) {
		t.Error("all of hers that began before are ended, and no later one")
	}
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := fleet.Decode(data)
	if err != nil || again.Hash() != s.Hash() || s.Clone().Hash() != s.Hash() {
		t.Errorf("the state does not come back: %v", err)
	}
}
