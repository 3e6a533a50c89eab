package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/invariant"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// The hard cases: situations in which plausible readings of the rules went wrong
// when they were tried on small random fleets. Nodes have 8 GPUs; buffer 0.

// holds asks every invariant of the tale's state.
func (st tale) holds() {
	st.t.Helper()
	for _, b := range invariant.Check(st.s) {
		st.t.Error(b)
	}
}

// pass lets time pass up to a moment: victims are gone when their grace ends,
// alarms ring. It returns the evictions on the way.
func (st tale) pass(until time.Duration) (evictions []event.ReplicasEvicted) {
	st.t.Helper()
	for {
		at, c := st.next()
		if at > moment(until) {
			break
		}
		out := st.do(max(at, st.s.Time).Sub(moment(0)), c)
		for _, e := range out.Record.Events {
			if e, ok := e.(event.ReplicasEvicted); ok {
				evictions = append(evictions, e)
			}
		}
		st.holds()
		st.idle(max(at, st.s.Time).Sub(moment(0)))
	}
	st.do(until, core.Tick{})
	st.holds()
	return evictions
}

// next is what happens next by itself: the first victim whose grace is over, or
// an alarm.
func (st tale) next() (fleet.Instant, core.Command) {
	at, id := st.s.NextAlarm(), uint64(0)
	var c core.Command = core.Tick{}
	for _, w := range st.s.Workloads {
		leaving := w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })
		if len(leaving) > 0 && (w.GraceEnds < at || w.GraceEnds == at && w.ID < id) {
			at, id, c = w.GraceEnds, w.ID, core.ReportStopped{ID: w.ID, Spots: leaving}
		}
	}
	return at, c
}

func (st tale) workload(name string) *fleet.Workload { return st.s.Workload("n", name) }

func (st tale) partition() *fleet.Partition { return st.s.Partition("t/g") }

func (st tale) backing(quota string) []int {
	return append([]int(nil), st.partition().Account(quota).Backing...)
}

// in gives a submission a place and a name of its own.
func in(namespace string, c core.Submit) core.Submit {
	c.Spec.Namespace = namespace
	return c
}

// 1. Tree t, quotas x and y. t/y backs 1 node and runs w0 (24 GPUs, low,
// borrowing) and then w10 (3 GPUs, counted after w0, so borrowing too). t/x's w16
// (6 nodes, mid, borrowing) needs both gone. With w0 gone w10 would be guaranteed,
// so it is no borrower; w16 must do without it or wait, and the two take no turns.
func TestHardCase01BorrowersThatTakeTurns(t *testing.T) {
	st := smallFleet(t, 6)
	st.quota(0, "t/x", 5, 0)
	st.quota(0, "t/y", 1, 0)
	st.do(0, job("n", "w0", "t/y", fleet.Low, pool("w", 0, 8, 3)),
		job("n", "w10", "t/y", fleet.Low, pool("w", 0, 3, 1)),
		job("n", "w16", "t/x", fleet.Mid, pool("w", 0, 8, 6)))
	evictions := st.pass(24 * time.Hour)
	if len(evictions) > 2 {
		t.Errorf("%d evictions, want at most that of w0: %+v", len(evictions), evictions)
	}
	if w10 := st.workload("w10"); w10.Evictions > 1 {
		t.Errorf("w10 was evicted %d times", w10.Evictions)
	}
	st.idle(24 * time.Hour)
}

