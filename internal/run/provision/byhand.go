package provision

import (
	"context"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ByHand is an Outside of steps that people do. Each waits until a person says that it is
// done (unblocks it); that word is the evidence, and nothing is watched.
type ByHand struct{}

// Find says that a step waits for a person, or that a person has done it.
func (ByHand) Find(_ context.Context, o Order) (Report, bool, error) {
	if o.Unblocked {
		return Report{State: fleet.OperationSucceeded, Detail: saidByHand}, true, nil
	}
	return Report{
		State: fleet.OperationBlocked,
		Error: "a person does step " + string(o.Step) + " by hand; once it is done: `muster cluster unblock " + o.Record.Name + " --step " + string(o.Step) + "`",
	}, true, nil
}

const saidByHand = "a person said that it is done"

// Begin is never called: Find finds every operation.
func (b ByHand) Begin(ctx context.Context, o Order) (Report, error) {
	is, _, err := b.Find(ctx, o)
	return is, err
}

// Unblock does nothing: the order says it.
func (ByHand) Unblock(context.Context, Order) error { return nil }

// Look says that what people did stands. What only is looked at stands once that is done
// which it hangs on.
func (ByHand) Look(_ context.Context, s Subject) (list []fleet.StepEvidence, _ error) {
	holds := map[fleet.Step]bool{fleet.StepDependencies: s.CheckedIn}
	for _, step := range s.Done {
		holds[step] = true
	}
	holds[fleet.StepProjects], holds[fleet.StepHealth] = holds[fleet.StepPipeline], holds[fleet.StepJoin]
	for _, step := range fleet.Steps() {
		if holds[step] {
			list = append(list, fleet.StepEvidence{Step: step, Holds: true, Generation: s.Generation, Detail: saidByHand})
		}
	}
	return list, nil
}

// WithHands are adapters, and people for every step that has none.
func WithHands(by BySteps) BySteps {
	all := BySteps{}
	for _, step := range fleet.Steps() {
		if all[step] = by[step]; by[step] == nil {
			all[step] = ByHand{}
		}
	}
	return all
}
