package provision_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// part takes something down, and says in which order that was done.
type part struct {
	provision.ByHand
	name  string
	begun *[]string
	looks int // until it is gone
}

func (p *part) Find(context.Context, provision.Order) (provision.Report, bool, error) {
	if !slices.Contains(*p.begun, p.name) {
		return provision.Report{}, false, nil
	}
	if p.looks++; p.looks < 3 {
		return provision.Report{State: fleet.OperationRunning}, true, nil
	}
	return provision.Report{State: fleet.OperationSucceeded}, true, nil
}

func (p *part) Begin(context.Context, provision.Order) (provision.Report, error) {
	*p.begun = append(*p.begun, p.name)
	return provision.Report{State: fleet.OperationRunning}, nil
}

// What stands on the projects is gone before they are taken down, where that is asked for; each
// is begun once.
func TestARemovalGoesInOrder(t *testing.T) {
	for first, want := range map[bool]string{true: "sets projects", false: "projects sets"} {
		var begun []string
		rest := provision.BySteps{fleet.StepTeardown: &part{name: "sets", begun: &begun}}
		by := provision.ByRunner{Rest: rest, RestGoesFirst: first, Runners: map[string]provision.Outside{"tofu": &part{name: "projects", begun: &begun}}}
		o := provision.Order{ID: "lynx.teardown.g1.1", Step: fleet.StepTeardown, Blueprint: fleet.Blueprint{Runner: "tofu", Projects: []string{"network"}}}
		for range 20 {
			if is, found, err := by.Find(t.Context(), o); err != nil || found && is.State == fleet.OperationSucceeded {
				break
			} else if !found {
				_, _ = by.Begin(t.Context(), o)
			}
		}
		if is, found, err := by.Find(t.Context(), o); strings.Join(begun, " ") != want || !found || is.State != fleet.OperationSucceeded || err != nil {
			t.Errorf("rest first %v: begun were %v, then %+v, %v", first, begun, is, err)
		}
	}
}
