package web_test

import (
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// planned is a house with a rollout over all nodes, of which ten are in use, and with a zone over island i1 alone.
func planned(t *testing.T) *house {
	h := open(t, nil).furnish()
	week := fleet.Span{From: fleet.Instant(h.clock.Load()), To: fleet.Instant(h.clock.Load()).Add(7 * 24 * time.Hour)}
	h.do(
		core.AddUpdate{Update: fleet.NodeUpdate{Name: "driver-580", Component: fleet.Component{Name: "gpu-driver", Version: "580"}, Impact: fleet.ImpactRestart, Lasts: time.Hour}},
		core.AddZone{Zone: fleet.Zone{Name: "launch", Scope: "tiger/h200/i1", Spans: []fleet.Span{week}, ZoneRecord: fleet.ZoneRecord{Reason: "a launch", Owner: "ada", Link: "https://example.com/launch"}}},
		core.StartRollout{Name: "driver", Plan: fleet.RolloutPlan{Scope: "tiger/h200", Updates: []string{"driver-580"}, Limits: fleet.VisitLimit{Failures: -1}}},
		core.AddNotice{Name: "host-update", Nodes: []string{"tiger-h200-i1-001"}, Starts: fleet.Instant(h.clock.Load()).Add(48 * time.Hour), Lasts: time.Hour, Impact: fleet.ImpactRestart, Provider: true},
	)
	return h
}

// A rollout's page has its plan, what its nodes wait for in sentences, its islands, canaries and combinations.
func TestARolloutHasAPage(t *testing.T) {
	h := planned(t)
	_, body := h.get("/rollout/driver")
	has(t, body, "Rollout driver", "in stage canary: 0 of 16 nodes have driver-580", "Canary: 2 nodes for each combination", "5 %, 25 %, 100 % of the nodes that remain",
		"No-fly zone launch keeps visits away, until", "tiger/h200/i1", "gpu-driver", "untested", "muster rollout show driver")
	if code, body := h.get("/rollout/none"); code != 404 {
		t.Errorf("a rollout that is not there: %d", code)
	} else {
		has(t, body, "muster rollout list")
	}
}

// A zone's board says what it costs: who is behind it, what starts when it lifts and whether that is proven, and what
// falls inside.
func TestAZoneHasABoard(t *testing.T) {
	h := planned(t)
	_, body := h.get("/zone/launch")
	has(t, body, "It is in force until", "8 nodes under it lack an update that it keeps away", "1 combination that piles up was never proven", "deadlines and announced maintenances inside: 1",
		"gpu-driver", "/rollout/driver", "Maintenance host-update", "the provider heeds no zone")
	if code, _ := h.get("/zone/none"); code != 404 {
		t.Errorf("a zone that is not there: %d", code)
	}
}

// The page Drift says how far behind each partition is.
func TestDriftSaysWhoIsBehind(t *testing.T) {
	h := planned(t)
	_, body := h.get("/drift")
	has(t, body, "16 of 16 nodes lack an update that fits; in 1 partition every node does.", "driver-580")
}

// Planned work stands on the pages of those whom it concerns, with what becomes of their work.
func TestPlannedWorkStandsWhereItConcerns(t *testing.T) {
	h := planned(t)
	for path, wants := range map[string][]string{
		"/":                       {"Planned work", "/rollout/driver", "host-update"},
		"/partition/tiger/h200":   {"/rollout/driver", "is left alone until it ends"},
		"/node/tiger-h200-i1-001": {"host-update", "The provider takes the nodes at that moment"},
		"/team/research/oak":      {"/rollout/driver"},
		"/workload/oak/base":      {"/rollout/driver", "muster maintenance agree oak/base --at 2h"},
	} {
		_, body := h.get(path)
		has(t, body, wants...)
	}
}
