package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// contested is a tree of two quotas of two nodes each, in which y's guest w2 was sent
// away by x's own work, and waits for two nodes of y in one piece.
func contested(t *testing.T) tale {
	st := smallFleet(t, 4)
	st.quota(0, "t/x", 2, 0)
	st.quota(0, "t/y", 2, 0)
	st.do(1*time.Minute, job("o", "w1", "t/y", fleet.Mid, pool("w", 0, 1, 1)))
	st.do(2*time.Minute, job("o", "w2", "t/y", fleet.Mid, pool("w", 0, 8, 2)))
	st.do(3*time.Minute, job("o", "w4", "t/x", fleet.Mid, pool("w", 0, 8, 2)))
	st.leave(3*time.Minute+time.Second, "o", "w2")
	st.do(4*time.Minute, job("m", "w5", "t/x", fleet.Critical, pool("w", 0, 8, 1)))
	return st
}

// w7 sends w4 away, a guest in y's room. w2 comes before w7, but it would only borrow, so it
// takes nothing of w7's (decision record 0023): no work is evicted for work that gets nothing.
func TestWhoIsEvictedForWorkLeavesItTheRoom(t *testing.T) {
	st := contested(t)
	st.do(5*time.Minute, job("m", "w7", "t/y", fleet.Low, pool("w", 0, 8, 1)))
	st.is("o", "w4", fleet.Evicting)
	st.is("m", "w7", fleet.Starting)
	st.is("o", "w2", fleet.Pending)
	st.idle(5 * time.Minute)
}

// reportless is a tree of five nodes whose reports have stopped. When they come back, w14 can send w5 away, which
// borrows. If w8 then grew, w14 would only borrow too, and w15 could take its room.
func reportless(t *testing.T) tale {
	st := smallFleet(t, 5)
	st.quota(0, "t/x", 3, 0)
	st.quota(0, "t/y", 2, 0)
	st.do(1*time.Minute, job("o", "w5", "t/y", fleet.Mid, pool("w", 0, 8, 3)))
	st.do(2*time.Minute, core.StopReports{Cluster: "t"})
	st.do(3*time.Minute, job("m", "w8", "t/x", fleet.Mid, elastic("w", 0, 8, 1, 2)))
	st.do(4*time.Minute, job("o", "w14", "t/x", fleet.Low, pool("w", 0, 4, 3)))
	st.do(5*time.Minute, job("m", "w15", "t/y", fleet.Critical, pool("w", 0, 8, 3)))
	return st
}

// w15 could only borrow, so w8 does not grow for it: w14, which is guaranteed, would lose its
// backing to surplus and its room to w15.
func TestGrowthPushesNobodyOutForWorkThatWaits(t *testing.T) {
	st := reportless(t)
	st.do(6*time.Minute, core.ResumeReports{Cluster: "t"})
	st.is("o", "w5", fleet.Evicting)
	st.is("o", "w14", fleet.Starting)
	st.is("m", "w15", fleet.Pending)
	if n := st.s.Workload("m", "w8").Stays(0); n != 1 {
		t.Errorf("w8 has %d replicas, want 1", n)
	}
	st.idle(6 * time.Minute)
}

// followed is a tree of six nodes, all of them w1's, which borrows. w4 and w13 of y wait for room to borrow.
func followed(t *testing.T) tale {
	st := smallFleet(t, 6)
	st.quota(0, "t/x", 4, 0)
	st.quota(0, "t/y", 2, 0)
	st.do(1*time.Minute, job("n", "w1", "t/x", fleet.High, pool("w", 0, 8, 2), pool("g", 0, 8, 4)))
	st.do(2*time.Minute, job("o", "w4", "t/y", fleet.Mid, pool("w", 0, 8, 3)))
	st.do(3*time.Minute, job("o", "w13", "t/y", fleet.Mid, pool("w", 0, 6, 3)))
	return st
}

// w16 is guaranteed, and could send w1 away. Then w4 and w13 could borrow what else w1 leaves, and they
// come before w16 and would take its room: w1 is not told to leave for work that gets nothing.
func TestNobodyIsEvictedForWorkThatIsOutrankedAtOnce(t *testing.T) {
	st := followed(t)
	out := st.do(4*time.Minute, job("n", "w16", "t/y", fleet.Low, pool("w", 0, 8, 1)))
	for _, e := range out.Record.Events {
		if e, is := e.(event.ReplicasEvicted); is {
			t.Errorf("evicted: %+v", e)
		}
	}
	st.is("n", "w1", fleet.RunningW)
	st.is("n", "w16", fleet.Pending)
	st.idle(4 * time.Minute)
}

// What a turn takes back leaves nothing behind: the record says what happened, and
// leads another copy of the state to the same bytes.
func TestWhatIsTakenBackLeavesNoTrace(t *testing.T) {
	st := followed(t)
	copied := st.s.Clone()
	out := st.do(4*time.Minute, job("n", "w16", "t/y", fleet.Low, pool("w", 0, 8, 1)))
	core.ApplyRecord(copied, out.Record)
	if copied.Hash() != st.s.Hash() {
		a, _ := copied.Encode()
		b, _ := st.s.Encode()
		t.Errorf("the record leads to\n%s\nand the decision left\n%s", a, b)
	}
	if again := st.s.Clone(); again.Hash() != st.s.Hash() {
		t.Error("a rebuilt copy differs")
	}
}
