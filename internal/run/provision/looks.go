package provision

import (
	"context"
	"errors"
	"slices"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// subject is a cluster whose steps are looked at, with what the state says of them.
type subject struct {
	Subject
	awaits bool // its check-in is waited for, and may be seen
}

func subjectOf(l *fleet.Life, b *fleet.Blueprint) subject {
	s := subject{Subject: Subject{
		Record: l.Record, Blueprint: *b, Generation: l.Generation, Commit: l.Course.Commit, Since: max(l.Entered, l.Course.CheckedIn),
		CheckedIn: l.Course.CheckedIn != 0 || b.Checkin == fleet.CheckinInventory,
	}}
	s.awaits = l.Course.CheckedIn == 0 && b.Checkin != fleet.CheckinInventory && l.Course.Retiring == 0
	s.Known = append(s.Known, l.Evidence...)
	for _, st := range l.Steps {
		if st.Step != fleet.StepQuota && st.Operation.State == fleet.OperationSucceeded && st.Operation.Generation == l.Generation {
			s.Done, s.Orders = append(s.Done, st.Step), append(s.Orders, orderOf(l, b, st))
		}
	}
	return s
}

// look looks at a cluster, and reports what is not as it was.
func (r *Runner) look(ctx context.Context, s subject, now fleet.Instant) error {
	r.looks[s.Record.Name] = now.Add(LookEvery)
	if s.awaits {
		r.looks[s.Record.Name] = now.Add(LookAgain)
	}
	p := r.o.Providers[s.Record.Provider]
	if p == nil {
		return nil
	}
	if err := r.awaitCheckin(ctx, p, s); err != nil {
		return err
	}
	seen, err := r.see(ctx, p, s)
	if err != nil { // what was known grows old, and is Unknown in the end
		r.looks[s.Record.Name] = now.Add(LookAgain)
		r.o.Log.Warn("a cluster could not be looked at, or not all of it", "cluster", s.Record.Name, "error", r.o.Mask(err.Error()))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	var changed []fleet.StepEvidence
	var same []fleet.Step
	for _, e := range seen {
		if e.At, e.Detail, e.Link = now, r.o.Mask(e.Detail), r.o.Mask(e.Link); s.knows(e) {
			same = append(same, e.Step)
		} else {
			changed = append(changed, e)
		}
	}
	if slices.ContainsFunc(seen, func(e fleet.StepEvidence) bool { return !e.Holds }) {
		r.looks[s.Record.Name] = now.Add(LookAgain) // it is waited for
	}
	r.beat.see(s, same, now)
	if len(changed) == 0 {
		return nil
	}
	return r.tell(ctx, core.ReportEvidence{Cluster: s.Record.Name, Seen: changed})
}

// see looks at the steps of a cluster. A step that is done, and that its adapter does not
// name, is as its operation says. What cannot be seen is an error beside what is.
func (r *Runner) see(ctx context.Context, p Outside, s subject) ([]fleet.StepEvidence, error) {
	limited, end := context.WithTimeout(ctx, CallLimit)
	defer end()
	seen, wrong := p.Look(limited, s.Subject)
	for _, o := range s.Orders {
		if slices.ContainsFunc(seen, func(e fleet.StepEvidence) bool { return e.Step == o.Step }) {
			continue
		}
		is, found, err := p.Find(limited, o)
		if err != nil {
			wrong = errors.Join(wrong, err)
			continue
		}
		if found && is.State == fleet.OperationSucceeded {
			seen = append(seen, fleet.StepEvidence{Step: o.Step, Holds: true, Generation: o.Generation, Detail: is.Detail, Link: is.Link})
		}
	}
	return seen, wrong
}

// knows says whether the state says just this of a step.
func (s *subject) knows(e fleet.StepEvidence) bool {
	for _, k := range s.Known {
		if k.Step == e.Step {
			return k.Holds == e.Holds && k.Generation == e.Generation && (e.Holds || k.Detail == e.Detail)
		}
	}
	return false
}

// covers says whether these steps are all that the state knows something of.
func (s *subject) covers(steps []fleet.Step) bool {
	for _, k := range s.Known {
		if !slices.Contains(steps, k.Step) {
			return false
		}
	}
	return len(s.Known) > 0
}

// awaitCheckin reports a check-in that the outside can see.
func (r *Runner) awaitCheckin(ctx context.Context, p Outside, s subject) error {
	c, can := p.(Checker)
	if !can || !s.awaits {
		return nil
	}
	limited, end := context.WithTimeout(ctx, CallLimit)
	defer end()
	commit, err := c.CheckedIn(limited, s.Subject)
	switch {
	case err != nil:
		r.o.Log.Warn("the check-in could not be looked for", "cluster", s.Record.Name, "error", r.o.Mask(err.Error()))
		return ctx.Err()
	case commit == "":
		return nil
	}
	return r.tell(ctx, core.CheckIn{Cluster: s.Record.Name, Commit: commit})
}
