package view

import (
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Planned is how much planned work goes on, and how much of it asks for a person.
type Planned struct {
	Running, Paused int // rollouts
	AtRisk          int // rollouts whose remaining visits take longer than until a deadline
	Conflicts       int // deadlines and announced maintenances inside a zone
	Contradicted    int // updates that count as more than they claim
	Late            int // visits that work for longer than planned
}

// PlannedAt counts planned work at a moment.
func PlannedAt(s *fleet.State, now fleet.Instant) (t Planned) {
	m := s.Kept()
	for _, r := range m.Rollouts {
		t.rollout(s, r, now)
	}
	for _, z := range m.Zones {
		t.Conflicts += maintenance.Conflicts(s, z, now)
	}
	for _, u := range m.Updates {
		if u.Record.Withdrawn == 0 && u.Counted() != u.Impact {
			t.Contradicted++
		}
	}
	for _, ref := range m.Open {
		v := s.Partition(ref.Partition).Nodes[ref.Node].Visit
		if v.State == fleet.VisitWorking && v.Since.Add(v.Lasts) < now {
			t.Late++
		}
	}
	return t
}

func (t *Planned) rollout(s *fleet.State, r *fleet.Rollout, now fleet.Instant) {
	switch {
	case !r.Open() || r.Joined != "":
		return
	case r.State == fleet.RolloutPaused:
		t.Paused++
	default:
		t.Running++
	}
	if maintenance.AtRisk(s, r, now) {
		t.AtRisk++
	}
}
