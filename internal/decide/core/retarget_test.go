package core_test

import (
	"testing"
	"time"

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
