package buildkite

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

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

// build is what of a build matters here.
type build struct {
	Number  int    `json:"number"`
	State   string `json:"state"`
	Blocked bool   `json:"blocked"`
	URL     string `json:"web_url"`
	Commit  string `json:"commit"`
	Jobs    []job  `json:"jobs"`
}

type job struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Name        string `json:"name"`
	Label       string `json:"label"`
	State       string `json:"state"`
	Unblockable bool   `json:"unblockable"`
	ExitStatus  *int   `json:"exit_status"`
}

// builds is the path of the builds of the pipeline that an order's blueprint names.
func builds(o provision.Order) (string, error) {
	name, is := strings.CutPrefix(o.Blueprint.Runner, Prefix)
	owner, pipeline, two := strings.Cut(name, "/")
	if !is || !two || owner == "" || pipeline == "" || strings.Contains(pipeline, "/") {
		err := fmt.Errorf("blueprint %s has the runner %q; write %sORG/PIPELINE", o.Blueprint.Name, o.Blueprint.Runner, Prefix)
		return "", &provision.Refused{Class: fleet.ErrorFix, Err: err}
	}
	return "/v2/organizations/" + url.PathEscape(owner) + "/pipelines/" + url.PathEscape(pipeline) + "/builds", nil
}

// newest is the newest build of an operation: one that a person started again comes after
// the one that Muster created. nil: there is none.
func (p *Pipeline) newest(ctx context.Context, o provision.Order) (*build, error) {
	path, err := builds(o)
	if err != nil {
		return nil, err
	}
	var list []build
	query := url.Values{"meta_data[" + operationKey + "]": {o.ID}, "per_page": {"10"}}
	if err := p.call(ctx, http.MethodGet, path+"?"+query.Encode(), nil, &list); err != nil {
		return nil, err
	}
	var found *build
	for i := range list {
		if found == nil || list[i].Number > found.Number {
			found = &list[i]
		}
	}
	return found, nil
}

// Find looks the build of an operation up.
func (p *Pipeline) Find(ctx context.Context, o provision.Order) (provision.Report, bool, error) {
	b, err := p.newest(ctx, o)
	if err != nil || b == nil {
		return provision.Report{}, false, err
	}
	return b.report(), true, nil
}

// Begin creates a build.
func (p *Pipeline) Begin(ctx context.Context, o provision.Order) (provision.Report, error) {
	path, err := builds(o)
	if err != nil {
		return provision.Report{}, err
	}
	branch := p.Branch
	if branch == "" {
		branch = "main"
	}
	var b build
	err = p.call(ctx, http.MethodPost, path, map[string]any{
		"commit": "HEAD", "branch": branch, "message": "Muster builds cluster " + o.Record.Name + ", generation " + strconv.Itoa(o.Generation),
		"meta_data": map[string]string{operationKey: o.ID}, "env": environment(o),
	}, &b)
	if err != nil {
		return provision.Report{}, err
	}
	return b.report(), nil
}

// environment is what a build knows of its cluster. A variable that is a secret is where
// the secret is, and never what it is.
func environment(o provision.Order) map[string]string {
	r := o.Record
	env := map[string]string{
		"MUSTER_CLUSTER": r.Name, "MUSTER_GENERATION": strconv.Itoa(o.Generation), "MUSTER_SUBSCRIPTION": r.Subscription, "MUSTER_REGION": r.Region,
		"MUSTER_GPU": r.GPU, "MUSTER_SKU": r.SKU, "MUSTER_NODES": strconv.Itoa(r.Nodes()),
	}
	for name, value := range r.Variables {
		env[name] = value
	}
	return env
}

// Unblock lets the block steps go on at which a build stands. One that goes on already is left alone.
func (p *Pipeline) Unblock(ctx context.Context, o provision.Order) error {
	b, err := p.newest(ctx, o)
	if err != nil || b == nil {
		return err
	}
	path, err := builds(o)
	if err != nil {
		return err
	}
	for _, j := range b.Jobs {
		if !j.waits() {
			continue
		}
		if err := p.call(ctx, http.MethodPut, path+"/"+strconv.Itoa(b.Number)+"/jobs/"+url.PathEscape(j.ID)+"/unblock", map[string]any{}, nil); err != nil {
			return err
		}
	}
	return nil
}

// Look says nothing: a build that passed is looked up by its operation.
func (p *Pipeline) Look(context.Context, provision.Subject) ([]fleet.StepEvidence, error) {
	return nil, nil
}

func (j *job) waits() bool { return j.Type == "manual" && j.Unblockable && j.State == "blocked" }

func (j *job) title() string {
	if j.Label != "" {
		return j.Label
	}
	return j.Name
}

// report is how a build stands. A build that fails while others of its jobs run has not
// ended yet: a job may be tried again.
func (b *build) report() provision.Report {
	r := provision.Report{State: fleet.OperationRunning, Detail: "commit " + b.Commit}
	if strings.HasPrefix(b.URL, "https://") || strings.HasPrefix(b.URL, "http://") {
		r.Link = b.URL
	}
	if b.Blocked || b.State == "blocked" {
		for _, j := range b.Jobs {
			if j.waits() { // the block step is part of the link: another one is another question
				r.State, r.Error = fleet.OperationBlocked, "build "+strconv.Itoa(b.Number)+" waits at \""+j.title()+"\""
				if r.Link != "" {
					r.Link = b.URL + "#" + j.ID
				}
				return r
			}
		}
	}
	switch b.State {
	case "passed":
		r.State = fleet.OperationSucceeded
	case "failed":
		r.State, r.Error = fleet.OperationFailed, "build "+strconv.Itoa(b.Number)+" failed"+b.culprits()
	case "canceled":
		r.State, r.Class, r.Error = fleet.OperationFailed, fleet.ErrorPerson, "build "+strconv.Itoa(b.Number)+" was cancelled"
	case "skipped", "not_run":
		r.State, r.Class, r.Error = fleet.OperationFailed, fleet.ErrorFix, "build "+strconv.Itoa(b.Number)+" did not run ("+b.State+"); the pipeline's rules leave it out"
	}
	return r
}

// culprits names the jobs that failed.
func (b *build) culprits() string {
	var names []string
	for _, j := range b.Jobs {
		if j.State == "failed" || j.State == "timed_out" || j.ExitStatus != nil && *j.ExitStatus != 0 {
			names = append(names, j.title())
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " at " + strings.Join(names[:min(3, len(names))], ", ")
}
