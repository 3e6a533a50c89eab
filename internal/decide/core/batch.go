package core

import (
	"fmt"
	"slices"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// decideBatch decides several commands, each on the state that those before it leave
// behind; one refusal refuses them all. It tries them on a copy, since a command may be
// refused after others were applied.
func decideBatch(s *fleet.State, r Request, b Batch, now fleet.Instant) ([]event.Event, *Refusal) {
	if len(b.Commands) == 1 {
		r.Command = b.Commands[0]
		return Decide(s, r, now)
	}
	if OnlySubmits(b) {
		return decideSubmits(s, r, b, now)
	}
	c := s // the first needs no copy: a caller who may not even do that costs none
	var all []event.Event
	for i, command := range b.Commands {
		r.Command = command
		events, refusal := Decide(c, r, now)
		if refusal != nil {
			refusal.Message = fmt.Sprintf("command %d of %d: %s", i+1, len(b.Commands), refusal.Message)
			return nil, refusal
		}
		if i == 0 {
			c = trialCopy(s, b)
		}
		for _, e := range events {
			apply(c, e, now)
		}
		all = append(all, events...)
	}
	return all, nil
}

// trialCopy is a copy on which a batch is tried. All others wait for it, so where no command reads
// what waits the copy leaves out what waits far behind.
func trialCopy(s *fleet.State, b Batch) *fleet.State {
	if slices.ContainsFunc(b.Commands, readsWork) {
		return s.Clone()
	}
	return s.ForkAhead(aheadOfCut)
}

// readsWork says whether a command looks at workloads, or changes some.
func readsWork(c Command) bool {
	switch c.(type) {
	case CreateQuota, SetOwner, SetAccess, SetGrant, Transfer, PlaceHold, ReleaseHold, SetPolicy, SetBuffer, SetTargets, SetHealthPolicy,
		AddCluster, AddPartition, AddIslands, SetNodes, OpenIncident, CloseIncident:
		return false
	}
	return true
}

// OnlySubmits says whether a command does nothing but submit work.
func OnlySubmits(c Command) bool {
	b, many := c.(Batch)
	if _, one := c.(Submit); one || !many {
		return one
	}
	for _, command := range b.Commands {
		if _, is := command.(Submit); !is {
			return false
		}
	}
	return true
}

// decideSubmits decides a batch of submissions without a copy of the state: all that one of
// them changes for the next is whose name is taken and which number is free. A copy takes
// longer than a thousand submissions, and everybody else would wait for it.
func decideSubmits(s *fleet.State, r Request, b Batch, now fleet.Instant) ([]event.Event, *Refusal) {
	all, taken := make([]event.Event, 0, len(b.Commands)), make(map[[2]string]bool, len(b.Commands))
	for i, command := range b.Commands {
		r.Command = command
		events, refusal := Decide(s, r, now)
		if refusal == nil {
			submitted := events[0].(event.WorkloadSubmitted)
			name := [2]string{submitted.Spec.Namespace, submitted.Spec.Name}
			if taken[name] {
				refusal = nameTaken(name[0], name[1], fleet.Pending)
			}
			taken[name], submitted.ID = true, s.NextID+uint64(i)
			all = append(all, submitted)
		}
		if refusal != nil {
			refusal.Message = fmt.Sprintf("command %d of %d: %s", i+1, len(b.Commands), refusal.Message)
			return nil, refusal
		}
	}
	return all, nil
}
