package clusterlife_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/answer/clusterlife"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// many plans 1,000 clusters in one account, and lets half of them have their cores.
func many(tb testing.TB) (*fleet.State, fleet.Instant) {
	tb.Helper()
	s, now := fleet.NewState(), fleet.InstantOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	do := func(c core.Command) {
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, now); refusal != nil {
			tb.Fatal(refusal)
		}
	}
	do(core.AddBlueprint{Blueprint: fleet.Blueprint{
		Name: "nd", Version: 1, Meters: []fleet.Meter{{Meter: "nd", PerNode: 10}, {Meter: "cores", PerNode: 10}}, Checkin: fleet.CheckinInventory,
	}})
	var plans core.Batch
	for i := range 1000 {
		plans.Commands = append(plans.Commands, core.PlanCluster{Record: fleet.ClusterRecord{
			Name: fmt.Sprintf("c%04d", i), Subscription: "s", Region: "east", GPU: "h200", Priority: fleet.Mid, Blueprint: "nd", Islands: []fleet.RecordIsland{{Name: "a", Nodes: 1}},
		}})
	}
	do(plans)
	do(core.ReportCounts{Subscription: "s", Region: "east", Counts: []fleet.CloudCount{{Meter: "cores", Limit: 100_000}, {Meter: "nd", Limit: 5000}}})
	return s, now
}

// A thousand clusters in one account are looked at in the time of a page, and what is seen
// of one of them costs one look.
func TestAThousandClusters(t *testing.T) {
	began := time.Now()
	s, now := many(t)
	planned := time.Since(began)
	began = time.Now()
	list := clusterlife.All(s, now)
	board := time.Since(began)
	phases := map[string]int{}
	for _, c := range list {
		phases[string(c.Verdict.Phase)]++
	}
	if phases["Provisioning"] != 500 || phases["Planned"] != 500 {
		t.Errorf("phases %v; half of the cores are there", phases)
	}
	for _, m := range clusterlife.Ledgers(s, now)[0].Meters {
		if m.Free < 0 || m.Meter == "nd" && m.Reserved != 5000 {
			t.Errorf("the ledger says %+v", m)
		}
	}
	began = time.Now()
	op := s.Life("c0001").Step(fleet.StepPipeline).Operation
	if _, refusal := core.Step(s, core.Request{
		Command: core.ReportOperation{Cluster: "c0001", Step: fleet.StepPipeline, ID: op.ID, State: fleet.OperationRunning}, Actor: core.System,
	}, now); refusal != nil || op.ID == "" {
		t.Fatal(op, refusal)
	}
	one := time.Since(began)
	t.Logf("planned in %s, all of them looked at in %s, one report decided in %s", planned, board, one)
	if board > 2*time.Second { // far above what it takes: a board that costs the square of its clusters
		t.Errorf("the board took %s", board)
	}
}
