package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

var (
	ops  = core.Actor{Name: "operator:ops", User: "ops", Operator: true}
	ada  = core.Actor{Name: "user:ada", User: "ada", Groups: []string{"oak-team"}}
	bob  = core.Actor{Name: "user:bob", User: "bob"}
	carl = core.Actor{Name: "user:carl", User: "carl"}
)

// asking is a fleet of 10 nodes: oak has 4 of them, elm (bob's) 4, 2 are unallocated.
func asking(t *testing.T) tale {
	st := smallFleet(t, 10)
	st.quota(0, "oak", 4, 0)
	st.quota(0, "elm", 4, 0)
	st.do(0, core.SetOwner{Path: "elm", Owner: "bob"}, core.SetOwner{Path: "oak", Owner: "oak-team"})
	return st
}

// by carries out a command for a person, which must be refused with words, or
// with "" must not be.
func (st tale) by(at time.Duration, who core.Actor, c core.Command, refused string) {
	st.t.Helper()
	before := st.s.Hash()
	_, refusal := core.Step(st.s, core.Request{Command: c, Actor: who, Reason: "why not"}, moment(at))
	switch {
	case refused == "" && refusal != nil:
		st.t.Fatalf("%s, %T: refused: %v", who.Name, c, refusal)
	case refused != "" && (refusal == nil || !strings.Contains(refusal.Error(), refused)):
		st.t.Fatalf("%s, %T: refused with %v, not %q", who.Name, c, refusal, refused)
	case refused != "" && st.s.Hash() != before:
		st.t.Fatalf("%s, %T was refused and changed something", who.Name, c)
	}
}

func (st tale) grants(want map[string]int) {
	st.t.Helper()
	for quota, gpus := range want {
		if got := st.s.Partition("t/g").Account(quota).Grant; got != gpus {
			st.t.Errorf("%s has %d GPUs, not %d", quota, got, gpus)
		}
	}
}

func TestWhatIsUnallocatedIsGrantedAtOnce(t *testing.T) {
	st := asking(t)
	st.by(time.Hour, ada, core.RequestQuota{Quota: "oak", Partition: "t/g", GPUs: 16}, "")
	st.by(time.Hour, ada, core.RequestQuota{Quota: "oak", Partition: "t/g", GPUs: 8}, "request 1 of user:ada for oak is still open")
	st.by(time.Hour, ada, core.AnswerRequest{ID: 1, Grant: true}, "AccessDenied")
	st.by(2*time.Hour, ops, core.AnswerRequest{ID: 1, Grant: true}, "")
	st.grants(map[string]int{"oak": 48, "elm": 32})
	st.by(2*time.Hour, ops, core.AnswerRequest{ID: 1, Grant: true}, "Stale")
	if r := st.s.Request(1); r.State != fleet.RequestGranted || r.AnsweredBy != ops.Name || r.Answer != "why not" {
		t.Errorf("it is kept as %+v", r)
	}
}

func TestWhatAnOwnerOffersIsTransferredAndTheRestGranted(t *testing.T) {
	st := asking(t)
	st.by(time.Hour, ada, core.RequestQuota{Quota: "oak", Partition: "t/g", GPUs: 32}, "")
	st.by(time.Hour, ops, core.AnswerRequest{ID: 1, Grant: true}, "Overpromise")
	st.by(time.Hour, carl, core.OfferQuota{ID: 1, From: "elm", GPUs: 16}, "does not answer for elm, whose owner is bob")
	st.by(time.Hour, bob, core.OfferQuota{ID: 1, From: "elm", GPUs: 40}, "elm has 32")
	st.by(time.Hour, bob, core.OfferQuota{ID: 1, From: "elm", GPUs: 16}, "")
	st.by(time.Hour, bob, core.OfferQuota{ID: 1, From: "elm", GPUs: 24}, "elm has 16")
	st.by(2*time.Hour, ops, core.AnswerRequest{ID: 1, Grant: true}, "")
	st.grants(map[string]int{"oak": 64, "elm": 16})
	st.idle(2 * time.Hour)
}

// TestARequestUntilAMomentIsGrantedUntilThen: it ends by itself, and what others would give for good is not offered.
func TestARequestUntilAMomentIsGrantedUntilThen(t *testing.T) {
	st := asking(t)
	st.by(time.Hour, ada, core.RequestQuota{Quota: "oak", Partition: "t/g", GPUs: 16, Until: moment(time.Hour)}, "would have ended already")
	st.by(time.Hour, ada, core.RequestQuota{Quota: "oak", Partition: "t/g", GPUs: 16, Until: moment(48 * time.Hour)}, "")
	st.by(time.Hour, bob, core.OfferQuota{ID: 1, From: "elm", GPUs: 8}, "what is offered moves for good")
	st.by(2*time.Hour, ops, core.AnswerRequest{ID: 1, Grant: true}, "")
	a := st.s.Partition("t/g").Account("oak")
	if a.Grant != 48 || a.Temporary.GPUs != 16 || a.Temporary.Until != moment(48*time.Hour) {
		t.Errorf("granted %d, of which %+v ends", a.Grant, a.Temporary)
	}
	st.by(3*time.Hour, ada, core.RequestQuota{Quota: "oak", Partition: "t/g", GPUs: 8, Until: moment(72 * time.Hour)}, "")
	st.by(3*time.Hour, ops, core.AnswerRequest{ID: 2, Grant: true}, "a grant has one end")
	st.do(48*time.Hour, core.Tick{})
	st.grants(map[string]int{"oak": 32, "elm": 32})
}

