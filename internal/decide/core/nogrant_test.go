package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// noGrant ends x's grant.
var noGrant = core.SetGrant{Quota: "t/x", Partition: "t/g", None: true}

// TestAGrantThatIsNoMoreGoesWithTheLastOfItsWork: what stands there runs on, what
// waits may not borrow there, and the quota has nothing in the partition once the last of it has left.
func TestAGrantThatIsNoMoreGoesWithTheLastOfItsWork(t *testing.T) {
	st := smallFleet(t, 4)
	st.quota(0, "t/x", 2, 0)
	st.quota(0, "t/y", 2, 0)
	st.do(time.Minute, job("ns", "stands", "t/x", fleet.Mid, pool("p", 0, 8, 2)))
	st.do(2*time.Minute, noGrant, job("ns", "waits", "t/x", fleet.Mid, pool("p", 0, 8, 1)))
	st.is("ns", "stands", fleet.RunningW)
	p := st.s.Partition("t/g")
	if a := p.Account("t/x"); a == nil || a.Grant != 0 || a.BackedGPUs() != 0 || len(a.Queue()) != 0 {
		t.Fatalf("the account is %+v", a)
	}
	if broken := invariant.Check(st.s); len(broken) > 0 {
		t.Fatal(broken)
	}
	st.do(3*time.Minute, core.Cancel{Namespace: "ns", Name: "stands"})
	st.leave(4*time.Minute, "ns", "stands")
	if a := p.Account("t/x"); a != nil {
		t.Fatalf("nothing stands any more, and the account is %+v", a)
	}
	st.is("ns", "waits", fleet.Pending)
	st.idle(5 * time.Minute)
	if broken := invariant.Check(st.s); len(broken) > 0 {
		t.Fatal(broken)
	}
	if _, refusal := core.Step(st.s, core.Request{Command: noGrant, Actor: core.System}, moment(6*time.Minute)); refusal == nil || refusal.Code != core.NothingToDo {
		t.Errorf("what is no more ends again: %v", refusal)
	}
	st.do(7*time.Minute, core.SetGrant{Quota: "t/x", Partition: "t/g", GPUs: 8})
	st.is("ns", "waits", fleet.RunningW)
}

// TestAGrantIsGivenAgainWhileItEnds: a grant that is given again is one as any other.
func TestAGrantIsGivenAgainWhileItEnds(t *testing.T) {
	st := smallFleet(t, 2)
	st.quota(0, "t/x", 1, 0)
	st.do(time.Minute, job("ns", "stands", "t/x", fleet.Mid, pool("p", 0, 8, 1)), noGrant, job("ns", "waits", "t/x", fleet.Mid, pool("p", 0, 8, 1)))
	st.do(2*time.Minute, core.SetGrant{Quota: "t/x", Partition: "t/g", GPUs: 16})
	st.is("ns", "stands", fleet.RunningW)
	st.is("ns", "waits", fleet.RunningW)
	if broken := invariant.Check(st.s); len(broken) > 0 {
		t.Fatal(broken)
	}
}

// TestAGrantUntilADayLeavesNoneWhereThereWasNone: a quota that had nothing before has nothing after, and one that had a
// grant of 0 may still borrow.
func TestAGrantUntilADayLeavesNoneWhereThereWasNone(t *testing.T) {
	st := smallFleet(t, 4)
	st.do(0, core.CreateQuota{Path: "t/x"}, core.CreateQuota{Path: "t/y"}, core.SetGrant{Quota: "t/y", Partition: "t/g"})
	for _, quota := range []string{"t/x", "t/y"} {
		st.do(time.Minute, core.SetGrant{Quota: quota, Partition: "t/g", GPUs: 8, Until: moment(time.Hour)})
		st.do(2*time.Minute, core.SetGrant{Quota: quota, Partition: "t/g", GPUs: 16, Until: moment(2 * time.Hour)})
	}
	tick(t, st.s, 2*time.Hour)
	p := st.s.Partition("t/g")
	if p.Account("t/x") != nil || p.Account("t/y") == nil {
		t.Errorf("left are %v and %v", p.Account("t/x"), p.Account("t/y"))
	}
	st.idle(3 * time.Hour)
}
