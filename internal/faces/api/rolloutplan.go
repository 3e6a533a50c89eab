package api

import (
	"context"
	"fmt"
	"strings"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/forecast"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// planNotes says of a rollout that is only tried what follows its first visits: how many nodes each stage visits, and when it
// should end. Where that cannot be tried now, nothing is said.
func (s maintenanceService) planNotes(ctx context.Context, m *musterv1.StartRolloutRequest, c core.Command) (notes []string) {
	if !s.triable(false) {
		return nil
	}
	_, _ = s.private(ctx, nil, func(tried *fleet.State, now fleet.Instant) error {
		if _, refusal := core.Step(tried, core.Request{Command: c, Actor: callerOf(ctx).actor, Reason: "plan"}, now); refusal != nil {
			return nil //nolint:nilerr // the dry run itself has told the refusal
		}
		r := tried.Kept().Rollout(m.GetName())
		if r == nil || !r.Open() || r.Joined != "" {
			return nil
		}
		until := time.Now().Add(playingOn)
		end := forecast.EndOf(tried, m.GetName(), now, forecast.Options{Stop: func() bool { return time.Now().After(until) }})
		notes = append(notes, stagesNote(maintenance.StagesOf(tried, r, now)), endNote(end))
		return nil
	})
	return notes
}

func stagesNote(stages []maintenance.Stage) string {
	parts := make([]string, len(stages))
	for i, x := range stages {
		parts[i] = fmt.Sprintf("%s (%s)", x.Name, text.Count(x.Nodes, "node"))
	}
	if len(parts) == 0 {
		return "No node is left to visit."
	}
	return "Its stages, one after another: " + strings.Join(parts, ", ") + "."
}

func endNote(e forecast.End) string {
	if !e.Known {
		return "When it ends is not known: " + e.Unknown + "."
	}
	return "It should end by " + text.Weekday(e.P50.Time()) + " (p50), and in nine of ten cases by " + text.Weekday(e.P90.Time()) + " (p90)."
}
