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

// reportless is a tree of five nodes whose reports have stopped. When they come back, w14 could send w5 away, which
// borrows. w8 then grows, so w14 borrows, and w15 would take its room.
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

// w15 is more important than w5 and takes its room itself, so w5 is not told to leave for w14,
// which would get nothing.
func TestNobodyIsEvictedForWorkThatIsOutrankedAtOnce(t *testing.T) {
	st := reportless(t)
	out := st.do(6*time.Minute, core.ResumeReports{Cluster: "t"})
	for _, e := range out.Record.Events {
		if e, is := e.(event.ReplicasEvicted); is && e.For != st.s.Workload("m", "w15").ID {
			t.Errorf("evicted: %+v", e)
		}
	}
	st.is("o", "w5", fleet.Evicting)
	st.is("m", "w15", fleet.Starting)
	st.is("o", "w14", fleet.Pending)
	st.idle(6 * time.Minute)
}

// What a turn takes back leaves nothing behind: the record says what happened, and
// leads another copy of the state to the same bytes.
func TestWhatIsTakenBackLeavesNoTrace(t *testing.T) {
	st := reportless(t)
	copied := st.s.Clone()
	out := st.do(6*time.Minute, core.ResumeReports{Cluster: "t"})
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
