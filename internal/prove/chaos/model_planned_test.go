package chaos_test

import (
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file writes the lines of stories with planned work: updates, rollouts, zones that
// come and go, announced maintenances, and executors that say how visits went, or lie. It
// draws nothing where there is none, so that the other stories stay as they are.

// maintains writes a line about planned work.
func (a *author) maintains() core.Command {
	m := a.w.s.Kept()
	roll := a.upTo(100)
	switch {
	case len(m.Open) > 0 && roll < 40:
		return a.visited(pick(a, m.Open...))
	case roll < 50 || len(m.Updates) == 0:
		return a.update()
	case roll < 65:
		return a.rollout(m)
	case roll < 72 && len(m.Rollouts) > 0:
		return core.MoveRollout{Name: pick(a, m.Rollouts...).Name, State: pick(a, fleet.RolloutPaused, fleet.RolloutRunning, fleet.RolloutRunning, fleet.RolloutAbandoned), NotTheUpdate: roll%2 == 0}
	case roll < 80:
		return a.zone()
	case roll < 84 && len(m.Zones) > 0:
		return core.EndZone{Name: pick(a, m.Zones...).Name}
	case roll < 92:
		return a.announce()
	case roll < 94 && len(m.Notices) > 0:
		return core.CancelNotice{Name: pick(a, m.Notices...).Name}
	case roll < 95:
		return core.WithdrawUpdate{Name: pick(a, m.Updates...).Name}
	default:
		return a.agree()
	}
}

func (a *author) called(kind string) string {
	a.names++
	return fmt.Sprintf("%s%d", kind, a.names)
}

// visited is what an executor says of a visit. Sometimes its node runs something else.
func (a *author) visited(ref fleet.NodeRef) core.Command {
	v := a.w.s.Partition(ref.Partition).Nodes[ref.Node].Visit
	c := core.ReportVisit{Node: v.Node, Key: v.Key, Outcome: pick(a, core.Passed, core.Passed, core.Passed, core.Worked, core.Failed)}
	switch a.upTo(10) {
	case 0:
		c.Runs = fleet.Runs{{Name: "c0", Version: "old"}}
	case 1:
		c.Key++ // it means another visit
	}
	return c
}

func (a *author) update() core.Command {
	return core.AddUpdate{Update: fleet.NodeUpdate{
		Name: a.called("u"), Component: fleet.Component{Name: fmt.Sprintf("c%d", a.upTo(3)), Version: fmt.Sprint(a.upTo(4))},
		Impact: pick(a, fleet.Impacts()...), Lasts: pick(a, 5*time.Minute, time.Hour, 8*time.Hour), Deadline: a.later(8), NotBefore: a.later(10),
	}}
}

// later is a moment to come in so many of ten cases not at all.
func (a *author) later(never int) fleet.Instant {
	if a.upTo(10) < never {
		return 0
	}
	return a.w.now.Add(time.Duration(1+a.upTo(72)) * time.Hour)
}

func (a *author) rollout(m *fleet.Maintained) core.Command {
	plan := fleet.RolloutPlan{
		Scope: pick(a, "fleet", "t", "t/g", "u", "t/g/i"), Canary: fleet.CanaryRule{Nodes: 1 + a.upTo(3), Soak: pick(a, 0, 10*time.Minute, 24*time.Hour), Auto: a.chance(30)},
		Waves: pick(a, nil, []fleet.Permille{300, 1000}), Bisect: a.chance(50),
		Limits: fleet.VisitLimit{PerIsland: 1 + a.upTo(3), PerPartition: a.upTo(4), Racks: a.chance(20), Failures: a.upTo(4) - 1},
	}
	for range 1 + a.upTo(3) {
		plan.Updates = append(plan.Updates, pick(a, m.Updates...).Name)
	}
	return core.StartRollout{Name: a.called("r"), Plan: plan}
}

func (a *author) zone() core.Command {
	from := a.w.now.Add(time.Duration(a.upTo(48)-12) * time.Hour)
	return core.AddZone{Zone: fleet.Zone{
		Name: a.called("z"), Scope: pick(a, append([]string{"fleet", "t", "t/g", "t/g/i"}, quotaPaths...)...), Spans: []fleet.Span{{From: from, To: from.Add(time.Duration(1+a.upTo(30)) * time.Hour)}},
		ZoneRecord: fleet.ZoneRecord{Reason: "drawn", Owner: "o", Link: "https://example.com"},
	}}
}

func (a *author) announce() core.Command {
	p := a.partition()
	c := core.AddNotice{
		Name: a.called("m"), Starts: a.w.now.Add(time.Duration(1+a.upTo(40)) * time.Hour), Lasts: pick(a, 10*time.Minute, 3*time.Hour),
		Impact: pick(a, fleet.Impacts()...), Provider: a.chance(50),
	}
	for _, n := range p.Nodes {
		if a.chance(20) && n.State != fleet.Retired {
			c.Nodes = append(c.Nodes, n.Name)
		}
	}
	return c
}

// agree lets the owner of some work say when it may stop.
func (a *author) agree() core.Command {
	open := a.w.open()
	if len(open) == 0 {
		return core.Tick{}
	}
	w := pick(a, open...)
	return core.AgreeToStop{Namespace: w.Namespace, Name: w.Name, At: a.w.now.Add(time.Duration(a.upTo(20)) * time.Hour)}
}
