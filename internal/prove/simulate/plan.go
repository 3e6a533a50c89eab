package simulate

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/fleetfile"
	"github.com/muster-fleet/muster/internal/prove/trace"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// readJobs reads all job traces, leaves out what the options do not ask for,
// and puts the rest in order of submission; ties stay in the order of the files.
func readJobs(o Options) ([]trace.Job, error) {
	var jobs []trace.Job
	for _, path := range o.Jobs {
		all, err := trace.OpenJobs(path)
		if err != nil {
			return nil, err
		}
		for _, j := range all {
			if o.covers(j) {
				jobs = append(jobs, j)
			}
		}
	}
	sort.SliceStable(jobs, func(i, k int) bool { return jobs[i].Submit.Before(jobs[k].Submit) })
	return jobs, checkJobs(jobs)
}

func (o Options) covers(j trace.Job) bool {
	if len(o.Teams) > 0 && !slices.Contains(o.Teams, j.Team) {
		return false
	}
	return !j.Submit.Before(o.From) && (o.To.IsZero() || !j.Submit.After(o.To))
}

// checkJobs refuses jobs that cannot become workloads, and two of one name: they
// could not be told apart.
func checkJobs(jobs []trace.Job) error {
	first := make(map[[2]string]trace.Job, len(jobs))
	for _, j := range jobs {
		if _, err := spec(j, fleet.Flex); err != nil {
			return err
		}
		if f, twice := first[[2]string{j.Team, j.ID}]; twice {
			return &trace.Error{File: j.File, Line: j.Line, Message: fmt.Sprintf(
				"job_id %q of team %q stands in %s:%d already; is a file named twice?", j.ID, j.Team, f.File, f.Line)}
		}
		first[[2]string{j.Team, j.ID}] = j
	}
	return nil
}

// targets finds each team's target: the quota whose path ends in the team's
// name, or flex.
func targets(quotas []fleetfile.Quota, jobs []trace.Job) (map[string]string, error) {
	found := map[string]string{}
	for _, j := range jobs {
		if _, known := found[j.Team]; known {
			continue
		}
		found[j.Team] = fleet.Flex
		var all []string
		for _, q := range quotas {
			if q.Path == j.Team || strings.HasSuffix(q.Path, "/"+j.Team) {
				all = append(all, q.Path)
			}
		}
		if len(all) > 1 {
			return nil, &trace.Error{File: j.File, Line: j.Line, Message: fmt.Sprintf(
				"team %q could target any of the quotas %s; one path only may end in its name", j.Team, strings.Join(all, ", "))}
		}
		if len(all) == 1 {
			found[j.Team] = all[0]
		}
	}
	return found, nil
}

// spec is the workload that a job becomes. Its run time is the driver's secret.
func spec(j trace.Job, target string) (fleet.Spec, error) {
	s := fleet.Spec{
		Name: j.ID, Namespace: j.Team, User: j.User, Target: target,
		Priority: fleet.Mid, Grace: fleet.DefaultGrace,
	}
	if j.Priority != "" {
		p, ok := fleet.ParsePriority(j.Priority)
		if !ok {
			return s, &trace.Error{File: j.File, Line: j.Line, Message: fmt.Sprintf(
				"priority %q is not one of critical, high, mid, low (or empty)", j.Priority)}
		}
		s.Priority = p
	}
	for _, p := range j.Shape() {
		s.Pools = append(s.Pools, fleet.Pool{Name: p.Name, GPUs: p.GPUs, Min: p.Replicas, Max: p.Replicas, Reach: reach(p.Replicas)})
	}
	return s, nil
}

// reach is the default one: a gang of several replicas stays in one island.
func reach(replicas int) fleet.Reach {
	if replicas > 1 {
		return fleet.ReachIsland
	}
	return fleet.ReachAny
}
