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

// parted is a quota of three nodes in three islands, all in use by spread. pair waits for two nodes in one piece. Island k has
// them, but backs the quota with one: each island's own share is less than its nodes.
func parted(t *testing.T) tale {
	st := smallFleet(t, 1, 1, 2)
	st.do(0, core.SetPolicy{Policy: fleet.DefaultPolicy()})
	st.quota(0, "q", 3, 0)
	spread := pool("w", 0, 8, 3)
	spread.Reach = fleet.ReachAny
	st.do(1*time.Minute, job("n", "spread", "q", fleet.Mid, spread))
	st.do(2*time.Minute, job("n", "pair", "q", fleet.Critical, pool("w", 0, 8, 2), pool("g", 0, 8, 1)))
	st.is("n", "pair", fleet.Pending)
	return st
}

// one could send spread away. Then idle backing would move into k, and pair would take one's room. So pair sends spread away
// itself: spread is not told to leave for work that would get nothing.
func TestNoWorkIsEvictedForWorkThatIsOutrankedAtOnce(t *testing.T) {
	st := parted(t)
	out := st.do(3*time.Minute, job("n", "one", "q", fleet.High, pool("w", 0, 8, 1)))
	for _, e := range out.Record.Events {
		if e, is := e.(event.ReplicasEvicted); is && e.For != st.s.Workload("n", "pair").ID {
			t.Errorf("evicted: %+v", e)
		}
	}
	st.is("n", "spread", fleet.Evicting)
	st.is("n", "pair", fleet.Starting)
	st.is("n", "one", fleet.Pending)
	st.idle(3 * time.Minute)
}

