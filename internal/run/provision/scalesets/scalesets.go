package scalesets

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ScaleSets makes scale sets, and removes them. It implements provision.Outside for the steps
// scaleSets and teardown.
type ScaleSets struct {
	API       dynamic.Interface // of the management cluster
	Templates string            // folder: BLUEPRINT.yaml
}

var _ provision.Outside = (*ScaleSets)(nil)

// one is the scale set of an island, as it stands and as it is wanted.
type one struct {
	island fleet.RecordIsland
	want   *unstructured.Unstructured
	is     *unstructured.Unstructured // nil: it is not there
}

func (x *one) at() schema.GroupVersionResource {
	return x.want.GroupVersionKind().GroupVersion().WithResource(resource)
}

// read reads the scale sets of a cluster. An error says that it is not known how they stand.
func (s *ScaleSets) read(ctx context.Context, o *provision.Order) (list []*one, _ error) {
	for _, i := range o.Record.Islands {
		want, err := s.wanted(o, i)
		if err != nil {
			return nil, &provision.Refused{Class: fleet.ErrorFix, Err: err}
		}
		x := &one{island: i, want: want}
		x.is, err = s.API.Resource(x.at()).Namespace(want.GetNamespace()).Get(ctx, want.GetName(), metav1.GetOptions{})
		switch {
		case gone(err):
			x.is = nil
		case err != nil:
			return nil, fmt.Errorf("scale set %s: %w", want.GetName(), err)
		case x.is.GetAnnotations()[noteCluster] != o.Record.Name:
			return nil, &provision.Refused{Class: fleet.ErrorPerson, Err: fmt.Errorf("scale set %s is there already, and is none that Muster made for cluster %s", want.GetName(), o.Record.Name)}
		}
		list = append(list, x)
	}
	return list, nil
}

// gone says whether an API server says that an object is not there. One that does not know its
// kind says nothing of it.
func gone(err error) bool {
	return apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// Find says how an operation stands: it has begun once every scale set bears its name.
func (s *ScaleSets) Find(ctx context.Context, o provision.Order) (provision.Report, bool, error) {
	list, err := s.read(ctx, &o)
	if err != nil {
		return provision.Report{}, false, err
	}
	if o.Step == fleet.StepTeardown {
		return removed(list, o.ID)
	}
	for _, x := range list {
		if x.is == nil || x.is.GetAnnotations()[noteOperation] != o.ID {
			return provision.Report{}, false, nil
		}
	}
	return reportOf(list), true, nil
}

// Begin applies the scale sets, or removes them. Done twice it changes nothing more.
func (s *ScaleSets) Begin(ctx context.Context, o provision.Order) (provision.Report, error) {
	list, err := s.read(ctx, &o)
	if err != nil {
		return provision.Report{}, err
	}
	for _, x := range list {
		if o.Step == fleet.StepTeardown {
			err = s.remove(ctx, x, o.ID)
		} else {
			err = s.apply(ctx, x)
		}
		if err != nil {
			return provision.Report{}, classed(err)
		}
	}
	return provision.Report{State: fleet.OperationRunning}, nil
}

// apply makes a scale set as it is wanted. Fields that another has set are left to them.
func (s *ScaleSets) apply(ctx context.Context, x *one) error {
	_, err := s.API.Resource(x.at()).Namespace(x.want.GetNamespace()).Apply(ctx, x.want.GetName(), x.want, metav1.ApplyOptions{FieldManager: manager})
	if apierrors.IsConflict(err) {
		err = fmt.Errorf("scale set %s was changed by another, whose word is left as it is: %w; give the field back (`kubectl edit`), or change the record", x.want.GetName(), err)
		return &provision.Refused{Class: fleet.ErrorPerson, Err: err}
	}
	return err
}

// classed says what an API server's refusal asks for.
func classed(err error) error {
	var no *provision.Refused
	switch {
	case errors.As(err, &no):
		return err
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsForbidden(err), apierrors.IsNotFound(err):
		return &provision.Refused{Class: fleet.ErrorFix, Err: err}
	}
	return err
}

// Unblock does nothing: no scale set waits for a person.
func (*ScaleSets) Unblock(context.Context, provision.Order) error { return nil }

// Look says whether the scale sets stand as they are wanted. While the operator is at work on
// one nothing is said.
func (s *ScaleSets) Look(ctx context.Context, subject provision.Subject) ([]fleet.StepEvidence, error) {
	done := false
	for _, step := range subject.Done {
		done = done || step == fleet.StepScaleSets
	}
	if !done {
		return nil, nil
	}
	o := provision.Order{Step: fleet.StepScaleSets, Record: subject.Record, Blueprint: subject.Blueprint}
	list, err := s.read(ctx, &o)
	if err != nil {
		return nil, err
	}
	e := fleet.StepEvidence{Step: fleet.StepScaleSets, Generation: subject.Generation}
	var missing []standing
	for _, x := range list {
		switch is := x.stands(); {
		case is.state == fleet.OperationRunning && is.says == "":
			return nil, nil
		case is.state != fleet.OperationSucceeded:
			missing = append(missing, is)
		}
	}
	e.Holds, e.Detail = len(missing) == 0, fmt.Sprintf("scale sets that are ready: %d", len(list))
	if !e.Holds {
		e.Detail = sayAll(missing)
	}
	return []fleet.StepEvidence{e}, nil
}
