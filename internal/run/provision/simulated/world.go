package simulated

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Outcome is how an operation goes.
type Outcome string

// The ways in which an operation may go wrong.
const (
	Failed    Outcome = "failed"
	Blocked   Outcome = "blocked"   // it waits until a person lets it go on
	Throttled Outcome = "throttled" // it does not begin
	Lost      Outcome = "lost"      // it happens, and its answer never comes
)

// Outcomes lists them.
func Outcomes() []Outcome { return []Outcome{Failed, Blocked, Throttled, Lost} }

// Fault says how the next operations of a step go.
type Fault struct {
	Outcome Outcome
	Class   fleet.ErrorClass
	Error   string
	Times   int           // how many operations
	Takes   time.Duration // until it fails, or may be tried again; 0: as long as the step
}

// World is all that is outside. Its methods may be called from several goroutines.
type World struct {
	now   func() fleet.Instant
	takes func(provision.Order) time.Duration // how long an operation takes

	mu         sync.Mutex
	operations map[string]*operation
	faults     map[spot][]Fault
	fallen     map[spot]fallen
	hidden     map[spot]bool                          // what a look does not name
	accounts   map[string]map[string]fleet.CloudCount // what others use, by account and meter
	uses       map[string]use                         // scale sets, by cluster
	begun      map[string]int                         // how often each operation was begun
}

// spot is a step of a cluster.
type spot struct {
	cluster string
	step    fleet.Step
}

type operation struct {
	order   provision.Order
	ends    fleet.Instant
	blocked bool
	fault   *Fault // how it ends; nil: well
	applied bool
}

// fallen is a step that does not hold any more, until an operation brings it back or,
// where none does, until a moment.
type fallen struct {
	detail string
	until  fleet.Instant
}

// use is what a cluster's scale sets use of the cloud.
type use struct {
	account string
	cores   map[string]int
}

// New makes a world with a clock.
func New(now func() fleet.Instant) *World {
	return &World{
		now: now, takes: func(o provision.Order) time.Duration { return o.Blueprint.Takes[o.Step] }, operations: map[string]*operation{}, faults: map[spot][]Fault{}, fallen: map[spot]fallen{}, hidden: map[spot]bool{},
		accounts: map[string]map[string]fleet.CloudCount{}, uses: map[string]use{}, begun: map[string]int{},
	}
}

// Spread lets operations take as long as a function says, each one as it says.
func (w *World) Spread(takes func(provision.Order) time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.takes = takes
}

// SetCloud says what the cloud grants from now on, and what others use of it.
func (w *World) SetCloud(subscription, region string, c fleet.CloudCount) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.setCloud(subscription+"/"+region, c)
}

func (w *World) setCloud(account string, c fleet.CloudCount) {
	if w.accounts[account] == nil {
		w.accounts[account] = map[string]fleet.CloudCount{}
	}
	w.accounts[account][c.Meter] = c
}

// Fault says how the next operations of a step go.
func (w *World) Fault(cluster string, step fleet.Step, f Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := spot{cluster, step}
	w.faults[at] = append(w.faults[at], f)
}

// Hide lets looks name a step no more, as an adapter does that only begins it.
func (w *World) Hide(cluster string, step fleet.Step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hidden[spot{cluster, step}] = true
}

// Begun is how often each operation was begun, by ID.
func (w *World) Begun() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.begun)
}

// take is the fault of the next operation of a step.
func (w *World) take(at spot) *Fault {
	list := w.faults[at]
	if len(list) == 0 {
		return nil
	}
	f := list[0]
	if w.faults[at][0].Times--; w.faults[at][0].Times <= 0 {
		w.faults[at] = slices.Delete(list, 0, 1)
	}
	return &f
}

// Find looks an operation up.
func (w *World) Find(_ context.Context, o provision.Order) (provision.Report, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	op := w.operations[o.ID]
	if op == nil {
		return provision.Report{}, false, nil
	}
	return w.report(op), true, nil
}

// errLost is what comes instead of a lost answer.
var errLost = errors.New("the answer was lost")

// Begin begins an operation.
func (w *World) Begin(_ context.Context, o provision.Order) (provision.Report, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.take(spot{o.Record.Name, o.Step})
	if f != nil && f.Outcome == Throttled {
		return provision.Report{}, &provision.Refused{Class: fleet.ErrorWait, After: f.Takes, Err: errors.New(orElse(f.Error, "429 too many requests"))}
	}
	op := &operation{order: o, ends: w.now().Add(w.takes(o)), fault: f}
	w.operations[o.ID] = op
	w.begun[o.ID]++
	switch {
	case f == nil:
	case f.Outcome == Lost:
		op.fault = nil
		return provision.Report{}, errLost
	case f.Outcome == Blocked:
		op.blocked, op.ends = true, fleet.Never
	case f.Takes > 0:
		op.ends = w.now().Add(f.Takes)
	}
	return w.report(op), nil
}

// Unblock lets an operation go on.
func (w *World) Unblock(_ context.Context, o provision.Order) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	op := w.operations[o.ID]
	if op == nil || !op.blocked {
		return nil
	}
	takes := w.takes(o)
	if op.fault != nil && op.fault.Takes > 0 {
		takes = op.fault.Takes
	}
	op.blocked, op.ends, op.fault = false, w.now().Add(takes), nil
	return nil
}

// report is how an operation stands now.
func (w *World) report(op *operation) provision.Report {
	r := provision.Report{State: fleet.OperationRunning, Link: "simulated://" + op.order.ID, Again: op.ends}
	switch {
	case op.blocked:
		r.State, r.Error, r.Again = fleet.OperationBlocked, op.fault.Error, 0
	case op.ends > w.now():
	case op.fault != nil:
		r.State, r.Class, r.Error = fleet.OperationFailed, op.fault.Class, orElse(op.fault.Error, "it failed")
	default:
		r.State, r.Detail = fleet.OperationSucceeded, fmt.Sprintf("generation %d", op.order.Generation)
		w.apply(op)
	}
	return r
}

// apply lets a successful operation change the world, once.
func (w *World) apply(op *operation) {
	if op.applied {
		return
	}
	op.applied = true
	o := op.order
	delete(w.fallen, spot{o.Record.Name, o.Step})
	switch o.Step {
	case fleet.StepScaleSets:
		u := use{account: o.Record.Account(), cores: map[string]int{}}
		for _, m := range o.Blueprint.Meters {
			u.cores[m.Meter] = m.PerNode * o.Record.Nodes()
		}
		w.uses[o.Record.Name] = u
	case fleet.StepTeardown:
		delete(w.uses, o.Record.Name)
	case fleet.StepQuota:
		w.raise(o)
	default: // the others use no quota
	}
}

// raise lets the cloud grant what it was asked for.
func (w *World) raise(o provision.Order) {
	account := w.accounts[o.Record.Account()]
	for _, l := range o.Limits {
		c := account[l.Meter]
		c.Limit = max(c.Limit, l.Cores)
		account[l.Meter] = c
	}
}

// Counts is what the cloud counts: what others use, and the scale sets that stand.
func (w *World) Counts(_ context.Context, subscription, region string) (list []fleet.CloudCount, _ error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := subscription + "/" + region
	for _, c := range w.accounts[name] {
		for _, u := range w.uses {
			if u.account == name {
				c.Used += u.cores[c.Meter]
			}
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b fleet.CloudCount) int {
		if a.Meter < b.Meter {
			return -1
		}
		return 1
	})
	return list, nil
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