func TestAnOfferThatIsGoneGrantsNothing(t *testing.T) {
	st := asking(t)
	st.by(time.Hour, ada, core.RequestQuota{Quota: "oak", Partition: "t/g", GPUs: 32}, "")
	st.by(time.Hour, bob, core.OfferQuota{ID: 1, From: "elm", GPUs: 32}, "")
	st.do(time.Hour, core.SetGrant{Quota: "elm", Partition: "t/g", GPUs: 8})
	st.by(2*time.Hour, ops, core.AnswerRequest{ID: 1, Grant: true}, "32 GPUs cannot move from elm to oak")
	st.grants(map[string]int{"oak": 32, "elm": 8})
}

func TestAnOwnerLetsPeopleIn(t *testing.T) {
	st := asking(t)
	st.by(time.Hour, carl, core.RequestAccess{Quota: "elm", Access: fleet.Access{Users: []string{"carl"}}}, "open to everyone already")
	st.do(time.Hour, core.SetAccess{Path: "elm", Access: fleet.Access{Users: []string{"bob"}}})
	st.by(time.Hour, carl, core.RequestAccess{Quota: "elm", Access: fleet.Access{}}, "names no user, group or namespace")
	st.by(time.Hour, carl, core.RequestAccess{Quota: "elm", Access: fleet.Access{Users: []string{"carl"}}}, "")
	st.by(time.Hour, carl, core.AnswerRequest{ID: 1, Grant: true}, "AccessDenied")
	st.by(2*time.Hour, bob, core.AnswerRequest{ID: 1, Grant: true}, "")
	if !st.s.Quota("elm").Access.Allows("carl", nil, "") || !st.s.Quota("elm").Access.Allows("bob", nil, "") {
		t.Errorf("the list is %+v", st.s.Quota("elm").Access)
	}
}

func TestARequestIsDeclinedOrTakenBackAndKept(t *testing.T) {
	st := asking(t)
	st.by(time.Hour, ada, core.RequestQuota{Quota: "oak", Partition: "t/g", GPUs: 16}, "")
	st.by(time.Hour, bob, core.WithdrawRequest{ID: 1}, "only who asked takes it back")
	st.by(time.Hour, ada, core.WithdrawRequest{ID: 1}, "")
	st.by(time.Hour, ada, core.RequestQuota{Quota: "oak", Partition: "t/g", GPUs: 8}, "")
	st.by(2*time.Hour, ops, core.AnswerRequest{ID: 2}, "")
	st.grants(map[string]int{"oak": 32, "elm": 32})
	if len(st.s.Requests) != 2 || st.s.Requests[0].State != fleet.RequestWithdrawn || st.s.Requests[1].State != fleet.RequestDeclined {
		t.Errorf("kept: %+v, %+v", st.s.Requests[0], st.s.Requests[1])
	}
}

func TestSpareIsWhatWasNotUsedForLong(t *testing.T) {
	st := asking(t)
	st.do(time.Hour, job("elm", "w", "elm", fleet.Mid, pool("w", 0, 8, 3)))
	st.do(2*time.Hour, core.Cancel{Namespace: "elm", Name: "w"})
	st.leave(2*time.Hour, "elm", "w")
	elm := st.s.Partition("t/g").Account("elm")
	for _, at := range []struct {
		day   int
		spare int
	}{{1, 8}, {80, 8}, {100, 32}} {
		if got := elm.Spare(moment(time.Duration(at.day) * 24 * time.Hour)); got != at.spare {
			t.Errorf("on day %d elm can spare %d GPUs, not %d", at.day, got, at.spare)
		}
	}
}

// What one person asks for is bounded: requests stand in the log for ever, and a long list of names in each.
func TestRequestsOfOnePersonAreBounded(t *testing.T) {
	st := asking(t)
	st.do(0, core.SetAccess{Path: "elm", Access: fleet.Access{Groups: []string{"elm-team"}}})
	many := make([]string, 101)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	st.by(time.Hour, ada, core.RequestAccess{Quota: "elm", Access: fleet.Access{Users: many}}, "names 101 names")
	again := func(who core.Actor, at time.Duration) {
		st.by(at, who, core.RequestAccess{Quota: "elm", Access: fleet.Access{Users: many[:100]}}, "")
		st.by(at, who, core.WithdrawRequest{ID: st.s.LastRequest}, "")
	}
	for range 50 {
		again(ada, time.Hour)
	}
	st.by(time.Hour, ada, core.RequestAccess{Quota: "elm", Access: fleet.Access{Users: many[:1]}}, "50 requests within a day")
	again(carl, time.Hour)
	again(ada, 26*time.Hour)
	for range 60 {
		again(ops, 26*time.Hour)
	}
}
