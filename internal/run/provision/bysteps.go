package provision

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// BySteps is an Outside of several adapters, each for the steps that it is named for. A
// step without an adapter is refused, and says so.
type BySteps map[fleet.Step]Outside

// Find looks an operation up by the adapter of its step.
func (b BySteps) Find(ctx context.Context, o Order) (Report, bool, error) {
	if p := b[o.Step]; p != nil {
		return p.Find(ctx, o)
	}
	return Report{}, false, nil
}

// Begin begins an operation by the adapter of its step.
func (b BySteps) Begin(ctx context.Context, o Order) (Report, error) {
	if p := b[o.Step]; p != nil {
		return p.Begin(ctx, o)
	}
	err := fmt.Errorf("this server has no adapter for step %s of provider %s; %s", o.Step, o.Record.Provider, setUp(o.Step))
	return Report{}, &Refused{Class: fleet.ErrorFix, Err: err}
}

// setUp says how an adapter of a step is set up.
func setUp(step fleet.Step) string {
	switch step {
	case fleet.StepCheckin:
		return "start it with --checkin-repository"
	case fleet.StepPipeline:
		return "start it with --buildkite-token for the runner buildkite:ORG/PIPELINE, or with --tofu-projects for the runner tofu"
	case fleet.StepQuota:
		return "start it with --azure"
	case fleet.StepScaleSets, fleet.StepTeardown:
		return "start it with --scale-sets and --scale-sets-kubeconfig"
	case fleet.StepJoin, fleet.StepValidation, fleet.StepServices:
		return "start it for real clusters, with --agents or --clusters"
	default:
		return "none was written yet; clusters of provider " + fleet.ProviderHand + " have this step done by a person"
	}
}

// Unblock lets an operation go on by the adapter of its step.
func (b BySteps) Unblock(ctx context.Context, o Order) error {
	if p := b[o.Step]; p != nil {
		return p.Unblock(ctx, o)
	}
	return nil
}

// Look asks each adapter once for its own steps. What one cannot see leaves the others' word as it is.
func (b BySteps) Look(ctx context.Context, s Subject) (list []fleet.StepEvidence, wrong error) {
	for _, own := range b.byAdapter() {
		seen, err := b[own[0]].Look(ctx, s)
		if err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("%s: %w", named(own), err))
		}
		for _, e := range seen {
			if slices.Contains(own, e.Step) {
				list = append(list, e)
			}
		}
	}
	return list, wrong
}

// byAdapter groups the steps that have one by it, in order: an adapter of several steps stands
// there once.
func (b BySteps) byAdapter() (groups [][]fleet.Step) {
	at := map[Outside]int{}
	for _, step := range fleet.Steps() {
		is := b[step]
		if is == nil {
			continue
		}
		if !reflect.ValueOf(is).Comparable() {
			groups = append(groups, []fleet.Step{step})
			continue
		}
		i, known := at[is]
		if !known {
			i, groups = len(groups), append(groups, nil)
			at[is] = i
		}
		groups[i] = append(groups[i], step)
	}
	return groups
}

// named are steps as an error names them.
func named(steps []fleet.Step) string {
	if len(steps) == 1 {
		return "step " + string(steps[0])
	}
	words := make([]string, len(steps))
	for i, s := range steps {
		words[i] = string(s)
	}
	return "steps " + strings.Join(words, ", ")
}

// CheckedIn asks the adapter of the check-in, where it can see it.
func (b BySteps) CheckedIn(ctx context.Context, s Subject) (string, error) {
	if c, can := b[fleet.StepCheckin].(Checker); can {
		return c.CheckedIn(ctx, s)
	}
	return "", nil
}