// What a turn takes back leaves nothing behind: the record says what happened, and
// leads another copy of the state to the same bytes.
func TestWhatIsTakenBackLeavesNoTrace(t *testing.T) {
	st := parted(t)
	copied := st.s.Clone()
	out := st.do(3*time.Minute, job("n", "one", "q", fleet.High, pool("w", 0, 8, 1)))
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

// When reports come back, w14 sends w5 away, which borrows: it fits its quota's backing. w8 does not grow into what is
// left: w14 would borrow then, and w15 would take its room. w15 could only borrow, and waits.
func TestGrowthLeavesWorkItsQuotasBacking(t *testing.T) {
	st := smallFleet(t, 5)
	st.quota(0, "t/x", 3, 0)
	st.quota(0, "t/y", 2, 0)
	st.do(1*time.Minute, job("o", "w5", "t/y", fleet.Mid, pool("w", 0, 8, 3)))
	st.do(2*time.Minute, core.StopReports{Cluster: "t"})
	st.do(3*time.Minute, job("m", "w8", "t/x", fleet.Mid, elastic("w", 0, 8, 1, 2)))
	st.do(4*time.Minute, job("o", "w14", "t/x", fleet.Low, pool("w", 0, 4, 3)))
	st.do(5*time.Minute, job("m", "w15", "t/y", fleet.Critical, pool("w", 0, 8, 3)))
	st.do(6*time.Minute, core.ResumeReports{Cluster: "t"})
	st.is("o", "w5", fleet.Evicting)
	st.is("o", "w14", fleet.Starting)
	st.is("m", "w15", fleet.Pending)
	if gpus := st.s.Workload("m", "w8").GPUs(); gpus != 8 {
		t.Errorf("w8 has %d GPUs, want 8", gpus)
	}
	st.idle(6 * time.Minute)
}

// spread is a pool of whole nodes that stand anywhere.
func spread(rank, nodes int) fleet.Pool {
	p := pool("w", rank, 8, nodes)
	p.Reach = fleet.ReachAny
	return p
}

// first comes free with three nodes. second starts on two of them, and turns single into work that borrows. third may send that
// away, and then the head could start at the cost of them all. So third makes way, which comes last, and not second.
func TestWhatIsGivenLastMakesWay(t *testing.T) {
	st := smallFleet(t, 4)
	st.quota(0, "t", 3, 0)
	st.quota(0, "t/x", 1, 0)
	st.do(1*time.Minute, job("n", "first", "t", fleet.Mid, spread(0, 3)))
	st.do(2*time.Minute, job("n", "head", "t/x", fleet.Critical, spread(0, 4)))
	st.do(3*time.Minute, job("n", "second", "t/x", fleet.Critical, spread(1, 2)))
	st.do(4*time.Minute, job("n", "third", "t/x", fleet.High, spread(0, 2)))
	st.do(5*time.Minute, job("n", "single", "t/x", fleet.Mid, spread(0, 1)))
	st.do(6*time.Minute, core.ReportFinished{ID: st.workload("first").ID})
	st.is("n", "second", fleet.RunningW)
	st.is("n", "single", fleet.RunningW)
	st.is("n", "head", fleet.Pending)
	st.is("n", "third", fleet.Pending)
	st.idle(6 * time.Minute)
}

// newest could send away single, which has run for less time than pair. But then the head could start at the cost of pair and newest:
// it leaves single alone, which its quota's backing takes as soon as pair is gone. So newest sends away pair, and stands.
func TestWhoLosesItsRoomAtOnceTakesDearerWork(t *testing.T) {
	st := smallFleet(t, 4)
	st.quota(0, "t/x", 1, 0)
	st.do(1*time.Minute, job("n", "pair", "t/x", fleet.Mid, spread(0, 2)))
	st.do(2*time.Minute, job("n", "head", "t/x", fleet.Critical, spread(0, 4)))
	st.do(3*time.Minute, job("n", "single", "t/x", fleet.Mid, spread(0, 1)))
	st.do(4*time.Minute, core.SetGrant{Quota: "t", Partition: "t/g", GPUs: 24, Overcommit: true})
	st.do(5*time.Minute, job("n", "newest", "t/x", fleet.Critical, spread(1, 2)))
	st.is("n", "pair", fleet.Evicting)
	st.is("n", "newest", fleet.Starting)
	st.is("n", "single", fleet.RunningW)
	st.is("n", "head", fleet.Pending)
	st.idle(5 * time.Minute)
	st.leave(6*time.Minute, "n", "pair")
	st.is("n", "newest", fleet.RunningW)
	st.is("n", "single", fleet.RunningW)
	st.idle(6 * time.Minute)
}

// When reports come back, low has made room for first, and two nodes more are free. The other pool of first takes one of them once first
// runs, so second makes way for it, and grows takes the last node. Then second would take what grows has got, so grows makes way
// in its turn. The decision goes back to before first had started. So second makes way for that pool again.
func TestWhoMadeWayDoesSoAgain(t *testing.T) {
	st := smallFleet(t, 3, 2)
	st.quota(0, "t/y", 3, 0)
	st.quota(0, "t/x", 2, 0)
	st.do(1*time.Minute, job("n", "filler", "t/x", fleet.Critical, spread(0, 1)))
	st.do(2*time.Minute, job("n", "low", "t/x", fleet.Low, spread(0, 1)))
	st.do(3*time.Minute, job("n", "stays", "t/y", fleet.Mid, spread(0, 1)))
	st.do(4*time.Minute, job("n", "ends", "t/y", fleet.Mid, spread(0, 1)))
	st.do(5*time.Minute, job("n", "grows", "t/x", fleet.Mid, elastic("w", 0, 8, 1, 2)))
	st.do(6*time.Minute, job("n", "first", "t/x", fleet.Critical, spread(0, 1), pool("other", 1, 8, 1)))
	st.is("n", "low", fleet.Evicting)
	st.do(7*time.Minute, core.StopReports{Cluster: "t"}, core.Cancel{Namespace: "n", Name: "low"},
		core.ReportFinished{ID: st.workload("filler").ID}, core.ReportFinished{ID: st.workload("ends").ID})
	st.leave(8*time.Minute, "n", "low")
	st.do(9*time.Minute, job("n", "second", "t/x", fleet.High, spread(0, 1)))
	st.is("n", "first", fleet.Starting)
	st.is("n", "second", fleet.Pending)
	st.do(10*time.Minute, core.ResumeReports{Cluster: "t"})
	st.is("n", "second", fleet.RunningW)
	for name, gpus := range map[string]int{"first": 16, "second": 8, "grows": 8} {
		if got := st.workload(name).GPUs(); got != gpus {
			t.Errorf("%s has %d GPUs, want %d", name, got, gpus)
		}
	}
	st.idle(10 * time.Minute)
}
