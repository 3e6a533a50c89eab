package metrics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/metrics"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What planned work asks of people is counted: each figure is none before, and says so once there is something.
func TestAScrapeSaysWhatPlannedWorkAsksOfPeople(t *testing.T) {
	s := small(t)
	m := metrics.New(func(fn func(*fleet.State)) { fn(s) })
	now := fleet.Instant(1)
	do := func(c core.Command) {
		t.Helper()
		if _, refusal := core.Step(s, core.Request{Command: c, Actor: core.Actor{Name: "operator:ops", User: "ops", Operator: true}, Reason: "told"}, now); refusal != nil {
			t.Fatalf("%T: %v", c, refusal)
		}
	}
	says := func(lines ...string) {
		t.Helper()
		text := scrape(t, m)
		for _, line := range lines {
			if !strings.Contains(text, line+"\n") {
				t.Errorf("the scrape lacks %s", line)
			}
		}
	}
	says(`muster_rollouts{state="running"} 0`, `muster_rollouts{state="paused"} 0`, `muster_rollouts_at_risk 0`, `muster_zone_conflicts 0`, `muster_claims_contradicted 0`, `muster_visits_late 0`)

	do(core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "b", Nodes: 3}}}) // so that the promise lets a node out
	deadline := now.Add(30 * time.Hour)
	do(core.AddUpdate{Update: fleet.NodeUpdate{
		Name: "u", Component: fleet.Component{Name: "driver", Version: "2"}, Impact: fleet.ImpactRestart, Lasts: 2 * time.Hour, Deadline: deadline,
	}})
	do(core.StartRollout{Name: "r", Plan: fleet.RolloutPlan{Scope: "tiger", Updates: []string{"u"}, Canary: fleet.CanaryRule{Nodes: 1, Soak: time.Hour}}})
	says(`muster_rollouts{state="running"} 1`, `muster_rollouts_at_risk 0`, `muster_visits_late 0`)

	do(core.AddZone{Zone: fleet.Zone{
		Name: "z", Scope: "tiger", Spans: []fleet.Span{{From: now.Add(28 * time.Hour), To: now.Add(40 * time.Hour)}},
		ZoneRecord: fleet.ZoneRecord{Reason: "r", Owner: "o", Link: "l"},
	}})
	says(`muster_zone_conflicts 1`)

	do(core.MoveRollout{Name: "r", State: fleet.RolloutPaused})
	now = now.Add(29 * time.Hour)
	do(core.CreateQuota{Path: "elm"}) // figures are of the last record
	says(`muster_rollouts{state="running"} 0`, `muster_rollouts{state="paused"} 1`, `muster_rollouts_at_risk 1`, `muster_visits_late 1`)

	s.Maintained.Updates[0].Record.Counts = fleet.ImpactReplace
	says(`muster_claims_contradicted 1`)
}
