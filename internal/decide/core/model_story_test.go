package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// tale drives the core by hand through a small fleet: one command after another,
// each at so long after the tale's beginning.
type tale struct {
	t *testing.T
	s *fleet.State
}

// moment is so long after every tale's beginning.
func moment(at time.Duration) fleet.Instant {
	return fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)).Add(at)
}

// do carries out commands; none may be refused. It returns what the last led to.
func (st tale) do(at time.Duration, commands ...core.Command) core.Outcome {
	st.t.Helper()
	var last core.Outcome
	for _, c := range commands {
		out, refusal := core.Step(st.s, core.Request{Command: c, Actor: core.System, Reason: "test"}, moment(at))
		if refusal != nil {
			st.t.Fatalf("%T refused: %v", c, refusal)
		}
		last = out
	}
	return last
}

// leave reports that whatever of a workload was leaving is gone.
func (st tale) leave(at time.Duration, ns, name string) {
	st.t.Helper()
	w := st.s.Workload(ns, name)
	st.do(at, core.ReportStopped{ID: w.ID, Spots: w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })})
}

// smallFleet is a story of one partition t/g with islands of these sizes,
// without a buffer.
func smallFleet(t *testing.T, islands ...int) tale {
	t.Helper()
	st := tale{t, fleet.NewState()}
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = 0
	var list []core.NewIsland
	for i, n := range islands {
		list = append(list, core.NewIsland{Name: string(rune('a' + i)), Nodes: n})
	}
	st.do(0, core.SetPolicy{Policy: policy},
		core.AddCluster{Name: "t"}, core.AddPartition{Cluster: "t", GPU: "g"},
		core.AddIslands{Partition: "t/g", Islands: list})
	return st
}

// quota grants whole nodes of t/g to a new quota.
func (st tale) quota(at time.Duration, path string, nodes, gang int) {
	st.t.Helper()
	st.do(at, core.CreateQuota{Path: path},
		core.SetGrant{Quota: path, Partition: "t/g", GPUs: 8 * nodes, Gang: 8 * gang, Overcommit: true})
}

func (st tale) idle(at time.Duration) {
	st.t.Helper()
	if !core.Idle(st.s, moment(at)) {
		st.t.Error("deciding again without a new event changes something")
	}
}

func (st tale) state(ns, name string) fleet.WorkloadState { return st.s.Workload(ns, name).State }

func (st tale) is(ns, name string, want fleet.WorkloadState) {
	st.t.Helper()
	if got := st.state(ns, name); got != want {
		st.t.Errorf("%s/%s is %s, want %s", ns, name, got, want)
	}
}

func pool(name string, rank, gpus, replicas int) fleet.Pool {
	reach := fleet.ReachIsland
	if replicas == 1 {
		reach = fleet.ReachAny
	}
	return fleet.Pool{Name: name, Rank: rank, GPUs: gpus, Min: replicas, Max: replicas, Reach: reach}
}

func elastic(name string, rank, gpus, low, high int) fleet.Pool {
	return fleet.Pool{Name: name, Rank: rank, GPUs: gpus, Min: low, Max: high, Elastic: true, Reach: fleet.ReachAny}
}

func job(ns, name, target string, priority fleet.Priority, pools ...fleet.Pool) core.Submit {
	return core.Submit{Spec: fleet.Spec{
		Name: name, Namespace: ns, Target: target, Priority: priority, Grace: 30 * time.Second, Pools: pools,
	}}
}
