package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// One test per mistake that random fleets or a close reading once found. Each
// is as small as it could be made; together they keep what was learnt.

func TestANodeNamedTwiceLosesItsReplicasOnce(t *testing.T) {
	st := smallFleet(t, 2)
	st.do(0, job("n", "a", fleet.Flex, fleet.Mid, pool("w", 0, 8, 1)))
	w := st.s.Workload("n", "a")
	node := st.s.Partitions[0].Nodes[w.Replicas[0][0].Node].Name
	st.do(time.Second, core.SetNodes{Names: []string{node, node}, State: fleet.Quarantined})
	st.is("n", "a", fleet.RunningW)
}

func TestWhoStoodBehindACancelledHeadStarts(t *testing.T) {
	st := smallFleet(t, 4)
	st.quota(0, "q", 4, 0)
	st.do(0, job("n", "one", "q", fleet.Mid, pool("w", 0, 8, 1)),
		job("n", "head", "q", fleet.Mid, pool("w", 0, 8, 4)),
		job("n", "behind", "q", fleet.Mid, pool("w", 0, 8, 2)))
	st.is("n", "head", fleet.Pending)
	st.is("n", "behind", fleet.Pending)
	st.do(time.Second, core.Cancel{Namespace: "n", Name: "head"})
	st.idle(time.Second)
	st.is("n", "behind", fleet.RunningW)
}

func TestPoolsOfOneWorkloadLeaveTheQueueTheyStandIn(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	st := smallFleet(t, 9)
	st.quota(0, "q", 9, 0)
	for _, name := range names {
		st.do(0, job("n", name, "q", fleet.Mid, pool("base", 0, 8, 1), pool("late", 2, 8, 9), pool("soon", 1, 8, 9)))
	}
	for _, gone := range names {
		st.do(time.Second, core.Cancel{Namespace: "n", Name: gone})
		for _, it := range st.s.Partitions[0].Account("q").Queue() {
			if it.Workload.Name == gone {
				t.Errorf("pool %d of %s still waits after it was cancelled", it.Pool, gone)
			}
		}
	}
}

func TestAFlexWorkloadThatLosesPriorityCanBeEvictedAtOnce(t *testing.T) {
	st := smallFleet(t, 1)
	st.do(0, job("n", "old", fleet.Flex, fleet.Mid, pool("w", 0, 8, 1)),
		job("n", "new", fleet.Flex, fleet.Mid, pool("w", 0, 8, 1)))
	st.do(time.Second, core.Prioritise{Namespace: "n", Name: "old", Priority: fleet.Low})
	st.idle(time.Second)
	st.is("n", "old", fleet.Evicting)
}

func TestAShorterMinimumRunTimeCountsFromNow(t *testing.T) {
	st := smallFleet(t, 2)
	st.do(0, job("rich", "a", fleet.Flex, fleet.Mid, pool("w", 0, 8, 1)),
		job("rich", "b", fleet.Flex, fleet.Mid, pool("w", 0, 8, 1)),
		job("poor", "c", fleet.Flex, fleet.Mid, pool("w", 0, 8, 1)))
	policy := st.s.Policy
	policy.FlexMinimum = 10 * time.Minute
	st.do(time.Minute, core.SetPolicy{Policy: policy})
	for st.s.NextAlarm() <= moment(10*time.Minute) {
		st.do(st.s.NextAlarm().Sub(moment(0)), core.Tick{})
	}
	st.idle(11 * time.Minute)
	st.is("poor", "c", fleet.Starting)
}

func TestALongerProbationEnds(t *testing.T) {
	st := smallFleet(t, 1)
	st.do(0, core.SetNodes{Names: []string{"t-g-a-001"}, State: fleet.Probation})
	policy := st.s.Policy
	policy.Probation = 48 * time.Hour
	st.do(time.Minute, core.SetPolicy{Policy: policy})
	for st.s.NextAlarm() <= moment(72*time.Hour) {
		st.do(st.s.NextAlarm().Sub(moment(0)), core.Tick{})
	}
	st.idle(72 * time.Hour)
	if got := st.s.Partitions[0].Nodes[0].State; got != fleet.Healthy {
		t.Errorf("after its probation the node is %s, want healthy", got)
	}
}

