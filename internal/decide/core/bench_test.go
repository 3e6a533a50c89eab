package core_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// busyFleet is a partition of so many nodes in islands of 100, ten trees of two
// quotas that have 80 % of it and use half of that, and flex that fills a tenth.
func busyFleet(tb testing.TB, nodes int) *fleet.State {
	s := fleet.NewState()
	at := fleet.Instant(0)
	do := func(c core.Command) {
		at += fleet.Instant(time.Millisecond)
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System, Reason: "bench"}, at); refusal != nil {
			tb.Fatal(refusal)
		}
	}
	do(core.AddCluster{Name: "c"})
	do(core.AddPartition{Cluster: "c", GPU: "g"})
	var islands []core.NewIsland
	for i := range max(1, nodes/100) {
		islands = append(islands, core.NewIsland{Name: fmt.Sprintf("i%04d", i), Nodes: min(nodes, 100)})
	}
	do(core.AddIslands{Partition: "c/g", Islands: islands})
	each := nodes * 8 / 10 / 20
	for q := range 20 {
		path := fmt.Sprintf("t%d/q%02d", q/2, q)
		do(core.CreateQuota{Path: path})
		do(core.SetGrant{Quota: path, Partition: "c/g", GPUs: each * 8})
		for j := range each / 2 {
			do(gang(fmt.Sprintf("run%d", j), path[3:], path, fleet.Mid, 1))
		}
	}
	for j := range nodes / 10 {
		do(gang(fmt.Sprintf("flex%d", j), fmt.Sprintf("ns%d", j%10), fleet.Flex, fleet.Mid, 1))
	}
	return s
}

// BenchmarkSubmit measures one submit that starts, and its end.
func BenchmarkSubmit(b *testing.B) {
	for _, nodes := range []int{1000, 10000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			s := busyFleet(b, nodes)
			at := s.Time
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				at += fleet.Instant(time.Millisecond)
				out, refusal := core.Step(s, core.Request{Command: gang(fmt.Sprintf("j%d", i), "bench", "t0/q00", fleet.Mid, 1), Actor: core.System}, at)
				if refusal != nil || len(out.Record.Events) < 2 {
					b.Fatal(refusal, out.Record.Events)
				}
				core.Step(s, core.Request{Command: core.ReportFinished{ID: s.NextID - 1}, Actor: core.Reporter}, at)
			}
		})
	}
}

// BenchmarkBacklog measures the end of one workload of a quota and one on flex, whose room others take at once, and the two
// that are submitted in their place, where so many wait in each queue. Victims leave at once.
func BenchmarkBacklog(b *testing.B) {
	for _, waiting := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("waiting=%d", waiting), func(b *testing.B) {
			l := newBacklog(b, waiting)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				l.turn()
			}
			b.ReportMetric(float64(l.started)/float64(b.N), "starts/op")
		})
	}
}

// backlog is 200 nodes, half of them granted to one quota, all of them full, and work that waits.
type backlog struct {
	tb              testing.TB
	s               *fleet.State
	at              fleet.Instant
	number, started int
}

// newBacklog fills the fleet, and lets so many wait for the quota and as many for flex.
func newBacklog(tb testing.TB, waiting int) *backlog {
	l := &backlog{tb: tb, s: fleet.NewState(), at: fleet.Instant(time.Hour)}
	l.do(core.AddCluster{Name: "c"})
	l.do(core.AddPartition{Cluster: "c", GPU: "g"})
	l.do(core.AddIslands{Partition: "c/g", Islands: []core.NewIsland{{Name: "i", Nodes: 100}, {Name: "j", Nodes: 100}}})
	l.do(core.CreateQuota{Path: "q"})
	l.do(core.SetGrant{Quota: "q", Partition: "c/g", GPUs: 800})
	for range waiting + 50 {
		l.submit()
	}
	l.started = 0
	return l
}

// do gives one command, and reports at once that the victims of its decision are gone.
func (l *backlog) do(c core.Command) {
	l.at += fleet.Instant(time.Millisecond)
	out, refusal := core.Step(l.s, core.Request{Command: c, Actor: core.System, Reason: "bench"}, l.at)
	if refusal != nil {
		l.tb.Fatal(refusal)
	}
	for _, e := range out.Record.Events {
		switch e := e.(type) {
		case event.ReplicasPlaced:
			l.started++
		case event.ReplicasEvicted:
			leaving := l.s.Workloads[e.ID].Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })
			l.do(core.ReportStopped{ID: e.ID, Spots: leaving})
		}
	}
}

// submit adds a gang of one to three nodes to each queue.
func (l *backlog) submit() {
	l.number++
	l.do(gang(fmt.Sprintf("q%d", l.number), "n", "q", fleet.Mid, 1+l.number%3))
	l.do(gang(fmt.Sprintf("f%d", l.number), fmt.Sprintf("ns%d", l.number%10), fleet.Flex, fleet.Mid, 1+l.number%3))
}

// turn ends what runs first in the quota and on flex, and submits as much again.
func (l *backlog) turn() {
	p := l.s.Partition("c/g")
	l.do(core.ReportFinished{ID: l.running(p.Account("q").Work())})
	l.do(core.ReportFinished{ID: l.running(p.FlexWork())})
	l.submit()
}

// running is the first of these that runs.
func (l *backlog) running(work []*fleet.Workload) uint64 {
	for _, w := range work {
		if w.State == fleet.RunningW {
			return w.ID
		}
	}
	l.tb.Fatal("nothing runs")
	return 0
}

// TestASubmissionUsesRoomAgain bounds what one submit that starts and its end allocate: the planner, and what may be taken
// back, stand where those of the last turn stood.
func TestASubmissionUsesRoomAgain(t *testing.T) {
	s, i := busyFleet(t, 100), 0
	at := s.Time
	allocs := testing.AllocsPerRun(200, func() {
		at, i = at+fleet.Instant(time.Millisecond), i+1
		_, refusal := core.Step(s, core.Request{Command: gang(fmt.Sprintf("j%d", i), "bench", "t0/q00", fleet.Mid, 1), Actor: core.System}, at)
		if refusal != nil || s.Workloads[s.NextID-1].State != fleet.RunningW {
			t.Fatal(refusal)
		}
		core.Step(s, core.Request{Command: core.ReportFinished{ID: s.NextID - 1}, Actor: core.Reporter}, at)
	})
	if most := 42.0; allocs > most {
		t.Errorf("%v allocations, at most %v are expected", allocs, most)
	}
}
