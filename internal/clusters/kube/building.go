package kube

import (
	"context"
	"errors"
	"fmt"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Building is the part of a cluster's life that its own API server says: which nodes have
// joined, which of them passed their validation, whether services are deployed, and health. It
// implements provision.Outside for the steps that BuildingSteps lists.
type Building struct {
	// Reach is the client of a cluster; nil: it has not joined, or is only watched.
	Reach func(cluster string) *Client
}

var _ provision.Outside = (*Building)(nil)

// BuildingSteps lists the steps that a cluster's own API server says.
func BuildingSteps() []fleet.Step {
	return []fleet.Step{fleet.StepJoin, fleet.StepValidation, fleet.StepServices, fleet.StepHealth}
}

// notJoined says what to do about a cluster that has not joined.
func notJoined(cluster string) string {
	return "cluster " + cluster + " has not joined with mode manage: enrol its agent (`muster agent enrol " + cluster + "`), or name its kubeconfig in the file of --clusters"
}

// Find says how a step stands. Nothing but validation has a beginning of its own.
func (b *Building) Find(ctx context.Context, o provision.Order) (provision.Report, bool, error) {
	running := provision.Report{State: fleet.OperationRunning, Link: fleet.LinkKubernetes + o.Record.Name}
	c := b.Reach(o.Record.Name)
	if c == nil {
		running.Error = notJoined(o.Record.Name)
		return running, true, nil
	}
	if o.Step == fleet.StepValidation {
		return c.findValidation(ctx, o, running)
	}
	is, err := (&sight{client: c, record: &o.Record, blueprint: &o.Blueprint}).of(ctx, o.Step)
	if err != nil {
		return provision.Report{}, false, err
	}
	if !is.Holds {
		running.Error = is.Detail
		return running, true, nil
	}
	return provision.Report{State: fleet.OperationSucceeded, Detail: is.Detail, Link: running.Link}, true, nil
}

// Begin begins the validation of nodes.
func (b *Building) Begin(ctx context.Context, o provision.Order) (provision.Report, error) {
	c := b.Reach(o.Record.Name)
	if c == nil {
		return provision.Report{}, &provision.Refused{Class: fleet.ErrorWait, Err: fmt.Errorf("%s", notJoined(o.Record.Name))}
	}
	return c.beginValidation(ctx, o)
}

// Unblock does nothing: no step of these waits for a person.
func (*Building) Unblock(context.Context, provision.Order) error { return nil }

// Look says how the steps stand that are done, and the cluster's health once nodes have joined. What
// cannot be seen is an error beside what can.
func (b *Building) Look(ctx context.Context, s provision.Subject) (list []fleet.StepEvidence, wrong error) {
	steps := stepsToSee(s.Done)
	if len(steps) == 0 {
		return nil, nil
	}
	c := b.Reach(s.Record.Name)
	if c == nil {
		return nil, fmt.Errorf("%s", notJoined(s.Record.Name))
	}
	at := sight{client: c, record: &s.Record, blueprint: &s.Blueprint}
	for _, step := range steps {
		e, err := at.of(ctx, step)
		if err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("step %s: %w", step, err))
			continue
		}
		e.Step, e.Generation, e.Link = step, s.Generation, fleet.LinkKubernetes+s.Record.Name
		list = append(list, e)
	}
	return list, wrong
}

// stepsToSee are those of a cluster's steps that are done and can be seen.
func stepsToSee(done []fleet.Step) (list []fleet.Step) {
	for _, step := range done {
		switch step {
		case fleet.StepJoin:
			list = append(list, step, fleet.StepHealth)
		case fleet.StepValidation, fleet.StepServices:
			list = append(list, step)
		default: // is seen elsewhere
		}
	}
	return list
}

// sight is one look at a cluster. Its nodes are read once, whatever is asked of them.
type sight struct {
	client    *Client
	record    *fleet.ClusterRecord
	blueprint *fleet.Blueprint
	nodes     *census // nil: they were not read yet
}

// census is the cluster's nodes, as they were when they were first asked for.
func (a *sight) census(ctx context.Context) (census, error) {
	if a.nodes == nil {
		n, err := a.client.census(ctx, a.record)
		if err != nil {
			return n, err
		}
		a.nodes = &n
	}
	return *a.nodes, nil
}

// of is how a step stands in the cluster now: whether it holds, and what is missing.
func (a *sight) of(ctx context.Context, step fleet.Step) (e fleet.StepEvidence, err error) {
	if step == fleet.StepServices {
		e.Holds, e.Detail, err = a.client.servicesOf(ctx, a.blueprint.Services)
		return e, err
	}
	n, err := a.census(ctx)
	if err != nil {
		return e, err
	}
	if step == fleet.StepValidation {
		v, err := a.client.validated(ctx, n, "")
		e.Holds, e.Detail = v.enough(a.record, a.blueprint)
		return e, err
	}
	if step == fleet.StepHealth {
		if err := a.client.Alive(ctx); err != nil {
			return e, err
		}
	}
	e.Holds, e.Detail = n.enough(a.record, a.blueprint)
	return e, nil
}
