package executor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// How often work outside is looked at, and how long one call may take.
const (
	PollEvery = 15 * time.Second
	CallLimit = 30 * time.Second
)

// Actor is who reports how visits went.
var Actor = core.Actor{Name: "executor", Operator: true}

// Options say what a Runner works with.
type Options struct {
	Read      func(func(*fleet.State))
	Do        func(context.Context, core.Request) error // a refusal is an error
	Executors map[string]Executor                       // by the name that updates call them
	Log       *slog.Logger                              // nil: nothing is logged
}

// Runner has visits carried out.
type Runner struct {
	o     Options
	polls map[string]fleet.Instant // visits at work, by their IDs: when each is looked at next
}

// New makes a Runner that has looked at nothing yet.
func New(o Options) *Runner {
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	return &Runner{o: o, polls: map[string]fleet.Instant{}}
}

// Due is when there is something to do next; fleet.Never: nothing, as the state is now.
func (r *Runner) Due() fleet.Instant {
	due := fleet.Never
	for _, v := range r.visits() {
		due = min(due, r.due(&v))
	}
	return due
}

func (r *Runner) due(v *visit) fleet.Instant {
	if v.State == fleet.VisitWorking {
		return max(v.due(), r.polls[v.id()])
	}
	return v.due()
}

func (r *Runner) visits() (list []visit) {
	r.o.Read(func(s *fleet.State) { list = visitsOf(s) })
	return list
}

// Turn does what is due. An error is the engine's; what fails outside is reported as such.
func (r *Runner) Turn(ctx context.Context, now fleet.Instant) error {
	open := map[string]fleet.Instant{}
	for _, v := range r.visits() {
		if r.due(&v) <= now {
			if err := r.goOn(ctx, &v, now); err != nil {
				return err
			}
		}
		if at, ok := r.polls[v.id()]; ok {
			open[v.id()] = at
		}
	}
	r.polls = open // what is over is forgotten
	return nil
}

// goOn has the next part of a visit done, or reports its end.
func (r *Runner) goOn(ctx context.Context, v *visit, now fleet.Instant) error {
	say := core.ReportVisit{Node: v.Node, Key: v.Key, Outcome: core.Passed}
	if v.State == fleet.VisitChecking {
		return r.tell(ctx, say)
	}
	r.polls[v.id()] = now.Add(PollEvery)
	var seen []fleet.Component
	for _, o := range v.orders() {
		is, err := r.stand(ctx, o)
		switch {
		case err != nil:
			r.o.Log.Warn("work on a node could not be looked at", "node", v.Node, "update", o.Update.Name, "error", err)
			return ctx.Err()
		case is.State == Failed:
			say.Outcome, say.Why = core.Failed, o.Update.Name+": "+text.Bound(is.Why, mostWhy)
			return r.tell(ctx, say)
		case is.State != Done:
			r.polls[v.id()] = max(r.polls[v.id()], is.Again)
			return nil
		}
		seen = append(seen, is.Runs...)
	}
	if v.people() {
		r.polls[v.id()] = fleet.Never // the rest is theirs, and so is the last word
		return nil
	}
	if say.Runs = v.runs(seen); v.Checks > 0 {
		say.Outcome = core.Worked
	}
	return r.tell(ctx, say)
}

// stand is how an order stands outside once it has begun there.
func (r *Runner) stand(ctx context.Context, o Order) (Report, error) {
	x := r.o.Executors[o.Update.Executor]
	if x == nil {
		return Report{State: Failed, Why: fmt.Sprintf("this server has no executor %q", o.Update.Executor)}, nil
	}
	ctx, end := context.WithTimeout(ctx, CallLimit)
	defer end()
	is, found, err := x.Find(ctx, o)
	if found || err != nil {
		return is, err
	}
	is, err = x.Begin(ctx, o)
	var no *Refused
	if errors.As(err, &no) {
		return Report{State: Failed, Why: no.Error()}, nil
	}
	return is, err
}

// mostWhy bounds what is kept of an executor's own words, in bytes.
const mostWhy = 500

// tell gives the engine a command. A refusal is logged: it says that the world has moved on.
func (r *Runner) tell(ctx context.Context, c core.ReportVisit) error {
	err := r.o.Do(ctx, core.Request{Command: c, Actor: Actor, Reason: "the visit of " + c.Node})
	var no *core.Refusal
	if errors.As(err, &no) {
		r.o.Log.Warn("how a visit went was refused", "node", c.Node, "why", no.Error())
		return nil
	}
	return err
}
