package engine

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ear is a driver that writes down what it hears.
type ear struct{ heard []string }

func (e *ear) hear(format string, args ...any) {
	e.heard = append(e.heard, fmt.Sprintf(format, args...))
}

func (e *ear) Run(_ fleet.Instant, job driver.Job, spots []fleet.Spot, mend bool) {
	e.hear("run %s/%s in %s %v%s", job.Namespace, job.Name, job.Partition, spots, map[bool]string{true: " to mend"}[mend])
}

func (e *ear) Stop(_ fleet.Instant, id uint64, spots []fleet.Spot, until fleet.Instant) {
	e.hear("stop %d %v until %s", id, spots, time.Duration(until))
}

func (e *ear) Forget(_ fleet.Instant, id uint64, spots []fleet.Spot) { e.hear("lost %d %v", id, spots) }
func (e *ear) Delete(_ fleet.Instant, id uint64)                     { e.hear("gone %d", id) }

func (e *ear) Restate(_ fleet.Instant, s driver.Standing) {
	e.hear("again %d: runs %v leaves %v until %s", s.Job.ID, s.Running, s.Leaving, time.Duration(s.Until))
}

func (e *ear) Resync(_ fleet.Instant, all []driver.Standing) {
	e.hear("resync")
	for _, s := range all {
		e.hear("  %d since %s runs %v leaves %v until %s", s.Job.ID, time.Duration(s.Started), s.Running, s.Leaving, time.Duration(s.Until))
	}
}

// stage is a state with one island of nodes, a gang of two as workload 1, and a carrier.
type stage struct {
	t       *testing.T
	state   *fleet.State
	w       *fleet.Workload
	ear     *ear
	carrier *carrier
}

const soon = fleet.Instant(30 * time.Second)

func newStage(t *testing.T) *stage {
	s := fleet.NewState()
	s.AddCluster(fleet.Cluster{Name: "tiger", Mode: fleet.Enforce})
	s.AddPartition("tiger", "h200", 8)
	p := s.Partition("tiger/h200")
	p.AddIsland("i1", 1)
	for i := range 6 {
		p.AddNode(fmt.Sprintf("n%d", i), 0, 0, 0)
	}
	w := s.AddWorkload(1, fleet.Spec{Name: "train", Namespace: "oak", Target: fleet.Flex, Pools: []fleet.Pool{
		{Name: "w", GPUs: 8, Min: 2, Max: 2, Reach: fleet.ReachIsland},
	}}, 0)
	e := &ear{}
	return &stage{t, s, w, e, newCarrier(e)}
}

func on(nodes ...int) []fleet.Spot { return []fleet.Spot{{Pool: 0, Nodes: nodes}} }

func (s *stage) place(phase fleet.Phase, nodes ...int) {
	s.state.Place(s.w, s.state.Partition("tiger/h200"), on(nodes...), phase, fleet.HoldsFlex)
	s.state.Settle(s.w, 1)
}

func (s *stage) start() {
	s.state.Start(s.w)
	s.state.Settle(s.w, 1)
}

func (s *stage) leave(nodes ...int) {
	s.state.Leave(s.w, on(nodes...))
	s.w.GraceEnds = soon
	s.state.Settle(s.w, 1)
}

func (s *stage) drop(nodes ...int) {
	s.state.Drop(s.w, on(nodes...))
	s.state.Settle(s.w, 1)
}

// hears carries a record and compares what the driver hears of it.
func (s *stage) hears(events []event.Event, want ...string) {
	s.t.Helper()
	s.ear.heard = nil
	s.carrier.plan(event.Record{Events: events}, s.state)()
	s.compare(want)
}

