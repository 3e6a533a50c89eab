package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// tickTo lets time pass, alarm by alarm, and lists when which order was given again.
func (st story) tickTo(until time.Duration) (again []time.Duration) {
	st.t.Helper()
	for at := st.s.NextAlarm(); at <= fleet.Instant(until); at = st.s.NextAlarm() {
		out := st.do(time.Duration(at), core.Tick{})
		for _, e := range out.Record.Events {
			if o, ok := e.(event.ReplicasOverdue); ok {
				again = append(again, time.Duration(at))
				if o.Times < 1 || o.Again <= at {
					st.t.Fatalf("at %v: %+v", time.Duration(at), o)
				}
			}
		}
		for _, broken := range invariant.Check(st.s) {
			st.t.Fatalf("at %v: %v", time.Duration(at), broken)
		}
	}
	return again
}

func (st story) are(want map[string]fleet.WorkloadState) {
	st.t.Helper()
	for name, state := range want {
		for _, ns := range []string{"oak", "elm"} {
			if w := st.s.Workload(ns, name); w != nil && w.State != state {
				st.t.Fatalf("%s is %s, want %s", name, w.State, state)
			}
		}
	}
}

// silent is a story in which low was told at 10m to leave by 10m30s for high, and
// nothing is heard of it.
func silent(t *testing.T) story {
	st := oneNode(t)
	st.do(10*time.Minute, gang("high", "elm", "q", fleet.Mid, 1))
	st.are(map[string]fleet.WorkloadState{"high": fleet.Starting, "low": fleet.Evicting})
	return st
}

func same(t *testing.T, got []time.Duration, want ...time.Duration) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("the order was given again at %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("the order was given again at %v, want %v", got, want)
		}
	}
}

// expiry is when the first order of a silent story is due again: reports may be
// as late as those of a cluster that is not stale yet.
const expiry = 10*time.Minute + 30*time.Second + 5*time.Minute

func TestAVictimThatDoesNotLeaveIsToldAgainAndFreesNothing(t *testing.T) {
	st := silent(t)
	same(t, st.tickTo(5*time.Hour), expiry, expiry+10*time.Minute, expiry+30*time.Minute, expiry+70*time.Minute,
		expiry+130*time.Minute, expiry+190*time.Minute, expiry+250*time.Minute)
	st.are(map[string]fleet.WorkloadState{"high": fleet.Starting, "low": fleet.Evicting})
	low, high := st.s.Workload("oak", "low"), st.s.Workload("elm", "high")
	if o := low.Orders.All()[0]; o.For != high.ID || o.Until != fleet.Instant(10*time.Minute+30*time.Second) || o.Since != fleet.Instant(10*time.Minute) || o.Repeats != 7 {
		t.Fatalf("the order is %+v", o)
	}
	st.do(6*time.Hour, leavers(low))
	st.are(map[string]fleet.WorkloadState{"high": fleet.RunningW, "low": fleet.Pending})
	if len(low.Orders.All()) > 0 {
		t.Fatalf("orders are kept that are carried out: %+v", low.Orders.All())
	}
	same(t, st.tickTo(9*time.Hour))
}

func TestTheRoomOfACancelledOwnerGoesToTheNext(t *testing.T) {
	st := silent(t)
	st.do(11*time.Minute, gang("next", "elm", "q", fleet.Mid, 1))
	st.do(12*time.Minute, core.Cancel{Namespace: "elm", Name: "high"})
	st.are(map[string]fleet.WorkloadState{"next": fleet.Starting, "low": fleet.Evicting})
	same(t, st.tickTo(16*time.Minute), expiry)
	st.do(17*time.Minute, leavers(st.s.Workload("oak", "low")))
	st.are(map[string]fleet.WorkloadState{"next": fleet.RunningW, "low": fleet.Pending})
}

func TestACancelledVictimIsToldAgainToo(t *testing.T) {
	st := silent(t)
	st.do(11*time.Minute, core.Cancel{Namespace: "oak", Name: "low"})
	same(t, st.tickTo(16*time.Minute), expiry)
	st.are(map[string]fleet.WorkloadState{"high": fleet.Starting, "low": fleet.Cancelled})
	st.do(17*time.Minute, leavers(st.s.Workload("oak", "low")))
	st.are(map[string]fleet.WorkloadState{"high": fleet.RunningW})
}

func TestWorkThatMovesToAnotherTargetIsToldAgainToo(t *testing.T) {
	st := oneNode(t)
	st.do(10*time.Minute, core.Retarget{Namespace: "oak", Name: "low", Target: "q"})
	same(t, st.tickTo(16*time.Minute), expiry)
	low := st.s.Workload("oak", "low")
	if low.State != fleet.Evicting || low.Target != fleet.Flex {
		t.Fatalf("low is %s on %s, want on its way out of flex until it is reported gone", low.State, low.Target)
	}
	st.do(17*time.Minute, leavers(low))
	if low.State != fleet.RunningW || low.Target != "q" {
		t.Fatalf("low is %s on %s, want running on q", low.State, low.Target)
	}
	same(t, st.tickTo(2*time.Hour))
}

func TestARestartKeepsAnOrderAndItsExpiry(t *testing.T) {
	st := silent(t)
	for _, now := range []time.Duration{11 * time.Minute, expiry + time.Minute} {
		st.tickTo(now)
		data, err := st.s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		risen := st
		if risen.s, err = fleet.Decode(data); err != nil {
			t.Fatal(err)
		}
		until := now + 20*time.Minute
		same(t, risen.tickTo(until), story{t, st.s.Clone()}.tickTo(until)...)
		if again, _ := risen.s.Encode(); len(risen.s.Workload("oak", "low").Orders.All()) != 1 {
			t.Fatalf("after a restart the orders are gone: %s", again)
		}
	}
}

func TestAStaleClusterIsToldAgainWhenItReports(t *testing.T) {
	st := silent(t)
	st.do(11*time.Minute, core.StopReports{Cluster: "tiger"})
	same(t, st.tickTo(2*time.Hour))
	out := st.do(2*time.Hour, core.ResumeReports{Cluster: "tiger"})
	told := 0
	for _, e := range out.Record.Events {
		if o, ok := e.(event.ReplicasOverdue); ok && o.ID == st.s.Workload("oak", "low").ID {
			told++
		}
	}
	if told != 1 {
		t.Fatalf("when reports come again the order is given %d times, want once: %+v", told, out.Record.Events)
	}
	st.are(map[string]fleet.WorkloadState{"high": fleet.Starting})
}

func TestOnlyAFenceFreesTheRoomOfAVictimThatIsSilent(t *testing.T) {
	st := silent(t)
	st.tickTo(time.Hour)
	st.do(time.Hour, core.SetNodes{Names: []string{"tiger-h200-i1-001"}, State: fleet.Quarantined, Signal: "operator"})
	low := st.s.Workload("oak", "low")
	if low.State != fleet.Pending || low.GPUs() != 0 || len(low.Orders.All()) != 0 {
		t.Fatalf("low is %s with %d GPUs and orders %+v", low.State, low.GPUs(), low.Orders.All())
	}
	same(t, st.tickTo(3*time.Hour))
}
