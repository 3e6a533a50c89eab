package core_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// story drives the core by hand: one request after another at given moments.
type story struct {
	t *testing.T
	s *fleet.State
}

func (st story) do(at time.Duration, commands ...core.Command) core.Outcome {
	st.t.Helper()
	var last core.Outcome
	for _, c := range commands {
		out, refusal := core.Step(st.s, core.Request{Command: c, Actor: core.System, Reason: "test"}, fleet.Instant(at))
		if refusal != nil {
			st.t.Fatalf("%T refused: %v", c, refusal)
		}
		last = out
	}
	return last
}

func gang(name, ns, target string, priority fleet.Priority, replicas int) core.Submit {
	reach := fleet.ReachIsland
	if replicas == 1 {
		reach = fleet.ReachAny
	}
	return core.Submit{Spec: fleet.Spec{
		Name: name, Namespace: ns, Target: target, Priority: priority, Grace: 30 * time.Second,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: replicas, Max: replicas, Reach: reach}},
	}}
}

func (st story) leave(at time.Duration, ns, name string) {
	w := st.s.Workload(ns, name)
	st.do(at, core.ReportStopped{ID: w.ID, Spots: w.Spots(func(r fleet.Replica) bool { return r.Phase == fleet.Leaving })})
}

func TestInQuotaWorkTakesItsRoomBackFromFlex(t *testing.T) {
	st := story{t, fleet.NewState()}
	st.do(0,
		core.AddCluster{Name: "tiger"}, core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "i1", Nodes: 52}, {Name: "i2", Nodes: 52}}},
		core.CreateQuota{Path: "research/post"},
		core.SetGrant{Quota: "research/post", Partition: "tiger/h200", GPUs: 352, Gang: 352})
	st.do(time.Minute, gang("base1", "oak", fleet.Flex, fleet.Critical, 48))
	st.do(2*time.Minute, gang("base2", "elm", fleet.Flex, fleet.Low, 48))
	st.do(time.Hour, gang("train", "post", "research/post", fleet.Low, 44))
	train, base2 := st.s.Workload("post", "train"), st.s.Workload("elm", "base2")
	if train.State != fleet.Starting || base2.State != fleet.Evicting {
		t.Fatalf("train is %s, base2 is %s; want starting and evicting", train.State, base2.State)
	}
	st.leave(time.Hour+30*time.Second, "elm", "base2")
	if train.State != fleet.RunningW || train.HeldAs() != fleet.HoldsGuaranteed || base2.State != fleet.Pending {
		t.Fatalf("train is %s (%s), base2 is %s", train.State, train.HeldAs(), base2.State)
	}
	if !core.Idle(st.s, fleet.Instant(time.Hour+31*time.Second)) {
		t.Error("deciding again without a new event changes something")
	}
}
