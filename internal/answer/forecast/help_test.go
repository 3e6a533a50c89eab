package forecast_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/forecast"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// story is a fleet driven by hand; its first moment is an hour after the epoch.
type story struct {
	t *testing.T
	s *fleet.State
}

func at(d time.Duration) fleet.Instant { return fleet.Instant(time.Hour + d) }

// tell makes a fleet of one partition, t/g, whose nodes (of 8 GPUs) are all promised to quota q.
func tell(t *testing.T, nodes int) story {
	st := story{t, fleet.NewState()}
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = 0
	st.do(0, core.SetPolicy{Policy: policy}, core.AddCluster{Name: "t"}, core.AddPartition{Cluster: "t", GPU: "g"},
		core.AddIslands{Partition: "t/g", Islands: []core.NewIsland{{Name: "i", Nodes: nodes}}},
		core.CreateQuota{Path: "q"}, core.SetGrant{Quota: "q", Partition: "t/g", GPUs: 8 * nodes})
	return st
}

func (st story) do(moment time.Duration, commands ...core.Command) {
	st.t.Helper()
	for _, c := range commands {
		if _, refusal := core.Step(st.s, core.Request{Command: c, Actor: core.System, Reason: "test"}, at(moment)); refusal != nil {
			st.t.Fatalf("%T refused: %v", c, refusal)
		}
	}
}

// submit submits a workload of whole nodes.
func (st story) submit(moment time.Duration, name, target string, nodes int, most time.Duration) *fleet.Workload {
	st.t.Helper()
	reach := fleet.ReachAny
	if nodes > 1 {
		reach = fleet.ReachIsland
	}
	st.do(moment, core.Submit{Spec: fleet.Spec{
		Name: name, Namespace: "n", Target: target, Priority: fleet.Mid, MaxRuntime: most, Grace: 30 * time.Second,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: nodes, Max: nodes, Reach: reach}},
	}})
	return st.s.Workload("n", name)
}

func (st story) finish(moment time.Duration, name string) {
	st.do(moment, core.ReportFinished{ID: st.s.Workload("n", name).ID})
}

func (st story) when(moment time.Duration, w *fleet.Workload) forecast.Answer {
	return forecast.When(st.s, w, at(moment), forecast.Options{})
}

// starts expects one and the same moment as P50 and P90.
func starts(t *testing.T, a forecast.Answer, want time.Duration) {
	t.Helper()
	if !a.Known || a.P50 != at(want) || a.P90 != at(want) {
		t.Fatalf("known %v, p50 %s, p90 %s, unknown %v; want both %s", a.Known, a.P50.Sub(at(0)), a.P90.Sub(at(0)), a.Unknown, want)
	}
}

// unknown expects not to know, for one reason.
func unknown(t *testing.T, a forecast.Answer, kind forecast.Kind, name string) {
	t.Helper()
	if a.Known || len(a.Unknown) != 1 || a.Unknown[0].Kind != kind || a.Unknown[0].Name != name {
		t.Fatalf("got %+v; want not known: %s %s", a, kind, name)
	}
}
