package api

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/durationpb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/forecast"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/decide/maintenance"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// endOf is when a rollout should end, found on a copy of the state, and how long to search next where there
// was no time to play all of it through. left: it need not be played on.
func (x *searchTime) endOf(left func() bool, tried *fleet.State, name string, now fleet.Instant) (end forecast.End, longer *durationpb.Duration) {
	x.begin()
	end = forecast.EndOf(tried, name, now, forecast.Options{Steps: x.times(forecast.DefaultSteps), Stop: func() bool { return left() || x.over(x.end) }})
	if end.TooFar {
		longer = x.longerFor(func(steps int) bool { return forecast.WithinReach(tried, name, now, steps) })
	}
	return end, longer
}

// longerFor is how long to search next for what is in reach of so many steps; nil: of no search that may be asked for.
func (x *searchTime) longerFor(within func(steps int) bool) *durationpb.Duration {
	longest := int(float64(forecast.DefaultSteps) * max(1, float64(longestSearch)/float64(x.ordinary)))
	if !within(longest) {
		return nil
	}
	return x.longer()
}

// planNotes says of a rollout that is only tried what follows its first visits: how many nodes each stage visits, and when it
// should end, as far as there is time. Where that cannot be tried now, nothing is said.
func (s maintenanceService) planNotes(ctx context.Context, m *musterv1.StartRolloutRequest, c core.Command, x *searchTime) (notes []string) {
	if !s.triable(false) {
		return nil
	}
	_, _ = s.private(ctx, nil, func(tried *fleet.State, now fleet.Instant) error {
		if _, refusal := core.Step(tried, core.Request{Command: c, Actor: callerOf(ctx).actor, Reason: "plan"}, now); refusal != nil {
			return nil //nolint:nilerr // the dry run itself has told the refusal
		}
		r := tried.Kept().Rollout(m.GetName())
		if notes = noneFits(tried, m.GetName(), now); notes != nil {
			return nil
		}
		if r == nil || !r.Open() || r.Joined != "" {
			return nil
		}
		end, longer := x.endOf(func() bool { return ctx.Err() != nil }, tried, m.GetName(), now)
		notes = append(notes, stagesNote(maintenance.StagesOf(tried, r, now)), endNote(end, longer))
		return nil
	})
	return notes
}

// noneFits says of a rollout that ended as it began why: it has no node to visit.
func noneFits(s *fleet.State, name string, now fleet.Instant) []string {
	r := s.Kept().Rollout(name)
	if r == nil || r.State != fleet.RolloutDone || len(maintenance.CellsOf(s, r, now)) > 0 {
		return nil
	}
	return []string{"No node of its scope fits its updates: it is done at once, and visits none."}
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

func endNote(e forecast.End, longer *durationpb.Duration) string {
	if !e.Known && longer != nil {
		return "When it ends is not known: " + e.Unknown + "; --search " + text.Duration(longer.AsDuration()) + " gives it more."
	}
	if !e.Known {
		return "When it ends is not known: " + e.Unknown + "."
	}
	return "It should end by " + text.Weekday(e.P50.Time()) + " (p50), and in nine of ten cases by " + text.Weekday(e.P90.Time()) + " (p90)."
}