// 2. A unit borrows only because of where it stands; evicted, it could start
// guaranteed elsewhere in its quota's backing at once. It is no borrower.
func TestHardCase02AVictimThatComesStraightBack(t *testing.T) {
	st := smallFleet(t, 2, 2)
	st.quota(0, "t/x", 2, 2)
	st.quota(0, "t/y", 2, 2)
	// x stands in a, y in b; y's w stands in a, beside its backing, and borrows there.
	if b := st.backing("t/x"); b[0] != 2 {
		t.Skipf("t/x is backed %v", b)
	}
	st.do(0, job("n", "fill", "t/y", fleet.Mid, pool("w", 0, 8, 2)),
		job("n", "w", "t/y", fleet.Mid, pool("w", 0, 8, 1)))
	if st.workload("w").HeldAs() != fleet.HoldsBorrowing {
		t.Fatalf("w holds its GPU as %v, want borrowing", st.workload("w").HeldAs())
	}
	st.do(time.Minute, core.Cancel{Namespace: "n", Name: "fill"})
	st.pass(time.Hour)
	st.do(2*time.Hour, job("n", "gang", "t/x", fleet.Mid, pool("w", 0, 8, 2)))
	evictions := st.pass(3 * time.Hour)
	st.is("n", "w", fleet.RunningW)
	if len(evictions) > 1 {
		t.Errorf("w left and came back %d times", len(evictions))
	}
}

// 3. Islands a and b of 10 nodes, buffer 10 %; a grant with a gang of 9 nodes
// runs in a. Two nodes are suspect for five minutes. Afterwards all is as before.
func TestHardCase03AShortDip(t *testing.T) {
	st := smallFleet(t, 10, 10)
	policy := st.s.Policy
	policy.Buffer.Share = 100
	st.do(0, core.SetPolicy{Policy: policy})
	st.quota(0, "q", 9, 9)
	st.do(0, job("n", "train", "q", fleet.Mid, pool("w", 0, 8, 9)))
	before, nodes := st.backing("q"), st.workload("train").Replicas
	dip := []string{"t-g-a-001", "t-g-a-002"}
	if before[1] > 0 {
		dip = []string{"t-g-b-001", "t-g-b-002"}
	}
	st.do(time.Hour, core.SetNodes{Names: dip, State: fleet.Suspect})
	st.holds()
	st.do(time.Hour+5*time.Minute, core.SetNodes{Names: dip, State: fleet.Healthy})
	st.pass(2 * time.Hour)
	after := st.backing("q")
	if before[0] != after[0] || before[1] != after[1] {
		t.Errorf("the backing was %v before the dip and is %v", before, after)
	}
	if w := st.workload("train"); w.State != fleet.RunningW || w.HeldAs() != fleet.HoldsGuaranteed || w.Mends > 0 {
		t.Errorf("train is %s (%v), mended %d times, stood on %v and stands on %v", w.State, w.HeldAs(), w.Mends, nodes, w.Replicas)
	}
}

// 4. Growth of one quota's pool must not take cover from a sibling's borrower.
func TestHardCase04FollowingWork(t *testing.T) {
	st := smallFleet(t, 3, 3)
	st.quota(0, "t/x", 3, 0)
	st.quota(0, "t/y", 3, 0)
	st.do(0, job("n", "borrower", "t/y", fleet.Mid, pool("w", 0, 8, 1), pool("v", 0, 8, 3)))
	st.do(time.Minute, job("n", "pool", "t/x", fleet.Mid, elastic("w", 0, 8, 1, 5)))
	st.pass(time.Hour)
	if w := st.workload("borrower"); w.State != fleet.RunningW || w.HeldAs() == fleet.HoldsUnprotected {
		t.Errorf("the borrower is %s (%v)", w.State, w.HeldAs())
	}
	if n := st.workload("pool").Stays(0); n != 2 {
		t.Errorf("the pool has grown to %d replicas, want the 2 nodes that the borrower leaves", n)
	}
}

// 5. Grants of 10 and 10 nodes, promisable 10, so 5 and 5. B runs 5 single
// nodes; A then starts an undeclared gang of 5: still 5 and 5.
func TestHardCase05UndeclaredGangs(t *testing.T) {
	st := smallFleet(t, 10)
	st.quota(0, "a", 10, 0)
	st.quota(0, "b", 10, 0)
	even := func(when string) {
		t.Helper()
		if a, b := st.backing("a"), st.backing("b"); a[0] != 5 || b[0] != 5 {
			t.Errorf("%s: a is backed by %v nodes and b by %v, want 5 and 5", when, a, b)
		}
	}
	even("at first")
	for _, name := range []string{"b1", "b2", "b3", "b4", "b5"} {
		st.do(0, job("n", name, "b", fleet.Mid, pool("w", 0, 8, 1)))
	}
	even("while b runs single nodes")
	st.do(time.Minute, job("n", "gang", "a", fleet.Mid, pool("w", 0, 8, 5)))
	st.is("n", "gang", fleet.RunningW)
	even("while a runs a gang of 5")
	st.pass(48 * time.Hour)
	even("two days later")
}

