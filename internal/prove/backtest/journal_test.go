package backtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/prove/backtest"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What the engine wrote is read back as the past that it was: two nodes of island a
// were down from hour 2 to hour 5, one of island b within hour 3 only.
func TestAJournalIsAPast(t *testing.T) {
	j := memory.New()
	s := fleet.NewState()
	begins := fleet.InstantOf(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	write := func(at time.Duration, c core.Command) {
		t.Helper()
		out, refusal := core.Step(s, core.Request{Command: c, Actor: core.System}, begins.Add(at))
		if refusal != nil {
			t.Fatal(refusal)
		}
		data, err := event.Encode(out.Record)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Append(t.Context(), []journal.Entry{{Seq: out.Record.Seq, At: int64(out.Record.At), Data: data}}); err != nil {
			t.Fatal(err)
		}
	}
	set := func(at time.Duration, state fleet.NodeState, nodes ...string) {
		t.Helper()
		write(at, core.SetNodes{Names: nodes, State: state, Signal: "test"})
	}
	write(0, core.AddCluster{Name: "t"})
	write(0, core.AddPartition{Cluster: "t", GPU: "g", GPUsPerNode: 4})
	write(0, core.AddIslands{Partition: "t/g", Islands: []core.NewIsland{{Name: "a", Nodes: 4, Racks: 2}, {Name: "b", Nodes: 3}}})
	set(2*time.Hour, fleet.Repairing, "t-g-a-001", "t-g-a-002")
	set(3*time.Hour+10*time.Minute, fleet.Suspect, "t-g-b-001")
	set(3*time.Hour+20*time.Minute, fleet.Healthy, "t-g-b-001")
	set(5*time.Hour+30*time.Minute, fleet.Healthy, "t-g-a-001", "t-g-a-002")
	set(9*time.Hour, fleet.Suspect, "t-g-a-001")

	groups, err := backtest.ReadJournal(t.Context(), j)
	if err != nil || len(groups) != 2 || len(groups[1].Pools) != 2 {
		t.Fatalf("%v, %v", groups, err)
	}
	whole, a, b := groups[0].Pools[0], groups[1].Pools[0], groups[1].Pools[1]
	if whole.GPUsPerNode != 4 || a.Racks != 2 || len(whole.Hours) != 9 {
		t.Errorf("%+v", whole)
	}
	for hour, want := range [][3]int{{}, {}, {2, 2, 0}, {3, 2, 1}, {2, 2, 0}, {2, 2, 0}, {}, {}, {}} {
		got := [3]int{whole.Hours[hour].Peak, a.Hours[hour].Peak, b.Hours[hour].Peak}
		if got != want || whole.Hours[hour].Nodes != 7 || b.Hours[hour].Level != 0 {
			t.Errorf("hour %d: at most down %v, want %v: %+v", hour, got, want, whole.Hours[hour])
		}
	}
	// Kept are the promises of hours 0, 4, 5 and 6; those of 1, 2 and 3 meet the failures of hours 2 and 3.
	policy, _ := backtest.ParsePolicy("fixed=0")
	rows, err := backtest.Run(context.Background(), backtest.Options{Groups: groups, Policies: []backtest.Policy{policy}, Horizons: []int{2}})
	if err != nil || rows[0].Promises != 7 || rows[0].Kept != 4 {
		t.Errorf("%+v, %v", rows, err)
	}
}
