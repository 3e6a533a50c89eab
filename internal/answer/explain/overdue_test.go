package explain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/reason"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// do steps a fleet at a moment after 2026-01-10.
func do(t *testing.T, s *fleet.State, after time.Duration, commands ...core.Command) fleet.Instant {
	t.Helper()
	at := fleet.InstantOf(time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)).Add(after)
	for _, c := range commands {
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System, Reason: "test"}, at); refusal != nil {
			t.Fatalf("%T refused: %v", c, refusal)
		}
	}
	return at
}

func one(name, ns, target string) core.Submit {
	return core.Submit{Spec: fleet.Spec{
		Name: name, Namespace: ns, Target: target, Priority: fleet.Mid, Grace: 30 * time.Second,
		Pools: []fleet.Pool{{Name: "w", GPUs: 8, Min: 1, Max: 1, Reach: fleet.ReachAny}},
	}}
}

// TestWhoWaitsForAVictimThatDoesNotLeaveIsToldSo asks the owner and the victim
// within the grace, and when the order was given again.
func TestWhoWaitsForAVictimThatDoesNotLeaveIsToldSo(t *testing.T) {
	s := fleet.NewState()
	policy := fleet.DefaultPolicy()
	policy.Buffer.Share = 0
	do(t, s, 0, core.SetPolicy{Policy: policy}, core.AddCluster{Name: "tiger"}, core.AddPartition{Cluster: "tiger", GPU: "h200"},
		core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "i1", Nodes: 1}}},
		core.CreateQuota{Path: "q"}, core.SetGrant{Quota: "q", Partition: "tiger/h200", GPUs: 8}, one("low", "oak", fleet.Flex))
	now := do(t, s, time.Minute, one("high", "elm", "q"))
	high, low := s.Workload("elm", "high"), s.Workload("oak", "low")
	b := explain.Why(s, high, now)[0]
	if b.Code != reason.Evicting || b.Class != reason.Wait || strings.Contains(b.Text, "not reported it gone") || b.Next.At != low.GraceEnds {
		t.Fatalf("within the grace: %+v", b)
	}
	if list := explain.Why(s, low, now); len(list) > 0 {
		t.Fatalf("the victim within its grace: %+v", list)
	}
	now = do(t, s, 7*time.Minute, core.Tick{})
	b = explain.Why(s, high, now)[0]
	says := "oak/low was told to leave at 2026-01-10 00:01:00 UTC, by 2026-01-10 00:01:30 UTC, and its cluster has not reported it gone (told again once)"
	if b.Code != reason.Evicting || b.Class != reason.Fault || b.Figures["overdue"] != 8 || !strings.Contains(b.Text, says) || b.Next.At <= now {
		t.Fatalf("when it is overdue: %+v", b)
	}
	list := explain.Why(s, low, now)
	if len(list) != 1 || list[0].Class != reason.Fault || !strings.Contains(list[0].Text, says) {
		t.Fatalf("the victim that is overdue: %+v", list)
	}
}
