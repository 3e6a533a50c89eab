package notify

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// soon is a moment after all records of a house.
func (h *house) soon(after time.Duration) fleet.Instant {
	return fleet.InstantOf(time.Unix(1_800_000_000, 0)).Add(after)
}

func driver(deadline fleet.Instant) core.AddUpdate {
	return core.AddUpdate{Update: fleet.NodeUpdate{Name: "driver", Component: fleet.Component{Name: "gpu-driver", Version: "580"}, Impact: fleet.ImpactRestart, Lasts: time.Hour, Deadline: deadline}}
}

// A team hears of a rollout, a zone and a maintenance over the nodes where its work stands, and of no others.
func TestATeamHearsOfPlannedWorkOnItsNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.do(core.AddIslands{Partition: "tiger/h200", Islands: []core.NewIsland{{Name: "b", Nodes: 2}}})
		h.submit("oak", "train", "research/oak", 1)
		on, _ := h.s.FindNode("tiger-h200-a-001")
		if len(on.Nodes[0].Residents()) == 0 {
			t.Fatal("the team's work stands elsewhere")
		}
		n := h.open(t.TempDir(), fleet.Subscription{Name: "oak", Namespace: "oak"}, fleet.Subscription{Name: "elm", Namespace: "elm"}, fleet.Subscription{Name: "all", Kinds: []fleet.NoticeKind{fleet.NoticePlanned}})
		week := []fleet.Span{{From: h.soon(10 * time.Hour), To: h.soon(100 * time.Hour)}}
		h.do(
			driver(0), core.StartRollout{Name: "r1", Plan: fleet.RolloutPlan{Scope: "tiger/h200/a", Updates: []string{"driver"}, Limits: fleet.VisitLimit{Failures: -1}}},
			core.AddZone{Zone: fleet.Zone{Name: "launch", Scope: "tiger", Spans: week, ZoneRecord: fleet.ZoneRecord{Reason: "a launch", Owner: "ada", Link: "https://example.com"}}},
			core.AddNotice{Name: "far", Nodes: []string{"tiger-h200-b-001"}, Starts: h.soon(400 * time.Hour), Lasts: time.Hour, Impact: fleet.ImpactRestart, Provider: true},
			core.AddNotice{Name: "near", Nodes: []string{"tiger-h200-a-001"}, Starts: h.soon(400 * time.Hour), Lasts: time.Hour, Impact: fleet.ImpactRestart, Provider: true},
			core.EndZone{Name: "launch"},
		)
		run(t, n, time.Minute)
		byName := map[string]string{}
		for _, m := range h.got {
			byName[m.Subscription] += m.Text + "\n"
		}
		for name, wants := range map[string][]string{
			"oak": {"rollout r1 of driver over tiger/h200/a was started", "no-fly zone launch over tiger is in force from", "a launch", "maintenance near takes tiger-h200-a-001", "it is the provider's", "zone launch over tiger was ended before its time"},
			"all": {"rollout r1", "maintenance far takes", "maintenance near takes"},
		} {
			for _, want := range wants {
				if !strings.Contains(byName[name], want) {
					t.Errorf("%s was not told %q, but\n%s", name, want, byName[name])
				}
			}
		}
		if strings.Contains(byName["oak"], "maintenance far") || byName["elm"] != "" {
			t.Errorf("told of nodes where none of their work stands: oak\n%selm\n%s", byName["oak"], byName["elm"])
		}
	})
}

// A deadline that the remaining visits cannot keep is told when a rollout starts.
func TestADeadlineAtRiskIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		n := h.open(t.TempDir(), fleet.Subscription{Name: "all", Kinds: []fleet.NoticeKind{fleet.NoticeDeadline}})
		h.do(driver(h.soon(2*time.Hour)), core.StartRollout{Name: "r1", Plan: fleet.RolloutPlan{Scope: "tiger", Updates: []string{"driver"}, Limits: fleet.VisitLimit{Failures: -1}}})
		run(t, n, time.Minute)
		if !strings.Contains(h.texts(), "a deadline of rollout r1 is at risk") {
			t.Errorf("told only\n%s", h.texts())
		}
	})
}
