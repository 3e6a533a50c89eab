package provision

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// How often the outside is looked at.
const (
	CountEvery = time.Minute      // the cloud's quota
	LookEvery  = 5 * time.Minute  // a cluster's steps
	LookAgain  = time.Minute      // where they could not be seen, one does not hold, or the check-in is waited for
	BeatEvery  = 2 * time.Minute  // one report of all that is as it was
	PollEvery  = 15 * time.Second // an operation that gives no hint
	GoneAfter  = 5 * time.Minute  // how long one that has begun is not found until it is begun anew
	CallLimit  = 30 * time.Second // for one call

	LongestHint = time.Hour // that the outside's wish to be left alone is heeded
)

// Actor is who reports what is seen outside.
var Actor = core.Actor{Name: "provision", Operator: true}

// Options say what a Runner works with.
type Options struct {
	Read      func(func(*fleet.State))
	Do        func(context.Context, core.Request) error // a refusal is an error
	Providers map[string]Outside                        // by the record's provider
	Clouds    map[string]Cloud                          // likewise
	Mask      func(string) string                       // takes known secrets out of texts; nil: there are none
	Log       *slog.Logger                              // nil: nothing is logged
}

// Runner brings what stands outside to what the state says.
type Runner struct {
	o      Options
	polls  map[string]fleet.Instant // operations: when each is looked at next
	missed map[string]fleet.Instant // operations that have begun: since when each is not found
	looks  map[string]fleet.Instant // clusters
	reads  map[string]fleet.Instant // cloud accounts
	asked  map[string][]string      // cloud accounts: the meters that were asked for
	beat   beat
	ended  bool // an operation has, in this turn

	nudges nudges

	last work   // what the state asked for
	of   origin // the state that it is of
}

// origin tells one version of the state from another.
type origin struct {
	state *fleet.State
	seq   uint64
}

// New makes a Runner that has looked at nothing yet.
func New(o Options) *Runner {
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if o.Mask == nil {
		o.Mask = func(s string) string { return s }
	}
	return &Runner{o: o, polls: map[string]fleet.Instant{}, missed: map[string]fleet.Instant{}, looks: map[string]fleet.Instant{}, reads: map[string]fleet.Instant{}, asked: map[string][]string{}}
}

// work is what the state asks for, copied.
type work struct {
	operations []operation
	subjects   []subject
	accounts   []account
}

// Due is when there is something to do next; fleet.Never: nothing, as the state is now.
func (r *Runner) Due() fleet.Instant {
	due := fleet.Never
	w := r.work()
	r.nudges.take(r.polls)
	for _, o := range w.operations {
		due = min(due, max(r.polls[o.order.ID], o.next))
	}
	for _, s := range w.subjects {
		due = min(due, r.looks[s.Record.Name])
	}
	for _, a := range w.accounts {
		due = min(due, r.countDue(a))
	}
	if !r.beat.empty() {
		due = min(due, r.beat.due)
	}
	return due
}

// Turn does what is due. An error is the engine's; what fails outside is reported as such.
func (r *Runner) Turn(ctx context.Context, now fleet.Instant) error {
	w := r.work()
	r.nudges.take(r.polls)
	for _, o := range w.operations {
		if max(r.polls[o.order.ID], o.next) <= now {
			if err := r.carryOut(ctx, o, now); err != nil {
				return err
			}
		}
	}
	if r.ended {
		r.ended, w = false, r.work() // what has ended is looked at as it is now
	}
	for _, a := range w.accounts {
		if r.countDue(a) <= now {
			if err := r.count(ctx, a, now); err != nil {
				return err
			}
		}
	}
	for _, s := range w.subjects {
		if r.looks[s.Record.Name] <= now {
			if err := r.look(ctx, s, now); err != nil {
				return err
			}
		}
	}
	r.forget(w)
	return r.confirm(ctx, now)
}

// work is what is to be done. Most turns change nothing, so it is read again only from a
// state that has moved on.
func (r *Runner) work() work {
	r.o.Read(func(s *fleet.State) {
		if is := (origin{s, s.Seq}); is != r.of {
			r.last, r.of = r.read(s), is
		}
	})
	return r.last
}

// read copies from the state what is to be done.
func (r *Runner) read(s *fleet.State) (w work) {
	at := map[string]int{} // of an account in the list
	for _, l := range s.Lives {
		b := s.BlueprintOf(l)
		if b == nil || l.Course.Retired != 0 {
			continue
		}
		w.operations = append(w.operations, operationsOf(s, l, b)...)
		if len(l.Steps) > 0 || l.Course.CheckedIn == 0 && b.Checkin == fleet.CheckinGit {
			w.subjects = append(w.subjects, subjectOf(l, b))
		}
		name := l.Record.Account()
		if i, known := at[name]; !known {
			at[name] = len(w.accounts)
			w.accounts = append(w.accounts, accountOf(s, l))
		} else if r.o.Clouds[w.accounts[i].provider] == nil {
			w.accounts[i].provider = l.Record.Provider // a provider that can count does so for all
		}
	}
	return w
}

// forget drops what is remembered of operations and clusters that are over.
func (r *Runner) forget(w work) {
	if len(r.polls) <= 2*len(w.operations)+64 {
		return
	}
	live, missed := map[string]fleet.Instant{}, map[string]fleet.Instant{}
	for _, o := range w.operations {
		if at, ok := r.polls[o.order.ID]; ok {
			live[o.order.ID] = at
		}
		if at, ok := r.missed[o.order.ID]; ok {
			missed[o.order.ID] = at
		}
	}
	r.polls, r.missed = live, missed
}

// tell gives the engine a command. A refusal is logged: it says that the world has moved on.
func (r *Runner) tell(ctx context.Context, c core.Command) error {
	err := r.o.Do(ctx, core.Request{Command: c, Actor: Actor})
	var no *core.Refusal
	if errors.As(err, &no) {
		r.o.Log.Warn("what was seen outside was refused", "why", no.Error())
		return nil
	}
	return err
}
