package provision

import (
	"context"
	"errors"
	"fmt"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// operation is an act on the outside that is under way, or about to begin.
type operation struct {
	order   Order
	begun   bool          // it is known to have begun
	parked  bool          // it would not begin, and waits for a person or a change
	held    bool          // a person holds the cluster: nothing begins
	retired bool          // the cluster is being retired: what has not begun never will
	unblock bool          // a person let it go on
	next    fleet.Instant // no try before then
}

func operationsOf(state *fleet.State, l *fleet.Life, b *fleet.Blueprint) (list []operation) {
	for _, s := range l.Steps {
		if !s.Operation.Live() {
			continue
		}
		o := operation{order: orderOf(l, b, s), begun: s.Operation.State != fleet.OperationIntended}
		if s.Step == fleet.StepQuota {
			o.order.Limits = limitsOf(state, l)
		}
		o.unblock = s.Operation.State == fleet.OperationBlocked && s.Operation.Unblocked
		o.order.Unblocked = o.unblock
		if !o.begun {
			o.next, o.parked = s.Trouble.Next, s.Trouble.Parked
			o.held, o.retired = l.Course.Held != 0, l.Course.Retiring != 0 && s.Step != fleet.StepTeardown
		}
		if o.parked && !o.retired {
			continue
		}
		list = append(list, o)
	}
	return list
}

func orderOf(l *fleet.Life, b *fleet.Blueprint, s fleet.StepState) Order {
	return Order{
		ID: s.Operation.ID, Step: s.Step, Generation: s.Operation.Generation, Attempt: s.Operation.Attempt,
		Record: l.Record, Blueprint: *b, Intended: s.Operation.Intended,
	}
}

// limitsOf is what the cloud is to be asked for, so that a cluster has its cores, and those
// before it theirs.
func limitsOf(s *fleet.State, l *fleet.Life) (list []Limit) {
	g := core.LedgerOf(s, l.Record.Account(), s.Time)
	claim := g.ClaimOf(l.Record.Name)
	for _, m := range claim.Meters {
		if m.Missing > 0 {
			list = append(list, Limit{m.Meter, m.Enough})
		}
	}
	return list
}

// carryOut looks an operation up, begins it where it is not there, and reports how it stands.
func (r *Runner) carryOut(ctx context.Context, o operation, now fleet.Instant) error {
	r.polls[o.order.ID] = now.Add(PollEvery)
	is, err := r.stand(ctx, o, now)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return r.failed(ctx, o, err, now)
	}
	if is.State == fleet.OperationIntended {
		return nil // it waits until the cluster is let go on
	}
	if is.Again > now {
		r.polls[o.order.ID] = is.Again
	}
	if is.State == fleet.OperationSucceeded || is.State == fleet.OperationFailed {
		delete(r.polls, o.order.ID)
		r.looks[o.order.Record.Name], r.ended = now, true // what it changed is looked at
		if o.order.Step == fleet.StepQuota {
			delete(r.reads, o.order.Record.Account())
		}
	}
	return r.tell(ctx, r.report(o, is))
}

// failed is what an error means. One that has begun is looked at again, when the outside
// says so; of one that is not known to have begun the error is told, and it is looked up
// again before it is begun.
func (r *Runner) failed(ctx context.Context, o operation, err error, now fleet.Instant) error {
	no := &Refused{Class: fleet.ErrorRetry, Err: err}
	errors.As(err, &no)
	if o.begun {
		r.polls[o.order.ID] = now.Add(max(PollEvery, no.After))
		r.o.Log.Warn("an operation outside could not be looked at", "operation", o.order.ID, "error", r.o.Mask(err.Error()))
		return nil
	}
	c := r.report(o, Report{Class: no.Class, Error: no.Error()})
	c.Refused, c.After = true, no.After
	if o.retired && errors.Is(err, errRetired) {
		c.State = fleet.OperationFailed
	}
	delete(r.polls, o.order.ID) // the state says when it is tried again
	return r.tell(ctx, c)
}

// errRetired says why an operation that has not begun never will.
var errRetired = errors.New("it never began, and will not: the cluster is being retired")

// stand is how the operation stands outside once it has begun there.
func (r *Runner) stand(ctx context.Context, o operation, now fleet.Instant) (Report, error) {
	ctx, end := context.WithTimeout(ctx, CallLimit)
	defer end()
	p := r.o.Providers[o.order.Record.Provider]
	if p == nil && o.retired {
		return Report{}, &Refused{Class: fleet.ErrorPerson, Err: errRetired}
	}
	if p == nil {
		err := fmt.Errorf("this server has no adapter for provider %s; start it with one, or change the record", o.order.Record.Provider)
		return Report{}, &Refused{Class: fleet.ErrorFix, Err: err}
	}
	if o.unblock {
		if err := p.Unblock(ctx, o.order); err != nil {
			return Report{}, err
		}
	}
	is, found, err := p.Find(ctx, o.order)
	if found {
		delete(r.missed, o.order.ID)
	}
	switch {
	case found || err != nil:
		return is, err
	case o.begun && !r.gone(o.order.ID, now):
		return Report{}, errNotFound
	case o.retired:
		return Report{}, &Refused{Class: fleet.ErrorPerson, Err: errRetired}
	case o.held:
		return Report{State: fleet.OperationIntended}, nil
	}
	return p.Begin(ctx, o.order)
}

// errNotFound says why nothing is known of an operation that has begun.
var errNotFound = errors.New("it has begun, and is not found; the answer may be older than that")

// gone says whether an operation that has begun was not found for so long that it is gone, and
// may be begun anew. One answer that is older than its beginning says nothing.
func (r *Runner) gone(operation string, now fleet.Instant) bool {
	since, missed := r.missed[operation]
	if !missed {
		r.missed[operation] = now
		return false
	}
	if now < since.Add(GoneAfter) {
		return false
	}
	delete(r.missed, operation)
	return true
}

func (r *Runner) report(o operation, is Report) core.ReportOperation {
	return core.ReportOperation{
		Cluster: o.order.Record.Name, Step: o.order.Step, ID: o.order.ID,
		State: is.State, Link: r.o.Mask(is.Link), Detail: r.o.Mask(is.Detail), Class: is.Class, Error: r.o.Mask(is.Error),
	}
}
