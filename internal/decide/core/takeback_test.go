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

// w7 could send w4 away, a guest in y's room. Then w2, which comes before w7, would take
// what w4 leaves, though w2 by itself may not send w4 away. So w7 waits behind w2.
func TestNobodyIsEvictedForWorkThatIsOutrankedAtOnce(t *testing.T) {
	st := contested(t)
	out := st.do(5*time.Minute, job("m", "w7", "t/y", fleet.Low, pool("w", 0, 8, 1)))
	for _, e := range out.Record.Events {
		if e.Kind() != (event.WorkloadSubmitted{}).Kind() {
			t.Errorf("the submit of w7 leads to %s %+v", e.Kind(), e)
		}
	}
	st.is("o", "w4", fleet.RunningW)
	st.is("m", "w7", fleet.Pending)
	st.idle(5 * time.Minute)
}

// What a turn takes back leaves nothing behind: the record says what happened, and
// leads another copy of the state to the same bytes.
func TestWhatIsTakenBackLeavesNoTrace(t *testing.T) {
	st := contested(t)
	copied := st.s.Clone()
	out := st.do(5*time.Minute, job("m", "w7", "t/y", fleet.Low, pool("w", 0, 8, 1)))
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