func (s *stage) compare(want []string) {
	s.t.Helper()
	if got := s.ear.heard; strings.Join(got, "\n") != strings.Join(want, "\n") {
		s.t.Fatalf("the driver heard\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func one(e event.Event) []event.Event { return []event.Event{e} }

func TestReservedReplicasRunWhenTheyStart(t *testing.T) {
	s := newStage(t)
	s.place(fleet.Reserved, 2, 3)
	s.hears(one(event.ReplicasPlaced{ID: 1, Spots: on(2, 3), Reserved: true}))
	s.start()
	s.hears(one(event.ReplicasStarted{ID: 1}), "run oak/train in tiger/h200 [{0 [2 3]}]")
}

func TestAPlaceThatIsFreeRunsAtOnce(t *testing.T) {
	s := newStage(t)
	s.place(fleet.Running, 2, 3)
	s.hears(one(event.ReplicasPlaced{ID: 1, Spots: on(2, 3)}), "run oak/train in tiger/h200 [{0 [2 3]}]")
	s.hears(one(event.HoldsChanged{ID: 1}))
}

func TestAnEvictedWorkloadStopsAndComesBackOnItsOldNode(t *testing.T) {
	s := newStage(t)
	s.place(fleet.Running, 2, 3)
	s.hears(one(event.ReplicasPlaced{ID: 1, Spots: on(2, 3)}), "run oak/train in tiger/h200 [{0 [2 3]}]")
	s.leave(2, 3)
	s.hears(one(event.ReplicasEvicted{ID: 1, Spots: on(2, 3), Whole: true}), "stop 1 [{0 [2 3] by order 1}] until 30s")
	s.drop(2)
	s.hears(one(event.ReplicasStopped{ID: 1, Spots: on(2)}))
	s.drop(3)
	s.place(fleet.Running, 3, 4) // in the same record as the stop that made room
	s.hears([]event.Event{event.ReplicasStopped{ID: 1, Spots: on(3)}, event.ReplicasPlaced{ID: 1, Spots: on(3, 4)}},
		"run oak/train in tiger/h200 [{0 [3 4]}]")
}

func TestALostReplicaIsMended(t *testing.T) {
	s := newStage(t)
	s.place(fleet.Running, 2, 3)
	s.hears(one(event.ReplicasPlaced{ID: 1, Spots: on(2, 3)}), "run oak/train in tiger/h200 [{0 [2 3]}]")
	s.drop(3)
	s.place(fleet.Reserved, 5)
	s.hears([]event.Event{event.ReplicasLost{ID: 1, Spots: on(3)}, event.ReplicasPlaced{ID: 1, Spots: on(5), Mend: true, Reserved: true}},
		"lost 1 [{0 [3]}]")
	s.start()
	s.hears(one(event.ReplicasStarted{ID: 1}), "run oak/train in tiger/h200 [{0 [5]}] to mend")
}

func TestAReservedReplicaThatIsLostWasNeverThere(t *testing.T) {
	s := newStage(t)
	s.place(fleet.Reserved, 2, 3)
	s.hears(one(event.ReplicasPlaced{ID: 1, Spots: on(2, 3), Reserved: true}))
	s.drop(3)
	s.hears(one(event.ReplicasLost{ID: 1, Spots: on(3)}))
}

// TestLostReplicasAreToldByTheirOrders loses one of two replicas that leave a node
// by different orders: the driver must take away the one that the state has taken.
func TestLostReplicasAreToldByTheirOrders(t *testing.T) {
	s := newStage(t)
	s.place(fleet.Running, 2, 2)
	s.hears(one(event.ReplicasPlaced{ID: 1, Spots: on(2, 2)}), "run oak/train in tiger/h200 [{0 [2 2]}]")
	s.leave(2)
	s.hears(one(event.ReplicasEvicted{ID: 1, Spots: on(2)}), "stop 1 [{0 [2] by order 1}] until 30s")
	s.state.Seq = 6
	s.leave(2)
	s.hears(one(event.ReplicasEvicted{ID: 1, Spots: on(2)}), "stop 1 [{0 [2] by order 7}] until 30s")
	s.drop(2)
	left := s.w.Spots(func(fleet.Replica) bool { return true })
	lost := map[uint64]string{1: "lost 1 [{0 [2] by order 7}]", 7: "lost 1 [{0 [2] by order 1}]"}[left[0].Order]
	s.hears(one(event.ReplicasLost{ID: 1, Spots: on(2)}), lost)
}

func TestAFinishedWorkloadIsGone(t *testing.T) {
	s := newStage(t)
	s.place(fleet.Running, 2, 3)
	s.hears(one(event.ReplicasPlaced{ID: 1, Spots: on(2, 3)}), "run oak/train in tiger/h200 [{0 [2 3]}]")
	s.state.End(s.w, fleet.Finished, 2)
	s.hears(one(event.WorkloadFinished{ID: 1}), "gone 1")
	if len(s.carrier.told) != 0 {
		t.Errorf("the carrier remembers %d workloads, want none", len(s.carrier.told))
	}
}

func TestACancelledWorkloadIsGoneWhenItHasLeft(t *testing.T) {
	s := newStage(t)
	s.w.Grace = 30 * time.Second
	s.place(fleet.Running, 2, 3)
	s.hears(one(event.ReplicasPlaced{ID: 1, Spots: on(2, 3)}), "run oak/train in tiger/h200 [{0 [2 3]}]")
	s.state.End(s.w, fleet.Cancelled, 0)
	s.hears(one(event.WorkloadCancelled{ID: 1}), "stop 1 [{0 [2 3] by order 1}] until 30s")
	s.drop(2)
	s.hears(one(event.ReplicasStopped{ID: 1, Spots: on(2)}))
	s.drop(3)
	s.hears(one(event.ReplicasStopped{ID: 1, Spots: on(3)}), "gone 1")
	if len(s.carrier.told) != 0 {
		t.Errorf("the carrier remembers %d workloads, want none", len(s.carrier.told))
	}
}

func TestAWorkloadThatIsCancelledBeforeItRanIsGone(t *testing.T) {
	s := newStage(t)
	s.state.End(s.w, fleet.Cancelled, 0)
	s.hears(one(event.WorkloadCancelled{ID: 1}), "gone 1")
}

// TestARestartInTheMiddleOfAnything takes each step of a life and compares what
// a carrier that restarts before it tells with what one tells that did not.
func TestARestartInTheMiddleOfAnything(t *testing.T) {
	steps := []struct {
		do     func(*stage)
		events []event.Event
	}{
		{func(s *stage) { s.place(fleet.Reserved, 2, 3) }, one(event.ReplicasPlaced{ID: 1, Reserved: true})},
		{func(s *stage) { s.start() }, one(event.ReplicasStarted{ID: 1})},
		{func(s *stage) { s.drop(3); s.place(fleet.Reserved, 4) }, []event.Event{event.ReplicasLost{ID: 1, Spots: on(3)}, event.ReplicasPlaced{ID: 1, Spots: on(4), Reserved: true, Mend: true}}},
		{func(s *stage) { s.start() }, one(event.ReplicasStarted{ID: 1})},
		{func(s *stage) { s.leave(2, 4) }, one(event.ReplicasEvicted{ID: 1, Spots: on(2, 4), Whole: true})},
		{func(s *stage) { s.drop(2) }, one(event.ReplicasStopped{ID: 1, Spots: on(2)})},
		{func(s *stage) { s.drop(4) }, one(event.ReplicasStopped{ID: 1, Spots: on(4)})},
		{func(s *stage) { s.place(fleet.Running, 0, 1) }, one(event.ReplicasPlaced{ID: 1})},
		{func(s *stage) { s.state.End(s.w, fleet.Finished, 9) }, one(event.WorkloadFinished{ID: 1})},
	}
	for restart := range steps {
		lived, restarted := newStage(t), newStage(t)
		for i, step := range steps {
			if i == restart {
				restarted.carrier = newCarrier(restarted.ear)
				restarted.carrier.resync(0, restarted.state)
			}
			for _, s := range []*stage{lived, restarted} {
				step.do(s)
				s.ear.heard = nil
				s.carrier.plan(event.Record{Events: step.events}, s.state)()
			}
			if !reflect.DeepEqual(lived.ear.heard, restarted.ear.heard) {
				t.Errorf("restart before step %d: at step %d it tells %q, without one %q", restart, i, restarted.ear.heard, lived.ear.heard)
			}
		}
	}
}

func TestResyncTellsAllThatStands(t *testing.T) {
	s := newStage(t)
	s.place(fleet.Running, 2, 3)
	other := s.state.AddWorkload(2, fleet.Spec{Name: "eval", Namespace: "elm", Target: fleet.Flex, Pools: []fleet.Pool{
		{Name: "g", GPUs: 1, Min: 1, Max: 4, Elastic: true},
	}}, 0)
	s.state.Place(other, s.state.Partition("tiger/h200"), on(0, 0, 1), fleet.Running, fleet.HoldsFlex)
	s.state.Settle(other, 5)
	s.state.Leave(other, on(0))
	other.GraceEnds = soon
	waiting := s.state.AddWorkload(3, other.Spec, 0)
	s.state.Place(waiting, s.state.Partition("tiger/h200"), on(5), fleet.Reserved, fleet.NoHolds)
	s.carrier.resync(9, s.state)
	s.compare([]string{
		"resync",
		"  1 since 1ns runs [{0 [2 3]}] leaves [] until 0s",
		"  2 since 5ns runs [{0 [0 1]}] leaves [{0 [0] by order 1}] until 30s",
	})
}

func TestReportsBecomeCommands(t *testing.T) {
	cases := []struct {
		report driver.Report
		want   core.Command
	}{
		{driver.Report{Stopped: &driver.Stopped{ID: 7, Spots: on(1)}}, core.ReportStopped{ID: 7, Spots: on(1)}},
		{driver.Report{Finished: &driver.Finished{ID: 7, Failed: true}}, core.ReportFinished{ID: 7, Failed: true}},
		{
			driver.Report{Nodes: &driver.Nodes{Names: []string{"n1"}, State: fleet.Degraded, Dead: 2, Signal: "XID 79"}},
			core.SetNodes{Names: []string{"n1"}, State: fleet.Degraded, Dead: 2, Signal: "XID 79"},
		},
		{driver.Report{Reporting: &driver.Reporting{Cluster: "tiger", Stopped: true}}, core.StopReports{Cluster: "tiger"}},
		{driver.Report{Reporting: &driver.Reporting{Cluster: "tiger"}}, core.ResumeReports{Cluster: "tiger"}},
	}
	for _, c := range cases {
		if got := RequestOf(c.report); !reflect.DeepEqual(got, core.Request{Command: c.want, Actor: core.Reporter}) {
			t.Errorf("%+v becomes %+v, want %+v by the driver", c.report, got, c.want)
		}
	}
}

func TestAnOrderThatIsNotAnsweredIsGivenAgain(t *testing.T) {
	s := newStage(t)
	s.place(fleet.Running, 2, 3)
	s.hears(one(event.ReplicasPlaced{ID: 1, Spots: on(2, 3)}), "run oak/train in tiger/h200 [{0 [2 3]}]")
	s.leave(2)
	s.hears(one(event.ReplicasEvicted{ID: 1, Spots: on(2)}), "stop 1 [{0 [2] by order 1}] until 30s")
	again := one(event.ReplicasOverdue{ID: 1, Order: 1, Until: soon, Times: 1})
	s.hears(again, "again 1: runs [{0 [3]}] leaves [{0 [2] by order 1}] until 30s")
	s.drop(2)
	s.hears(one(event.ReplicasStopped{ID: 1, Spots: []fleet.Spot{{Pool: 0, Nodes: []int{2}, Order: 1}}}))
}