// 6. x backs 2 nodes, another tree's borrower holds 7 GPUs of a node, x's 1-GPU
// job would land there. It must not: x's 7-GPU job still fits later.
func TestHardCase06SharingANode(t *testing.T) {
	st := smallFleet(t, 4)
	st.quota(0, "x", 2, 0)
	st.quota(0, "u/a", 1, 0)
	st.quota(0, "u/b", 1, 0)
	st.do(0, job("n", "own", "u/a", fleet.Mid, pool("w", 0, 8, 1)),
		job("n", "borrower", "u/a", fleet.Mid, pool("w", 0, 7, 1)),
		job("n", "one", "x", fleet.Mid, pool("w", 0, 1, 1)),
		job("n", "eight", "x", fleet.Mid, pool("w", 0, 8, 1)),
		job("n", "seven", "x", fleet.Mid, pool("w", 0, 7, 1)))
	for _, name := range []string{"own", "borrower", "one", "eight", "seven"} {
		st.is("n", name, fleet.RunningW)
	}
	st.holds()
}

// 7. x and y have 8 nodes each in one tree; y is full and does not end. x's
// 12-node head fits the tree, not its quota: x's own 4-node job starts at once.
func TestHardCase07AHeadThatCanOnlyBorrow(t *testing.T) {
	st := smallFleet(t, 16)
	st.quota(0, "t/x", 8, 0)
	st.quota(0, "t/y", 8, 0)
	st.do(0, job("n", "full", "t/y", fleet.Mid, pool("w", 0, 8, 8)),
		job("n", "head", "t/x", fleet.Mid, pool("w", 0, 8, 12)),
		job("n", "small", "t/x", fleet.Mid, pool("w", 0, 8, 4)))
	st.is("n", "head", fleet.Pending)
	st.is("n", "small", fleet.RunningW)
}

// 8. 80 flex GPUs, two gangs of 64 from two namespaces: no swapping every 30
// minutes, and no waiting for ever when the first one ends.
func TestHardCase08TwoGangsLargerThanAShare(t *testing.T) {
	st := smallFleet(t, 10)
	st.do(0, in("ant", job("", "first", fleet.Flex, fleet.Mid, pool("w", 0, 8, 8))))
	st.do(time.Minute, in("bee", job("", "second", fleet.Flex, fleet.Mid, pool("w", 0, 8, 8))))
	if evictions := st.pass(10 * time.Hour); len(evictions) > 0 {
		t.Errorf("%d evictions between two gangs larger than a share", len(evictions))
	}
	// Small ones that keep coming do not starve the second.
	for i, name := range []string{"s1", "s2", "s3", "s4", "s5", "s6"} {
		st.do(10*time.Hour+time.Duration(i)*time.Minute, in("cat", job("", name, fleet.Flex, fleet.Mid, pool("w", 0, 8, 1))))
	}
	first := st.s.Workload("ant", "first")
	st.do(11*time.Hour, core.ReportFinished{ID: first.ID})
	st.is("bee", "second", fleet.RunningW)
}

