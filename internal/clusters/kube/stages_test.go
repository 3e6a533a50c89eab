package kube

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A node shows the stage of its maintenance, and its pods are told when it is announced, moved, begins and is over; nothing
// is told twice.
func TestNodesAndPodsFollowAMaintenance(t *testing.T) {
	s, now := fleet.NewState(), fleet.InstantOf(time.Unix(1_800_000_000, 0))
	do := func(c core.Command) {
		t.Helper()
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, now); refusal != nil {
			t.Fatal(refusal)
		}
	}
	do(core.AddCluster{Name: "tiger"})
	do(core.AddPartition{Cluster: "tiger", GPU: "h200"})
	do(core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "a", Nodes: 2}}})
	const node = "tiger-h200-a-001"
	pod := translate.Pod{Namespace: "oak", Name: "train-0", UID: "u", Node: node}
	at, stage := now.Add(100*time.Hour), ""
	// follows plays what the reconciler does, and says of what the pod was told.
	follows := func(wantStage, wantTold string) {
		t.Helper()
		p := Snapshot{
			Nodes: []translate.Node{{Name: node, Outage: translate.Outage{Stage: stage}}, {Name: "tiger-h200-a-002"}},
			Work:  []translate.Work{{Pools: []translate.Part{{Pods: []translate.Pod{pod}}}}},
		}
		told := ""
		for _, x := range stagings(s, "tiger", p) {
			if x.pod.UID == "" {
				stage = x.stage
				continue
			}
			told = plannedReason(x.pod, x.stage)
			pod.Planned = x.why
		}
		if stage != wantStage || told != wantTold {
			t.Errorf("the node shows %q and the pod is told %q, want %q and %q", stage, told, wantStage, wantTold)
		}
		p.Nodes[0].Stage, p.Work[0].Pools[0].Pods[0] = stage, pod
		if again := stagings(s, "tiger", p); len(again) > 0 {
			t.Errorf("told again: %+v", again)
		}
	}
	follows("", "")
	do(core.AddNotice{Name: "host", Nodes: []string{node}, Starts: at, Lasts: time.Hour, Impact: fleet.ImpactRestart, Provider: true})
	follows(translate.StagePlanned, "MaintenanceAnnounced")
	do(core.CancelNotice{Name: "host"})
	do(core.AddNotice{Name: "host-2", Nodes: []string{node}, Starts: at.Add(time.Hour), Lasts: time.Hour, Impact: fleet.ImpactRestart, Provider: true})
	follows(translate.StagePlanned, "MaintenanceMoved")
	now = at.Add(time.Hour)
	do(core.Tick{})
	follows(translate.StageDrained, "MaintenanceBegins")
	do(core.ReportVisit{Node: node, Outcome: "passed"})
	follows("", "MaintenanceOver")
}
