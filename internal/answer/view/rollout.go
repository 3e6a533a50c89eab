package view

import (
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Rollout is where a rollout stands.
type Rollout struct {
	Rollout string               `json:"rollout"`
	Scope   string               `json:"scope"`
	Updates []string             `json:"updates"`
	State   fleet.RolloutState   `json:"state"`
	Stage   string               `json:"stage"`
	Of      int                  `json:"of"`
	Done    int                  `json:"done"`
	Failed  int                  `json:"failed"`
	Visits  int                  `json:"visits"` // open ones
	Waits   []string             `json:"waits"`  // codes
	Why     string               `json:"why,omitempty"`
	By      string               `json:"by"`
	Added   fleet.Instant        `json:"added"`
	Began   fleet.Instant        `json:"began"`
	Ended   fleet.Instant        `json:"ended"`
	Culprit []string             `json:"culprit,omitempty"`
	Reasons []maintenance.Wait   `json:"reasons"`
	Targets []maintenance.Target `json:"targets"`
}

// RolloutAt is where a rollout stands at a moment.
func RolloutAt(s *fleet.State, r *fleet.Rollout, now fleet.Instant) Rollout {
	o, told := maintenance.Told(s, r, now)
	row := Rollout{
		Rollout: r.Name, Scope: r.Scope, Updates: r.Updates, State: o.State, Stage: o.Stage, Of: o.Of, Done: o.Done, Failed: o.Failed,
		Visits: o.Visits, Waits: []string{}, Why: r.Why, By: r.By, Added: r.Added, Began: r.Began, Ended: r.Ended, Culprit: r.Culprit,
		Reasons: told, Targets: o.Targets,
	}
	if len(r.Nodes) > 0 {
		row.Scope = strings.Join(r.Nodes, ", ")
	}
	for _, w := range o.Waits {
		if !slices.Contains(row.Waits, string(w.Code)) {
			row.Waits = append(row.Waits, string(w.Code))
		}
	}
	return row
}
