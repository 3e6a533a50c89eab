package stage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ErrUsers says that a story cannot be played on a cluster: its work has users, and
// pods have none.
var ErrUsers = errors.New("its work has users, and pods have none")

// Do submits work as pods, and lets work fail. For all else done is false: it is a
// command.
func (s *Stage) Do(ctx context.Context, r core.Request) (done bool, refusal *core.Refusal, err error) {
	switch c := r.Command.(type) {
	case core.Submit:
		if c.Spec.User != "" || len(c.Spec.Groups) > 0 {
			return true, nil, ErrUsers
		}
		refusal, err = s.submit(ctx, c.Spec)
		return true, refusal, err
	case core.ReportFinished:
		return true, nil, s.end(ctx, c.ID, "fails")
	}
	return false, nil, nil
}

// submit creates the pods of a workload, and checks that Muster takes it as it is.
func (s *Stage) submit(ctx context.Context, spec fleet.Spec) (*core.Refusal, error) {
	key := workload{spec.Namespace, spec.Name}
	c := &controller{spec: spec}
	s.engine.Read(func(state *fleet.State) {
		for id := range state.Workloads {
			c.after = max(c.after, id)
		}
	})
	if was := s.controllers[key]; was != nil && !was.stopped { // the name is taken: a controller would refuse it
		return s.submitTwice(ctx, spec)
	}
	s.controllers[key] = c
	delete(s.refused, key)
	if err := s.Rest(ctx); err != nil {
		return nil, err
	}
	if no := s.refused[key]; no != nil {
		s.controllers[key].stopped = true
		return no, nil
	}
	var wrong error
	s.engine.Read(func(state *fleet.State) {
		w := state.Workload(spec.Namespace, spec.Name)
		spec.Grace = min(spec.Grace, state.Policy.MaxGrace)
		if w == nil || !sameSpec(w.Spec, spec) {
			wrong = fmt.Errorf("%s/%s: Muster has %+v, submitted was %+v", spec.Namespace, spec.Name, w, spec)
		}
	})
	return nil, wrong
}

// submitTwice asks Muster itself, because two pods that name one workload are one workload.
func (s *Stage) submitTwice(ctx context.Context, spec fleet.Spec) (*core.Refusal, error) {
	_, err := s.engine.Do(ctx, core.Request{Command: core.Submit{Spec: spec}, Actor: core.Reporter})
	var no *core.Refusal
	if errors.As(err, &no) {
		return no, nil
	}
	return nil, fmt.Errorf("%s/%s was submitted twice: %w", spec.Namespace, spec.Name, err)
}

// sameSpec compares a workload's spec in Muster with the one that was submitted. What its pods ask of
// their nodes beside GPUs the story does not say.
func sameSpec(a, b fleet.Spec) bool {
	byName := func(x, y fleet.Pool) int { return strings.Compare(x.Name, y.Name) }
	pools := slices.Clone(b.Pools)
	slices.SortFunc(pools, byName)
	is := slices.Clone(a.Pools)
	for i := range is {
		is[i].Footprint = ""
	}
	return a.Target == b.Target && a.Partition == b.Partition && a.Priority == b.Priority && a.MaxRuntime == b.MaxRuntime &&
		a.CheckpointEvery == b.CheckpointEvery && a.Grace == b.Grace && slices.Equal(is, pools)
}