func TestTextThatIsNoTextIsRefused(t *testing.T) {
	st := smallFleet(t, 1)
	bad := "a\xff"
	for _, c := range []core.Command{
		core.AddCluster{Name: bad},
		core.CreateQuota{Path: "q/" + bad},
		core.CreateQuota{Path: "r", Access: fleet.Access{Users: []string{bad}}},
		core.OpenIncident{Name: "i", Scope: bad},
		core.SetNodes{Names: []string{"t-g-a-001"}, State: fleet.Suspect, Signal: bad},
		core.Submit{Spec: fleet.Spec{Name: "x", Namespace: "n", User: bad, Target: fleet.Flex, Pools: []fleet.Pool{pool("w", 0, 1, 1)}}},
		job("n", bad, fleet.Flex, fleet.Mid, pool("w", 0, 1, 1)),
	} {
		out, refusal := core.Step(st.s, core.Request{Command: c, Actor: core.System}, moment(0))
		if refusal != nil {
			continue
		}
		data, _ := event.Encode(out.Record)
		back, _ := event.Decode(data)
		again, _ := event.Encode(back)
		t.Errorf("%T with a name that is no UTF-8 was accepted; the log keeps another text: %s", c, again)
	}
}

func TestNoQuotaLivesUnderTheWordFlex(t *testing.T) {
	st := smallFleet(t, 1)
	if _, refusal := core.Step(st.s, core.Request{Command: core.CreateQuota{Path: "flex/a"}, Actor: core.System}, moment(0)); refusal == nil {
		t.Errorf("quota flex/a was created, and with it a quota named flex: %v", st.s.Quota("flex"))
	}
}

func TestOnlyTheSuspicionLeavesNoTrace(t *testing.T) {
	st := smallFleet(t, 4)
	node := []string{"t-g-a-001"}
	st.do(time.Hour, core.SetNodes{Names: node, State: fleet.Quarantined})
	st.do(2*time.Hour, core.SetNodes{Names: node, State: fleet.Suspect})
	st.do(3*time.Hour, core.SetNodes{Names: node, State: fleet.Healthy})
	if got := st.s.Partitions[0].Promisable; got != 3 {
		t.Errorf("promisable is %d nodes an hour after a quarantine, want 3: health raises it only after the dwell", got)
	}
}

func TestNothingStartsOnASuspectNode(t *testing.T) {
	st := smallFleet(t, 1)
	st.quota(0, "q", 1, 0)
	st.do(0, job("n", "f", fleet.Flex, fleet.Mid, pool("w", 0, 8, 1)))
	st.do(0, job("n", "q", "q", fleet.Mid, pool("w", 0, 8, 1)))
	st.is("n", "q", fleet.Starting)
	st.do(time.Second, core.SetNodes{Names: []string{"t-g-a-001"}, State: fleet.Suspect})
	st.leave(30*time.Second, "n", "f")
	if st.state("n", "q") == fleet.RunningW {
		t.Error("a workload started on a suspect node, which takes nothing new")
	}
}

func TestNothingStartsWhereReportsAreStale(t *testing.T) {
	st := smallFleet(t, 1)
	st.quota(0, "q", 1, 0)
	st.do(0, job("n", "f", fleet.Flex, fleet.Mid, pool("w", 0, 8, 1)))
	st.do(0, job("n", "q", "q", fleet.Mid, pool("w", 0, 8, 1)))
	st.do(time.Second, core.StopReports{Cluster: "t"})
	st.leave(30*time.Second, "n", "f")
	if st.state("n", "q") == fleet.RunningW {
		t.Error("a workload started where reports are stale")
	}
	st.do(time.Minute, core.ResumeReports{Cluster: "t"})
	st.is("n", "q", fleet.RunningW)
}

func TestAQuotaThatWorkMovesToCannotBeDeleted(t *testing.T) {
	st := smallFleet(t, 1)
	st.quota(0, "q", 0, 0)
	st.do(0, job("n", "w", fleet.Flex, fleet.Mid, pool("w", 0, 8, 1)))
	st.do(time.Second, core.Retarget{Namespace: "n", Name: "w", Target: "q"})
	_, refusal := core.Step(st.s, core.Request{Command: core.DeleteQuota{Path: "q"}, Actor: core.System}, moment(2*time.Second))
	if refusal == nil {
		t.Error("quota q was deleted while a workload is on its way to it")
	}
}

func TestAnElasticPoolOfTheLowestRankComesBackBesideItsGang(t *testing.T) {
	st := smallFleet(t, 4)
	st.quota(0, "q", 4, 0)
	st.do(0, job("n", "w", "q", fleet.Mid, pool("gang", 0, 8, 2), elastic("more", 0, 8, 1, 1)))
	w := st.s.Workload("n", "w")
	st.do(time.Second, core.SetNodes{Names: []string{st.s.Partitions[0].Nodes[w.Replicas[1][0].Node].Name}, State: fleet.Quarantined})
	st.do(time.Minute, core.Tick{})
	if w.State == fleet.Mending {
		t.Errorf("the workload mends for ever: %v", w.Replicas)
	}
}

