package tofu

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// check is what was last seen of a cluster's applied projects.
type check struct {
	generation int
	at         time.Time // when it was seen; zero: not yet
	since      time.Time // when the plan began that saw it; zero: it was an apply
	begun      bool      // a plan is under way
	failed     string    // why the last one could not be made; "": it could
	seen       fleet.StepEvidence
}

// Look says whether the projects of a cluster are still as they were applied. They are
// planned again every few minutes, beside the look; it answers with the last plan.
func (r *Runner) Look(_ context.Context, s provision.Subject) ([]fleet.StepEvidence, error) {
	if !slices.Contains(s.Done, fleet.StepPipeline) {
		return nil, nil
	}
	c := r.checkOf(s, func(c check) bool { return r.o.Now().Sub(c.at) >= CheckEvery })
	if c.at.IsZero() || r.o.Now().Sub(c.at) > provision.LookEvery {
		return nil, nil
	}
	return []fleet.StepEvidence{c.seen}, nil
}

// checkOf is what was last seen of a cluster's projects. Where that is too old they are planned
// again, beside the caller.
func (r *Runner) checkOf(s provision.Subject, old func(check) bool) check {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.checks[s.Record.Name]
	if c.generation != s.Generation {
		c = check{generation: s.Generation}
	}
	if !c.begun && old(c) && r.ctx.Err() == nil {
		c.begun = true
		r.all.Go(func() { r.turn(r.ctx, func() { r.check(s) }) })
	}
	r.checks[s.Record.Name] = c
	return c
}

// Knows says whether the projects of a cluster planned nothing at a moment or later. A plan that
// began before it says nothing; then another one is made. One with changes is made anew too:
// people may have applied them.
func (r *Runner) Knows(s provision.Subject, since fleet.Instant) (knows bool, missing string) {
	if !slices.Contains(s.Done, fleet.StepPipeline) {
		return false, "its pipeline has not ended"
	}
	c := r.checkOf(s, func(c check) bool {
		return c.since.Before(since.Time()) || !c.seen.Holds && r.o.Now().Sub(c.at) >= provision.LookAgain
	})
	switch {
	case !c.since.Before(since.Time()) && c.seen.Holds:
		return true, ""
	case !c.since.Before(since.Time()):
		return false, c.seen.Detail
	case c.failed != "":
		return false, "its projects could not be planned: " + c.failed
	}
	return false, "its projects have not been planned since"
}

// saw keeps what was seen of a cluster's projects by a plan, and when that began.
func (r *Runner) saw(cluster string, generation int, since time.Time, holds bool, detail string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.checks[cluster] = check{
		generation: generation, at: r.o.Now(), since: since,
		seen: fleet.StepEvidence{Step: fleet.StepProjects, Holds: holds, Generation: generation, Detail: detail},
	}
}

// check plans the projects of a cluster, and changes nothing.
func (r *Runner) check(s provision.Subject) {
	o := provision.Order{ID: s.Record.Name + ".look", Step: fleet.StepProjects, Generation: s.Generation, Record: s.Record, Blueprint: s.Blueprint}
	began := r.o.Now()
	rec, err := newRecord(o)
	if err == nil {
		err = r.inProjects(r.ctx, o, rec, r.plansNothing)
	}
	var drift *driftError
	switch {
	case err == nil:
		r.saw(s.Record.Name, s.Generation, began, true, rec.evidence())
	case errors.As(err, &drift):
		r.saw(s.Record.Name, s.Generation, began, false, strings.TrimSpace(drift.Error()))
	default: // it could not be seen: what was seen grows old
		r.mu.Lock()
		defer r.mu.Unlock()
		c := r.checks[s.Record.Name]
		c.begun, c.failed = false, brief(err.Error())
		r.checks[s.Record.Name] = c
	}
}
