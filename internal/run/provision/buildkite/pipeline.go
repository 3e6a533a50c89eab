package buildkite

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	api "github.com/buildkite/go-buildkite/v4"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Prefix marks the runner of a blueprint as a pipeline of Buildkite:
// buildkite:ORG/PIPELINE.
const Prefix = "buildkite:"

// operationKey is the meta-data in which a build carries the ID of its operation.
const operationKey = "muster-operation"

// Pipeline runs builds. It implements provision.Outside for the pipeline step.
type Pipeline struct {
	Token   string       // of an API access token with read_builds and write_builds
	Address string       // of the API; "": https://api.buildkite.com
	Branch  string       // that is built; "": main
	HTTP    *http.Client // nil: one with http's defaults
}

// place is a pipeline.
type place struct{ organisation, pipeline string }

// placeOf is the pipeline that an order's blueprint names.
func placeOf(o provision.Order) (place, error) {
	name, is := strings.CutPrefix(o.Blueprint.Runner, Prefix)
	organisation, pipeline, two := strings.Cut(name, "/")
	if !is || !two || organisation == "" || pipeline == "" || strings.Contains(pipeline, "/") {
		err := fmt.Errorf("blueprint %s has the runner %q; write %sORG/PIPELINE", o.Blueprint.Name, o.Blueprint.Runner, Prefix)
		return place{}, &provision.Refused{Class: fleet.ErrorFix, Err: err}
	}
	return place{url.PathEscape(organisation), url.PathEscape(pipeline)}, nil
}

// newest is the newest build of an operation: one that a person started again comes after
// the one that Muster created. nil: there is none.
func (p *Pipeline) newest(ctx context.Context, o provision.Order) (found *api.Build, _ error) {
	at, err := placeOf(o)
	if err != nil {
		return nil, err
	}
	list, err := p.list(ctx, at, o.ID)
	for i := range list {
		if found == nil || list[i].Number > found.Number {
			found = &list[i]
		}
	}
	return found, err
}

// Find looks the build of an operation up.
func (p *Pipeline) Find(ctx context.Context, o provision.Order) (provision.Report, bool, error) {
	b, err := p.newest(ctx, o)
	if err != nil || b == nil {
		return provision.Report{}, false, err
	}
	return report(b), true, nil
}

// Begin creates a build.
func (p *Pipeline) Begin(ctx context.Context, o provision.Order) (provision.Report, error) {
	at, err := placeOf(o)
	if err != nil {
		return provision.Report{}, err
	}
	c, err := p.client()
	if err != nil {
		return provision.Report{}, fmt.Errorf("buildkite: %w", err)
	}
	b, _, err := c.Builds.Create(ctx, at.organisation, at.pipeline, api.CreateBuild{
		Commit: "HEAD", Branch: cmp.Or(p.Branch, "main"), Message: "Muster builds cluster " + o.Record.Name + ", generation " + strconv.Itoa(o.Generation),
		MetaData: map[string]string{operationKey: o.ID}, Env: environment(o),
	})
	if err != nil {
		return provision.Report{}, fmt.Errorf("buildkite: %w", err)
	}
	return report(&b), nil
}

// variablePrefix begins the names under which a build has the variables of a record. Under their own
// names who plans a cluster could steer what runs on the agents of the pipeline: PATH, LD_PRELOAD,
// GIT_SSH_COMMAND.
const variablePrefix = "MUSTER_VAR_"

// environment is what a build knows of its cluster. A variable that is a secret is where
// the secret is, and never what it is.
func environment(o provision.Order) map[string]string {
	r := o.Record
	env := map[string]string{
		"MUSTER_CLUSTER": r.Name, "MUSTER_GENERATION": strconv.Itoa(o.Generation), "MUSTER_SUBSCRIPTION": r.Subscription, "MUSTER_REGION": r.Region,
		"MUSTER_GPU": r.GPU, "MUSTER_SKU": r.SKU, "MUSTER_NODES": strconv.Itoa(r.Nodes()),
	}
	for name, value := range r.Variables {
		env[variablePrefix+name] = value
	}
	return env
}

// Unblock lets the block steps go on at which a build stands. One that goes on already is left alone.
func (p *Pipeline) Unblock(ctx context.Context, o provision.Order) error {
	b, err := p.newest(ctx, o)
	if err != nil || b == nil {
		return err
	}
	at, err := placeOf(o)
	if err != nil {
		return err
	}
	c, err := p.client()
	if err != nil {
		return fmt.Errorf("buildkite: %w", err)
	}
	for i := range b.Jobs {
		if !waits(&b.Jobs[i]) {
			continue
		}
		if _, _, err := c.Jobs.UnblockJob(ctx, at.organisation, at.pipeline, strconv.Itoa(b.Number), url.PathEscape(b.Jobs[i].ID), nil); err != nil {
			return fmt.Errorf("buildkite: %w", err)
		}
	}
	return nil
}

// Look says nothing: a build that passed is looked up by its operation.
func (p *Pipeline) Look(context.Context, provision.Subject) ([]fleet.StepEvidence, error) {
	return nil, nil
}

func waits(j *api.Job) bool { return j.Type == "manual" && j.Unblockable && j.State == "blocked" }

func title(j *api.Job) string {
	if j.Label != "" {
		return j.Label
	}
	return j.Name
}

// report is how a build stands. A build that fails while others of its jobs run has not
// ended yet: a job may be tried again.
func report(b *api.Build) provision.Report {
	r := provision.Report{State: fleet.OperationRunning, Detail: "commit " + b.Commit}
	if strings.HasPrefix(b.WebURL, "https://") || strings.HasPrefix(b.WebURL, "http://") {
		r.Link = b.WebURL
	}
	if b.Blocked || b.State == "blocked" {
		for i := range b.Jobs {
			if j := &b.Jobs[i]; waits(j) { // the block step is part of the link: another one is another question
				r.State, r.Error = fleet.OperationBlocked, "build "+strconv.Itoa(b.Number)+" waits at \""+title(j)+"\""
				if r.Link != "" {
					r.Link = b.WebURL + "#" + j.ID
				}
				return r
			}
		}
	}
	switch b.State {
	case "passed":
		r.State = fleet.OperationSucceeded
	case "failed":
		r.State, r.Error = fleet.OperationFailed, "build "+strconv.Itoa(b.Number)+" failed"+culprits(b)
	case "canceled":
		r.State, r.Class, r.Error = fleet.OperationFailed, fleet.ErrorPerson, "build "+strconv.Itoa(b.Number)+" was cancelled"
	case "skipped", "not_run":
		r.State, r.Class, r.Error = fleet.OperationFailed, fleet.ErrorFix, "build "+strconv.Itoa(b.Number)+" did not run ("+b.State+"); the pipeline's rules leave it out"
	}
	return r
}

// culprits names the jobs that failed.
func culprits(b *api.Build) string {
	var names []string
	for i := range b.Jobs {
		j := &b.Jobs[i]
		if j.State == "failed" || j.State == "timed_out" || j.ExitStatus != nil && *j.ExitStatus != 0 {
			names = append(names, title(j))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " at " + strings.Join(names[:min(3, len(names))], ", ")
}
