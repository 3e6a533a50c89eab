package core_test

import (
	"slices"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Work that is sent where it is already stays as it is; on its way elsewhere it is called back.
func TestWorkIsSentElsewhereOnce(t *testing.T) {
	st := smallFleet(t, 4)
	st.quota(0, "oak", 2, 0)
	st.quota(0, "elm", 2, 0)
	st.do(time.Minute, job("ns", "w", "oak", fleet.Mid, pool("p", 0, 8, 1)))
	w := st.s.Workload("ns", "w")
	st.is("ns", "w", fleet.RunningW)
	send := func(at time.Duration, target, partition string) int {
		return len(st.do(at, core.Retarget{Namespace: "ns", Name: "w", Target: target, Partition: partition}).Record.Events)
	}
	if n := send(2*time.Minute, "oak", w.Partition); n != 0 || w.Moves != nil {
		t.Errorf("sent where it is, %d things happened", n)
	}
	if n := send(3*time.Minute, "elm", ""); n == 0 || w.Moves == nil || w.State != fleet.Evicting {
		t.Fatalf("sent to another quota, %d things happened, and it is %s", n, w.State)
	}
	if n := send(4*time.Minute, "oak", ""); n == 0 {
		t.Error("on its way to elm, it cannot be called back to oak")
	}
	st.leave(5*time.Minute, "ns", "w")
	if w.Target != "oak" || w.State != fleet.RunningW {
		t.Errorf("called back, it is %s of %s", w.State, w.Target)
	}
	if n := send(6*time.Minute, "oak", "t/g"); n == 0 {
		t.Error("a partition of its own is nothing new")
	}
}

// moved is a story in which r runs on all four nodes, on flex, and is sent to q at 1m; it leaves by 2m. late is
// as important as r, and was submitted meanwhile.
func moved(t *testing.T) (st tale, r, late *fleet.Workload) {
	st = smallFleet(t, 4)
	st.quota(0, "q", 4, 0)
	st.do(0, graceful("r", fleet.Flex, pool("w", 0, 8, 4)))
	st.is("ns", "r", fleet.RunningW)
	st.do(time.Minute, core.Retarget{Namespace: "ns", Name: "r", Target: "q"})
	st.do(time.Minute+time.Second, job("ns", "late", "q", fleet.Mid, pool("w", 0, 8, 1)))
	return st, st.s.Workload("ns", "r"), st.s.Workload("ns", "late")
}

func graceful(name, target string, pools ...fleet.Pool) core.Submit {
	c := job("ns", name, target, fleet.Mid, pools...)
	c.Spec.Grace = time.Minute
	return c
}

func TestWorkOnItsWayToAnotherQuotaKeepsItsPlace(t *testing.T) {
	st, r, late := moved(t)
	st.is("ns", "r", fleet.Evicting)
	st.is("ns", "late", fleet.Pending)
	if why := explain.Why(st.s, late, st.s.Time); why[0].Code != reason.Behind || !slices.Equal(why[0].Culprits, []string{"ns/r"}) {
		t.Errorf("late waits for %v", why)
	}
	st.do(time.Minute+2*time.Second, job("ns", "first", "q", fleet.High, pool("w", 0, 8, 1)))
	st.do(time.Minute+2*time.Second, core.Cancel{Namespace: "ns", Name: "first"})
	st.leave(2*time.Minute, "ns", "r")
	st.is("ns", "r", fleet.RunningW)
	st.is("ns", "late", fleet.Pending)
	if r.Target != "q" || r.HeldAs() != fleet.HoldsGuaranteed {
		t.Errorf("r is %v of %s", r.HeldAs(), r.Target)
	}
}

// Who is more important does not wait for it where it would not start at once.
func TestMoreImportantWorkPassesWorkOnItsWay(t *testing.T) {
	st, _, _ := moved(t)
	st.do(time.Minute+2*time.Second, job("ns", "first", "q", fleet.High, pool("w", 0, 8, 1)))
	st.is("ns", "first", fleet.Starting)
}

func TestThePlaceOfWorkOnItsWayEndsWithIt(t *testing.T) {
	st, _, _ := moved(t)
	st.do(time.Minute+2*time.Second, core.Cancel{Namespace: "ns", Name: "r"})
	st.is("ns", "late", fleet.Starting)

	st, _, _ = moved(t)
	st.do(time.Minute+2*time.Second, core.Retarget{Namespace: "ns", Name: "r", Target: fleet.Flex})
	st.is("ns", "late", fleet.Starting)
}

// Of a quota that is granted nothing yet, work on its way has its place from the first grant on.
func TestWorkOnItsWayHasItsPlaceFromTheFirstGrantOn(t *testing.T) {
	st := smallFleet(t, 4)
	st.do(0, core.CreateQuota{Path: "q"})
	st.do(0, graceful("r", fleet.Flex, pool("w", 0, 8, 4)))
	st.do(time.Minute, core.Retarget{Namespace: "ns", Name: "r", Target: "q"})
	st.do(time.Minute+time.Second, job("ns", "late", "q", fleet.Mid, pool("w", 0, 8, 1)))
	st.do(time.Minute+2*time.Second, core.SetGrant{Quota: "q", Partition: "t/g", GPUs: 32})
	st.is("ns", "late", fleet.Pending)
	st.leave(2*time.Minute, "ns", "r")
	st.is("ns", "r", fleet.RunningW)
}

// Between quotas of two trees: it has its place where it goes, and none where it was.
func TestWorkBetweenQuotasHasItsPlaceWhereItGoes(t *testing.T) {
	st := smallFleet(t, 4)
	st.quota(0, "oak", 2, 0)
	st.quota(0, "elm", 2, 0)
	st.do(0, graceful("r", "oak", pool("w", 0, 8, 2)))
	st.do(time.Minute, core.Retarget{Namespace: "ns", Name: "r", Target: "elm"})
	st.do(time.Minute+time.Second, job("ns", "left", "oak", fleet.Mid, pool("w", 0, 8, 1)))
	st.do(time.Minute+time.Second, job("ns", "low", "elm", fleet.Low, pool("w", 0, 8, 1)))
	if st.state("ns", "left") == fleet.Pending {
		t.Error("what r leaves waits for r")
	}
	st.is("ns", "low", fleet.Pending)
	st.leave(2*time.Minute, "ns", "r")
	st.is("ns", "r", fleet.RunningW)
}

// A pool that could grow leaves the room to work that is on its way to its quota.
func TestGrowthLeavesRoomToWorkOnItsWay(t *testing.T) {
	st := smallFleet(t, 6)
	st.quota(0, "q", 4, 0)
	st.do(0, graceful("r", fleet.Flex, pool("w", 0, 8, 3)))
	st.do(time.Minute, core.Retarget{Namespace: "ns", Name: "r", Target: "q"})
	st.do(time.Minute+time.Second, job("ns", "engines", "q", fleet.Mid, elastic("w", 0, 8, 1, 4)))
	if e := st.s.Workload("ns", "engines"); e.GPUs() != 8 {
		t.Errorf("engines have %d GPUs", e.GPUs())
	}
	st.leave(2*time.Minute, "ns", "r")
	st.is("ns", "r", fleet.RunningW)
}

// It has no place where it may not stand: another partition was named.
func TestWorkOnItsWayElsewhereHoldsNoPlaceHere(t *testing.T) {
	st := smallFleet(t, 4)
	st.do(0, core.AddPartition{Cluster: "t", GPU: "h", GPUsPerNode: 8})
	st.quota(0, "q", 4, 0)
	st.do(0, graceful("r", fleet.Flex, pool("w", 0, 8, 4)))
	st.do(time.Minute, core.Retarget{Namespace: "ns", Name: "r", Target: "q", Partition: "t/h"})
	st.do(time.Minute+time.Second, job("ns", "late", "q", fleet.Mid, pool("w", 0, 8, 1)))
	st.is("ns", "late", fleet.Starting)
}

// Work that is retargeted to flex comes before younger work there, of its own namespace and of others with as much flex, though
// that finds free room; what is more important takes it.
func TestWorkOnItsWayToFlexKeepsItsPlace(t *testing.T) {
	for _, c := range []struct {
		namespace string
		priority  fleet.Priority
		starts    bool
	}{{"ns", fleet.Mid, false}, {"other", fleet.Mid, false}, {"ns", fleet.High, true}} {
		st := smallFleet(t, 3)
		st.quota(0, "oak", 1, 0)
		st.do(0, graceful("r", "oak", pool("w", 0, 8, 1)))
		st.do(0, job("fill", "full", fleet.Flex, fleet.Critical, pool("w", 0, 8, 2)))
		st.do(time.Minute, core.Retarget{Namespace: "ns", Name: "r", Target: fleet.Flex})
		st.do(time.Minute+time.Second, job(c.namespace, "late", fleet.Flex, c.priority, pool("w", 0, 8, 1)))
		if got := st.state(c.namespace, "late") != fleet.Pending; got != c.starts {
			t.Errorf("%v work of %s starts: %v", c.priority, c.namespace, got)
		}
		late := st.s.Workload(c.namespace, "late")
		if why := explain.Why(st.s, late, st.s.Time); !c.starts && (why[0].Code != reason.Behind || !slices.Equal(why[0].Culprits, []string{"ns/r"})) {
			t.Errorf("it waits for %v", why)
		}
		st.leave(2*time.Minute, "ns", "r")
		if got := st.state("ns", "r") == fleet.RunningW; got == c.starts {
			t.Errorf("beside %v work of %s it runs: %v", c.priority, c.namespace, got)
		}
	}
}
