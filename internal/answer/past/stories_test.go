package past_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// story is a world with a book that hears it.
type story struct {
	*world
	book *past.Book
}

func tell(t *testing.T) *story {
	s := &story{book: past.New()}
	s.world = newWorld(t, func(r event.Record, _ *fleet.State) { s.book.Add(r) })
	return s
}

func (s *story) node(name string, state fleet.NodeState, signal string) {
	s.t.Helper()
	s.must(core.SetNodes{Names: []string{name}, State: state, Signal: signal})
}

// all is the window from the beginning until now, and now.
func (s *story) all() (past.Window, int64) {
	now := int64(s.now) / 1e6
	return past.Window{From: start.UnixMilli(), To: now + 1}, now
}

func hours(n float64) int64 { return int64(n * float64(time.Hour/time.Millisecond)) }

func TestARepairIsSplitIntoItsStages(t *testing.T) {
	s := tell(t)
	const node = "tiger-h200-a-001"
	s.must(core.Submit{Spec: gang("g", "r/x", 2, 0)}) // it stands on a-001 and a-002
	s.pass(time.Hour)
	for _, step := range []struct {
		state fleet.NodeState
		lasts time.Duration
	}{
		{fleet.Suspect, 30 * time.Minute},
		{fleet.Quarantined, 4 * time.Hour},
		{fleet.Repairing, 10 * time.Hour},
		{fleet.Validating, time.Hour},
		{fleet.Probation, 25 * time.Hour},
	} {
		s.node(node, step.state, "XID 79: fell off the bus")
		s.pass(step.lasts)
	}
	w, now := s.all()
	list := s.book.Repairs("tiger", past.ByCluster, true, w, now)
	if len(list) != 2 || list[1].Cause != "XID 79" || list[1].Repaired != 1 {
		t.Fatalf("repairs: %+v", list)
	}
	for stage, want := range map[past.Stage]int64{
		past.StageDetect: hours(0.5), past.StageWait: hours(4), past.StageRepair: hours(10),
		past.StageValidate: hours(1), past.StageProbation: hours(24),
	} {
		if got := list[0].Stages[stage].Mean + list[0].Stages[past.StageDrain].Mean*b2i(stage == past.StageWait); got != want {
			t.Errorf("%s took %d ms, want %d", stage, got, want)
		}
	}
	if list[0].Total.Mean != hours(39.5) || list[0].Total.P90 != hours(39.5) {
		t.Errorf("in all it took %+v, want 39.5 h", list[0].Total)
	}
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func TestASuspicionIsNoFailureAndARelapseIsAnother(t *testing.T) {
	s := tell(t)
	const node = "tiger-h200-a-001"
	s.node(node, fleet.Suspect, "flicker")
	s.pass(5 * time.Minute)
	s.node(node, fleet.Healthy, "")
	s.pass(time.Hour)
	s.failures(node, 0)
	s.node(node, fleet.Maintenance, "")
	s.pass(time.Hour)
	s.node(node, fleet.Healthy, "")
	s.failures(node, 0)
	s.node(node, fleet.Quarantined, "XID 79")
	s.pass(time.Hour)
	s.node(node, fleet.Probation, "")
	s.pass(time.Hour)
	s.node(node, fleet.Quarantined, "XID 94")
	s.pass(time.Hour)
	s.failures(node, 2)
	s.node(node, fleet.Healthy, "")
	w, now := s.all()
	if list := s.book.Repairs("tiger", past.ByCluster, false, w, now); list[0].Repaired != 1 {
		t.Errorf("%d repairs, want 1: the first one did not hold", list[0].Repaired)
	}
}

// The last failure is at the moment of the failure, and not at that of the suspicion before it.
func TestTheLastFailureIsNoSuspicion(t *testing.T) {
	s := tell(t)
	const node = "tiger-h200-a-001"
	s.node(node, fleet.Suspect, "flicker")
	s.pass(5 * time.Minute)
	s.node(node, fleet.Quarantined, "XID 79")
	failed := int64(s.now) / 1e6 // milliseconds
	s.pass(time.Hour)
	for range 2 { // while it is out, and afterwards
		w, now := s.all()
		for _, n := range s.book.History("", w, now) {
			if n.Node == node && n.LastFailure != failed {
				t.Errorf("%s failed last at %d, and not at %d", node, n.LastFailure, failed)
			}
		}
		s.node(node, fleet.Healthy, "")
	}
}

func (s *story) failures(node string, want int) {
	s.t.Helper()
	w, now := s.all()
	for _, n := range s.book.History("", w, now) {
		if n.Node == node && (n.Failures != want || n.Total != want) {
			s.t.Errorf("%s failed %d times in the window and %d ever, want %d", node, n.Failures, n.Total, want)
		}
	}
}

// gang is replicas of whole nodes of tiger's.
func gang(name, target string, replicas int, checkpoint time.Duration) fleet.Spec {
	return fleet.Spec{
		Name: name, Namespace: "n", Target: target, Partition: "tiger/h200", Grace: time.Minute, CheckpointEvery: checkpoint,
		Pools: []fleet.Pool{{Name: "p", GPUs: 8, Min: replicas, Max: replicas, Reach: fleet.ReachIsland}},
	}
}

// A gang of two nodes saves its work every two hours. It runs for five, loses a
// node, and is mended at once: one hour of 16 GPUs is undone, by the node's cause.
func TestWhatAnInterruptionUndoes(t *testing.T) {
	s := tell(t)
	s.must(core.Submit{Spec: gang("g", "r/x", 2, 2*time.Hour)})
	s.pass(5 * time.Hour)
	victim := s.s.Partition("tiger/h200").Nodes[s.s.Workload("n", "g").Replicas[0][0].Node].Name
	s.node(victim, fleet.Quarantined, "GPUMissing")
	s.pass(5 * time.Hour)
	w, now := s.all()
	a := s.book.Attained("tiger", w, now)[0]
	if a.Uptime.Undone != 16*hours(1) {
		t.Errorf("undone: %v GPU-hours, want 16", past.Hours(a.Uptime.Undone))
	}
	if len(a.LostBy) != 1 || a.LostBy[0].Cause != "GPUMissing" || a.LostBy[0].Count != 1 {
		t.Errorf("lost by: %+v, want one interruption by GPUMissing", a.LostBy)
	}
	if a.Uptime.Held != 16*hours(10) {
		t.Errorf("held: %v GPU-hours, want 160", past.Hours(a.Uptime.Held))
	}
}

// A gang that cannot be mended waits to start again: that is time of work, and lost.
func TestWorkThatWaitsToStartAgainIsLost(t *testing.T) {
	s := tell(t)
	s.must(core.Submit{Spec: gang("g", fleet.Flex, 5, 0)}) // all of island a
	s.pass(time.Hour)
	s.node("tiger-h200-a-001", fleet.Quarantined, "XID 79")
	s.pass(3*time.Hour + time.Minute) // a minute of grace for the other replicas
	w, now := s.all()
	u := s.book.Attained("tiger", w, now)[0].Uptime
	if u.Undone != 40*hours(1) {
		t.Errorf("undone: %v GPU-hours, want 40", past.Hours(u.Undone))
	}
	if u.Restarting != 40*hours(3) {
		t.Errorf("waited to start again: %v GPU-hours, want 120", past.Hours(u.Restarting))
	}
}

func TestAPromiseIsBrokenOnceByWhatFallsBelowIt(t *testing.T) {
	s := tell(t)
	s.pass(10*time.Hour + time.Minute) // eleven promises are out, for 6 of 8 nodes
	for _, n := range []string{"tiger-h200-a-001", "tiger-h200-a-002"} {
		s.node(n, fleet.Quarantined, "XID 79")
	}
	s.broken(0, 0)
	s.node("tiger-h200-a-003", fleet.Quarantined, "XID 79") // 5 of 8
	s.broken(0, 12)                                         // and one for 5 is out
	s.node("tiger-h200-a-004", fleet.Quarantined, "XID 79") // 4 of 8
	s.pass(48 * time.Hour)
	s.broken(25, 13)
}

// broken compares with what the state says, once another hour is over and counted.
func (s *story) broken(kept, broken int) {
	s.t.Helper()
	s.pass(time.Hour)
	s.must(core.OpenIncident{Name: fmt.Sprint("sev-", s.s.Seq), Scope: "tiger"}) // a record, for the hours that have passed
	w, now := s.all()
	of, open := s.s.Partition("tiger/h200").Judged(s.now).Done[0], 0
	for _, o := range s.s.Partition("tiger/h200").Judged(s.now).Open {
		open += o.Hours
	}
	h := s.book.Health("tiger/h200", past.ByPartition, w, now)[0]
	if h.Kept != kept || h.Broken != broken {
		s.t.Errorf("%d promises kept and %d broken, want %d and %d", h.Kept, h.Broken, kept, broken)
	}
	if h.Kept != of.Kept || h.Broken != of.Broken || h.Issued != of.Kept+of.Broken+open-1 { // the hour that runs is counted when it is over
		s.t.Errorf("of %d promises %d kept and %d broken; the state says %d, and %d open", h.Issued, h.Kept, h.Broken, of.Kept, open)
	}
}

func TestTheHighestUseOfAQuota(t *testing.T) {
	s := tell(t)
	s.must(core.Submit{Spec: gang("g", "r/x", 2, 0)})
	s.pass(time.Hour)
	s.must(core.Cancel{Namespace: "n", Name: "g"})
	s.pass(100 * 24 * time.Hour)
	now := int64(s.now) / 1e6
	if got := s.book.Usage("r/x", "tiger/h200", past.Window{From: start.UnixMilli(), To: now}, now)[0].Peak; got != 16 {
		t.Errorf("the highest use ever is %d GPUs, want 16", got)
	}
	from := now - fleet.HighMemory*24*hours(1)
	got := s.book.Usage("r/x", "tiger/h200", past.Window{From: from, To: now}, now)[0].Peak
	if kept := s.s.Partition("tiger/h200").Account("r/x").HighestUse(s.now); got != 0 || kept != 0 {
		t.Errorf("the highest use of the last 90 days is %d GPUs here and %d in the state, want none", got, kept)
	}
}

// The causes of repair stand by the time that they took in all: two nodes out for a day each come before
// one that was out for an hour.
func TestTheCauseThatTookLongestToRepairStandsFirst(t *testing.T) {
	s := tell(t)
	for node, out := range map[string]struct {
		cause string
		lasts time.Duration
	}{"tiger-h200-a-001": {"Fan", time.Hour}, "tiger-h200-b-001": {"XID 79", 24 * time.Hour}, "tiger-h200-b-002": {"XID 79", 24 * time.Hour}} {
		s.node(node, fleet.Quarantined, out.cause)
		s.pass(out.lasts)
		s.node(node, fleet.Healthy, "repaired")
	}
	w, now := s.all()
	by := s.book.Attained("tiger", w, now)[0].RepairBy
	if len(by) != 2 || by[0].Cause != "XID 79" || by[1].Cause != "Fan" {
		t.Errorf("repairs by cause: %+v, want XID 79 before Fan", by)
	}
}