func TestAPlacedWorkloadLetsThoseBehindItPassElsewhere(t *testing.T) {
	st := smallFleet(t, 3)
	st.do(0, core.AddCluster{Name: "u"}, core.AddPartition{Cluster: "u", GPU: "g"},
		core.AddIslands{Partition: "u/g", Islands: []core.NewIsland{{Name: "a", Nodes: 3}}})
	st.quota(0, "q", 3, 0)
	st.do(0, core.SetGrant{Quota: "q", Partition: "u/g", GPUs: 24})
	here := func(c core.Submit, partition string) core.Submit { c.Spec.Partition = partition; return c }
	st.do(0, here(job("n", "t1", "q", fleet.Mid, pool("w", 0, 8, 1)), "t/g"),
		here(job("n", "u1", "q", fleet.Mid, pool("w", 0, 8, 1)), "u/g"),
		job("n", "both", "q", fleet.Mid, pool("w", 0, 8, 3)),
		here(job("n", "u2", "q", fleet.Mid, pool("w", 0, 8, 2)), "u/g"))
	st.is("n", "u2", fleet.Pending)
	st.do(time.Second, core.Cancel{Namespace: "n", Name: "t1"})
	st.leave(31*time.Second, "n", "t1")
	st.is("n", "both", fleet.RunningW)
	st.idle(31 * time.Second)
	st.is("n", "u2", fleet.RunningW)
}

func TestADeclaredGangNeverTakesMoreThanItsGrant(t *testing.T) {
	st := smallFleet(t, 2, 2)
	st.quota(0, "q", 4, 0)
	st.do(0, job("n", "a", "q", fleet.Mid, pool("w", 0, 8, 2)), job("n", "b", "q", fleet.Mid, pool("w", 0, 8, 2)),
		core.AddIslands{Partition: "t/g", Islands: []core.NewIsland{{Name: "c", Nodes: 4}}})
	st.do(time.Second, core.SetGrant{Quota: "q", Partition: "t/g", GPUs: 48, Gang: 32})
	if a := st.s.Partitions[0].Account("q"); a.BackedGPUs() > a.Grant {
		t.Errorf("a grant of %d GPUs is backed by %d", a.Grant, a.BackedGPUs())
	}
}

// A gang is mended where the rest keeps its nodes: replicas whose room is only
// reserved are no rest, and what would join them had no way to hold its GPUs.
func TestAGangOfWhichNothingRunsIsNotMended(t *testing.T) {
	st := smallFleet(t, 3, 2)
	st.do(0, job("n", "w", fleet.Flex, fleet.Mid, pool("g", 0, 2, 2), elastic("e", 0, 8, 2, 2)))
	st.do(0, job("n", "x", fleet.Flex, fleet.Mid, pool("g", 0, 8, 1)))
	st.do(time.Minute, core.Cancel{Namespace: "n", Name: "x"})
	st.do(61*time.Second, core.SetNodes{Names: []string{"t-g-a-002"}, State: fleet.Quarantined})
	st.do(62*time.Second, core.SetNodes{Names: []string{"t-g-a-001", "t-g-b-001"}, State: fleet.Quarantined})
	st.holds()
	st.idle(62 * time.Second)
}

// Work of the own quota may be no borrower once the others are gone, and is less
// important even so: the more important newcomer may evict it.
func TestLessImportantWorkIsAVictimEvenIfItWouldNotBorrow(t *testing.T) {
	st := smallFleet(t, 2, 1)
	st.quota(0, "q/one", 2, 2)
	st.quota(0, "q/two", 1, 0)
	st.do(0, job("n", "a", "q/one", fleet.High, elastic("w", 0, 8, 1, 2), pool("x", 0, 5, 1)),
		job("n", "b", "q/one", fleet.Low, pool("w", 0, 3, 1)),
		job("n", "c", "q/one", fleet.Critical, pool("w", 0, 6, 2)))
	st.is("n", "c", fleet.Starting)
}

// A workload that has lost the last of its lowest-rank pools, while a part of
// them is leaving, does not run on with its pools of higher rank.
func TestNoPoolOfHigherRankRunsWithoutTheLowest(t *testing.T) {
	st := smallFleet(t, 1, 3)
	st.quota(0, "q", 1, 0)
	st.do(0, job("n", "w", fleet.Flex, fleet.Mid, elastic("p", 0, 8, 1, 2), pool("r", 1, 8, 2)))
	st.do(time.Minute, job("n", "x", "q", fleet.Mid, pool("w", 0, 8, 1)))
	st.do(61*time.Second, core.SetNodes{Names: []string{"t-g-b-001"}, State: fleet.Quarantined})
	st.holds()
	st.idle(61 * time.Second)
}
