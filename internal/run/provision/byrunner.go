package provision

import (
	"context"
	"errors"
	"slices"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ByRunner is an Outside whose pipelines are what blueprints name: the runner's word, before
// a colon, finds it. All else, and blueprints that name none, are for Rest. What a runner has
// built it also takes down: before the rest goes or, where that stands on it, after.
type ByRunner struct {
	RestGoesFirst bool
	Rest          Outside
	Runners       map[string]Outside
}

// runner is what runs a blueprint's pipeline; nil: the rest does.
func (b ByRunner) runner(blueprint *fleet.Blueprint) Outside {
	return b.Runners[runnerOf(blueprint)]
}

// of is who carries out an order.
func (b ByRunner) of(ctx context.Context, o Order) (Outside, error) {
	run := b.runner(&o.Blueprint)
	switch {
	case run != nil && o.Step == fleet.StepPipeline:
		return run, nil
	case run == nil || o.Step != fleet.StepTeardown || len(o.Blueprint.Projects) == 0:
		return b.Rest, nil
	}
	if by, some := b.Rest.(BySteps); some && by[o.Step] == nil {
		return run, nil // there is nothing else to take down
	}
	first, second := b.order(run)
	gone, err := ended(ctx, first, o)
	if gone {
		return second, nil
	}
	return first, err
}

// order is who takes down first, and who then.
func (b ByRunner) order(run Outside) (first, second Outside) {
	if b.RestGoesFirst {
		return b.Rest, run
	}
	return run, b.Rest
}

// ended says whether an outside has done its part of an operation.
func ended(ctx context.Context, at Outside, o Order) (bool, error) {
	is, found, err := at.Find(ctx, o)
	return err == nil && found && is.State == fleet.OperationSucceeded, err
}

// Find looks an operation up where it is carried out.
func (b ByRunner) Find(ctx context.Context, o Order) (Report, bool, error) {
	at, err := b.of(ctx, o)
	if err != nil {
		return Report{}, false, err
	}
	is, found, err := at.Find(ctx, o)
	if o.Step == fleet.StepTeardown && !found && err == nil && b.followed(ctx, o) {
		is, err = at.Begin(ctx, o) // the other has done its part
		return is, true, err
	}
	return is, found, err
}

// followed says whether a removal has come to the second that takes down.
func (b ByRunner) followed(ctx context.Context, o Order) bool {
	run := b.runner(&o.Blueprint)
	if run == nil {
		return false
	}
	first, _ := b.order(run)
	gone, _ := ended(ctx, first, o)
	return gone
}

// Begin begins an operation where it is carried out.
func (b ByRunner) Begin(ctx context.Context, o Order) (Report, error) {
	at, err := b.of(ctx, o)
	if err != nil {
		return Report{}, err
	}
	return at.Begin(ctx, o)
}

// Unblock lets an operation go on where it is carried out.
func (b ByRunner) Unblock(ctx context.Context, o Order) error {
	at, err := b.of(ctx, o)
	if err != nil {
		return err
	}
	return at.Unblock(ctx, o)
}

// Look asks the rest, and the runner for what it knows better.
func (b ByRunner) Look(ctx context.Context, s Subject) ([]fleet.StepEvidence, error) {
	list, wrong := b.Rest.Look(ctx, s)
	run := b.runner(&s.Blueprint)
	if run == nil {
		return list, wrong
	}
	better, err := run.Look(ctx, s)
	wrong = errors.Join(wrong, err)
	list = slices.DeleteFunc(list, func(e fleet.StepEvidence) bool {
		return e.Step == fleet.StepPipeline || e.Step == fleet.StepProjects && len(s.Blueprint.Projects) > 0
	})
	return append(list, better...), wrong
}

// CheckedIn asks the rest.
func (b ByRunner) CheckedIn(ctx context.Context, s Subject) (string, error) {
	if c, can := b.Rest.(Checker); can {
		return c.CheckedIn(ctx, s)
	}
	return "", nil
}