// 9. Two elastic pools on flex, one of 79 GPUs and one of 1: the second grows
// towards its share after the minimum run time, once, and then nothing moves.
func TestHardCase09TwoElasticPoolsOnFlex(t *testing.T) {
	st := smallFleet(t, 10)
	st.do(0, in("ant", job("", "large", fleet.Flex, fleet.Mid, elastic("w", 0, 1, 1, 79))))
	st.do(time.Minute, in("bee", job("", "small", fleet.Flex, fleet.Mid, elastic("w", 0, 1, 1, 79))))
	large, small := st.s.Workload("ant", "large"), st.s.Workload("bee", "small")
	if large.Stays(0) != 79 || small.Stays(0) != 1 {
		t.Fatalf("at first the pools have %d and %d replicas", large.Stays(0), small.Stays(0))
	}
	if evictions := st.pass(29 * time.Minute); len(evictions) > 0 {
		t.Errorf("%d evictions before the minimum run time", len(evictions))
	}
	st.pass(2 * time.Hour)
	if large.Stays(0) != 40 || small.Stays(0) != 40 {
		t.Errorf("after the minimum run time the pools have %d and %d replicas, want 40 each", large.Stays(0), small.Stays(0))
	}
	if evictions := st.pass(48 * time.Hour); len(evictions) > 0 {
		t.Errorf("%d evictions after both had their share", len(evictions))
	}
}

// 11. While a victim leaves, GPUs are both held and reserved: every figure adds up.
func TestHardCase11Grace(t *testing.T) {
	st := smallFleet(t, 2, 2)
	st.quota(0, "t/x", 2, 0)
	st.quota(0, "t/y", 1, 0)
	st.do(0, job("n", "flex", fleet.Flex, fleet.Mid, pool("w", 0, 8, 1), pool("v", 0, 4, 2)),
		job("n", "borrower", "t/y", fleet.Mid, pool("w", 0, 4, 2), pool("v", 0, 4, 4)))
	st.holds()
	st.pass(50 * time.Second)
	st.is("n", "borrower", fleet.RunningW)
	st.do(time.Minute, job("n", "owner", "t/x", fleet.High, pool("w", 0, 8, 2)))
	st.is("n", "owner", fleet.Starting)
	st.holds()
	st.do(time.Minute+time.Second, core.SetNodes{Names: []string{"t-g-a-001"}, State: fleet.Suspect})
	st.holds()
	st.do(time.Minute+2*time.Second, core.SetNodes{Names: []string{"t-g-b-001"}, State: fleet.Degraded, Dead: 3})
	st.holds()
	st.pass(time.Hour)
}

// 10. A gang of 6 nodes in its share, five nodes free, an 8-GPU job of another
// namespace at exactly its share on the sixth: the answer is Fragmented with that
// job named, not FlexFull.
func TestHardCase10FlexWithinItsShareForEver(t *testing.T) {
	st := smallFleet(t, 6, 1)
	st.do(0, in("ant", job("", "small", fleet.Flex, fleet.Mid, pool("w", 0, 8, 1))))
	small := st.s.Workload("ant", "small")
	if island := st.partition().Nodes[small.Replicas[0][0].Node].Island; island != 0 {
		st.do(0, core.Cancel{Namespace: "ant", Name: "small"})
		st.pass(time.Minute)
		// Let it stand on the sixth node of the large island.
		st.do(time.Minute, core.SetNodes{Names: []string{"t-g-b-001"}, State: fleet.Suspect},
			in("ant", job("", "again", fleet.Flex, fleet.Mid, pool("w", 0, 8, 1))),
			core.SetNodes{Names: []string{"t-g-b-001"}, State: fleet.Healthy})
		small = st.s.Workload("ant", "again")
	}
	st.do(2*time.Minute, in("bee", job("", "gang", fleet.Flex, fleet.Mid, pool("w", 0, 8, 6))))
	st.pass(10 * time.Hour)
	st.is("bee", "gang", fleet.Pending)
	why := explain.Why(st.s, st.s.Workload("bee", "gang"), moment(10*time.Hour))
	if len(why) == 0 || why[0].Code != reason.Fragmented {
		t.Fatalf("the gang waits because of %+v, want Fragmented first", why)
	}
	named := false
	for _, culprit := range why[0].Culprits {
		named = named || strings.Contains(culprit, small.Name)
	}
	if !named {
		t.Errorf("Fragmented does not name %s: %+v", small.Name, why[0])
	}
}
