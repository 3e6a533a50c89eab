package past_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// world is a small fleet whose history is made step by step, and heard.
type world struct {
	t     testing.TB
	s     *fleet.State
	now   fleet.Instant
	heard []func(event.Record, *fleet.State) // with the state right after the record
}

// start is when every history begins: a Saturday.
var start = time.Date(2025, 11, 22, 0, 0, 0, 0, time.UTC)

func newWorld(t testing.TB, heard ...func(event.Record, *fleet.State)) *world {
	w := &world{t: t, s: fleet.NewState(), now: fleet.InstantOf(start), heard: heard}
	for _, c := range []core.Command{
		core.AddCluster{Name: "tiger"},
		core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Nodes: 5}, {Name: "b", Nodes: 3}}},
		core.AddCluster{Name: "lion"},
		core.AddPartition{Cluster: "lion", GPU: "b200", GPUsPerNode: 4},
		core.AddIslands{Partition: "lion/b200", Islands: []core.NewIsland{{Name: "c", Nodes: 4}}},
		core.CreateQuota{Path: "r/x"},
		core.CreateQuota{Path: "r/y"},
		core.SetGrant{Quota: "r/x", Partition: "tiger/h200", GPUs: 24, Gang: 16, Overcommit: true},
		core.SetGrant{Quota: "r/y", Partition: "tiger/h200", GPUs: 24, Overcommit: true},
		core.SetGrant{Quota: "r/x", Partition: "lion/b200", GPUs: 8, Overcommit: true},
	} {
		w.must(c)
	}
	return w
}

// do carries out a command; one that is refused does nothing.
func (w *world) do(c core.Command) *core.Refusal {
	w.t.Helper()
	out, refusal := core.Step(w.s, core.Request{Command: c, Actor: core.System, Reason: "a test"}, w.now)
	if refusal == nil && len(out.Record.Events) > 0 {
		for _, hear := range w.heard {
			hear(out.Record, w.s)
		}
	}
	return refusal
}

// must carries out a command that must not be refused.
func (w *world) must(c core.Command) {
	w.t.Helper()
	if refusal := w.do(c); refusal != nil {
		w.t.Fatal(errors.New(refusal.Error()))
	}
}

// pass lets time pass, with all that happens by itself on the way.
func (w *world) pass(d time.Duration) {
	end := w.now.Add(d)
	for due := w.due(); due <= end; due = w.due() {
		w.now = max(w.now, due)
		w.leave()
		w.do(core.Tick{})
	}
	w.now = end
}

// due is the next moment at which something happens by itself.
func (w *world) due() fleet.Instant {
	due := w.s.NextAlarm()
	for _, j := range w.s.Workloads {
		if j.GraceEnds != 0 && j.At() != nil {
			due = min(due, j.GraceEnds)
		}
	}
	return due
}

// leave lets go what has used its grace.
func (w *world) leave() {
	for id := uint64(1); id < w.s.NextID; id++ {
		j := w.s.Workloads[id]
		if j == nil || j.At() == nil || j.GraceEnds == 0 || j.GraceEnds > w.now {
			continue
		}
		w.must(core.ReportStopped{ID: id, Spots: j.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })})
	}
}

// live makes a random history of so many steps.
func (w *world) live(r *rand.Rand, steps int) {
	for k := range steps {
		if r.IntN(40) == 0 {
			w.pass(time.Duration(r.Int64N(int64(60 * 24 * time.Hour))))
		} else {
			w.pass(time.Duration(r.Int64N(int64(9 * time.Hour))))
		}
		w.step(r, k)
	}
}

func (w *world) step(r *rand.Rand, k int) {
	switch r.IntN(10) {
	case 0, 1, 2, 3:
		w.do(core.Submit{Spec: w.spec(r, k)})
	case 4, 5, 6:
		w.do(w.strike(r))
	case 7:
		w.do(core.ReportFinished{ID: 1 + r.Uint64N(w.s.NextID), Failed: r.IntN(2) == 0})
	case 8:
		id := 1 + r.Uint64N(w.s.NextID)
		if j := w.s.Workloads[id]; j != nil {
			w.do(core.Cancel{Namespace: j.Namespace, Name: j.Name})
		}
	case 9:
		w.do(core.SetGrant{Quota: []string{"r/x", "r/y"}[r.IntN(2)], Partition: "tiger/h200", GPUs: 8 * r.IntN(6), Overcommit: true})
	}
}

func (w *world) spec(r *rand.Rand, k int) fleet.Spec {
	s := fleet.Spec{
		Name: fmt.Sprint("w", k), Namespace: []string{"n", "m"}[r.IntN(2)], Target: []string{"r/x", "r/y", fleet.Flex}[r.IntN(3)],
		Priority: fleet.Priority(r.IntN(4)), Grace: time.Duration(r.IntN(600)) * time.Second,
		CheckpointEvery: time.Duration(r.IntN(3)) * time.Hour, Partition: []string{"", "tiger/h200"}[r.IntN(2)],
	}
	n := 1 + r.IntN(3)
	pool := fleet.Pool{Name: "p", GPUs: 1 + r.IntN(8), Min: n, Max: n, Reach: fleet.ReachIsland}
	if r.IntN(3) == 0 {
		pool.Elastic, pool.Max, pool.Reach = true, n+r.IntN(4), fleet.ReachAny
	}
	s.Pools = []fleet.Pool{pool}
	return s
}

func (w *world) strike(r *rand.Rand) core.SetNodes {
	p := w.s.Partitions[r.IntN(len(w.s.Partitions))]
	n := p.Nodes[r.IntN(len(p.Nodes))]
	states := fleet.NodeStates()
	set := core.SetNodes{Names: []string{n.Name}, State: states[r.IntN(len(states))]}
	if r.IntN(3) > 0 {
		set.State = fleet.Healthy
	}
	if set.State == fleet.Degraded {
		set.Dead = 1 + r.IntN(2)
	}
	if set.State == fleet.Retired && r.IntN(5) > 0 {
		set.State = fleet.Repairing
	}
	if set.State != fleet.Healthy && r.IntN(3) > 0 {
		set.Signal = []string{"XID 79: fell off the bus", "IBLinkFlapping on port 3", "GPUMissing"}[r.IntN(3)]
	}
	return set
}
