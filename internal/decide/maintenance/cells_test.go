package maintenance_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// told says how many nodes of a rollout wait for each reason, by the rollout and by its nodes.
func (y *yard) told(name string) (byRollout, byNode map[maintenance.Code]int) {
	byRollout, byNode = map[maintenance.Code]int{}, map[maintenance.Code]int{}
	r := y.s.Kept().Rollout(name)
	_, told := maintenance.Told(y.s, r, y.now)
	for _, w := range told {
		byRollout[w.Code] += w.Nodes
	}
	for _, c := range maintenance.CellsOf(y.s, r, y.now) {
		if c.Wait.Code != "" {
			byNode[c.Wait.Code]++
		}
	}
	return byRollout, byNode
}

// What a rollout is said to wait for, and on how many nodes, is what its nodes are said to wait for: also on a node in
// repair, to which no canary comes.
func TestARolloutWaitsForWhatItsNodesWaitFor(t *testing.T) {
	y := neighbours(t, 0, 8)
	for _, name := range []string{"a", "b"} {
		y.must(core.MoveRollout{Name: name, State: fleet.RolloutAbandoned})
	}
	for len(y.s.Kept().Open) > 0 {
		y.visited()
	}
	y.fails(2)
	y.must(core.AddZone{Zone: fleet.Zone{
		Name: "z", Scope: "t", Spans: []fleet.Span{{From: y.now, To: y.now.Add(time.Hour)}}, ZoneRecord: fleet.ZoneRecord{Reason: "r", Owner: "o", Link: "l"},
	}})
	y.must(core.StartRollout{Name: "again", Plan: fleet.RolloutPlan{
		Scope: "t/g/a", Updates: []string{"ub"}, Canary: fleet.CanaryRule{Nodes: 1, Soak: time.Hour}, Waves: []fleet.Permille{1000},
		Limits: fleet.VisitLimit{PerIsland: 4, PerPartition: 8, Failures: -1},
	}})
	by, of := y.told("again")
	if by[maintenance.NoFlyZone] != 4 || of[maintenance.NoFlyZone] != 4 {
		t.Errorf("in the zone it waits for %v, and its nodes for %v", by, of)
	}
	y.now = y.now.Add(time.Hour)
	y.must(core.Tick{})
	y.visited()
	by, of = y.told("again")
	if by[maintenance.Soaking] == 0 || len(by) != len(of) || by[maintenance.Soaking] != of[maintenance.Soaking] {
		t.Errorf("while its canary soaks it waits for %v, and its nodes for %v", by, of)
	}
}

// For a rollout that has ended no node waits: those that lack what it brought are behind.
func TestForAnEndedRolloutNoNodeWaits(t *testing.T) {
	y := neighbours(t, 0, 8)
	y.must(core.MoveRollout{Name: "a", State: fleet.RolloutAbandoned})
	for len(y.s.Kept().Open) > 0 {
		y.visited()
	}
	at := map[maintenance.Standing]int{}
	for _, c := range maintenance.CellsOf(y.s, y.s.Kept().Rollout("a"), y.now) {
		at[c.Stands]++
	}
	if at[maintenance.NodeDone] != 1 || at[maintenance.NodeBehind] != 3 || len(at) != 2 {
		t.Errorf("its nodes stand as %v", at)
	}
}
