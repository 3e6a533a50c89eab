package buildkite

import (
	"context"
	"strconv"
	"strings"

	api "github.com/buildkite/go-buildkite/v4"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// projectKey begins the meta-data in which a build says, for a project, at which commit it
// planned nothing any more. The project's name follows.
const projectKey = "muster-project-"

// Projects sees what builds say of projects. It implements provision.Outside for the step
// projects, which is only looked at.
type Projects struct{ *Pipeline }

// Look says whether the projects of a cluster are applied: by what the build that passed says of
// each of them. Whether the build still passes is found by its operation.
func (p Projects) Look(ctx context.Context, s provision.Subject) ([]fleet.StepEvidence, error) {
	o, done := s.Order(fleet.StepPipeline)
	if !done || !strings.HasPrefix(s.Blueprint.Runner, Prefix) {
		return nil, nil
	}
	b, err := p.newest(ctx, o)
	if err != nil || b == nil {
		return nil, err
	}
	is := report(b)
	if is.State == fleet.OperationRunning || is.State == fleet.OperationBlocked {
		return nil, nil // a person has started it again: what it says is waited for
	}
	e := fleet.StepEvidence{Step: fleet.StepProjects, Generation: s.Generation, Link: is.Link}
	e.Holds, e.Detail = applied(b, s.Blueprint.Projects)
	return []fleet.StepEvidence{e}, nil
}

// applied says whether a build has applied projects, and at which commits.
func applied(b *api.Build, projects []string) (bool, string) {
	build := "build " + strconv.Itoa(b.Number)
	if b.State != "passed" {
		return false, build + " has ended as " + b.State
	}
	at := []string{build + " passed at commit " + b.Commit}
	for _, name := range projects {
		commit := strings.TrimSpace(b.MetaData[projectKey+name])
		if commit == "" {
			return false, build + " does not say that project " + name + " plans nothing any more: a step of the pipeline sets the meta-data " + projectKey + name + " to the commit of its empty plan"
		}
		at = append(at, name+" at "+commit+": empty plan")
	}
	return true, strings.Join(at, "; ")
}
