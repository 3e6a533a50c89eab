package core

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/decide/placement"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Outcome is what a request led to.
type Outcome struct {
	Record event.Record // without events if there was nothing to do
	Repeat uint64       // sequence number of the first time, if the idempotency key was known
	// Refused says of each command of a Batch with Each why it was left out; nil: it was done.
	Refused []*Refusal
	// Lets is what a trial passed, and the same request done for good would be refused for.
	Lets []*Refusal
}

// Step decides a request, applies what was decided, and lets all else react (settle.go)
// until nothing more changes. A refused request changes nothing.
func Step(s *fleet.State, r Request, now fleet.Instant) (Outcome, *Refusal) {
	now = max(now, s.Time)
	if refusal := checkTexts("the request", r.Key, r.Reason, r.Actor.Name); refusal != nil {
		return Outcome{}, refusal
	}
	use, known, since := keyUse(s, &r)
	if known {
		if use.Fingerprint != r.Fingerprint {
			return Outcome{}, refuse(KeyReused, "idempotency key %q was used for another command; use a new key", r.Key)
		}
		return Outcome{Repeat: use.Seq}, nil
	}
	if made, ok := keyMoment(r.Key); ok && made < since {
		return Outcome{}, refuse(KeyExpired, "idempotency key %q was made at %s, and keys are known since %s: whether its command was done is not known; look, and repeat it with a new key",
			r.Key, momentText(made), momentText(since))
	}
	if r.Expect != 0 && r.Expect != s.Seq {
		return Outcome{}, refuse(Stale, "made from version %d of the state, which is now at %d; look again", r.Expect, s.Seq).
			with(map[string]int{"expected": int(r.Expect), "now": int(s.Seq)})
	}
	t := newTurn(s, now)
	if r.Trial {
		r.lets = new([]*Refusal)
	}
	left, refusal := t.decide(&r)
	if refusal != nil {
		return Outcome{}, refusal
	}
	t.settle()
	t.tellEnded()
	t.tell(&r)
	if len(t.events) == 0 {
		return Outcome{Refused: left, Lets: r.passed()}, nil
	}
	rec := event.Record{
		Seq: s.Seq + 1, At: now, Actor: r.Actor.Name, Reason: r.Reason,
		Key: r.Key, Fingerprint: r.Fingerprint, Events: t.events,
	}
	s.Seq, s.Time = rec.Seq, now
	s.KeepHighs(now)
	if r.Key != "" {
		s.Remember(fleet.KeyUse{Key: r.Key, Fingerprint: r.Fingerprint, Seq: rec.Seq, At: now})
	}
	return Outcome{Record: rec, Refused: left, Lets: r.passed()}, nil
}

// decide decides a request and applies what it leads to; refused, it has applied nothing.
// Of a batch in which each command stands for itself, left says by position why a
// command was left out; nil: it was done.
func (t *turn) decide(r *Request) (left []*Refusal, refusal *Refusal) {
	b, ok := r.Command.(Batch)
	if !ok || !b.Each {
		return nil, t.decideOne(r)
	}
	left = make([]*Refusal, len(b.Commands))
	one := *r
	for i, command := range b.Commands {
		one.Command = command
		left[i] = t.decideOne(&one)
	}
	return left, nil
}

// decideOne decides one command by Decide, and applies its events. A cut by people that would
// make running work unprotected needs a reason (semantics §4).
func (t *turn) decideOne(r *Request) *Refusal {
	events, refusal := Decide(t.s, *r, t.now)
	if refusal != nil {
		return refusal // events that a row returns beside a refusal are dropped
	}
	if c := cutOf(t.s, events); c != nil && c.runs() {
		if r.Reason == "" && r.asksLeave() && !c.planned {
			if refusal := r.refused(reasonFor(t.s, c, events, t.now)); refusal != nil {
				return refusal
			}
		}
		t.cut = t.cut.join(t.s, c)
	}
	for _, e := range events {
		t.emit(e)
	}
	return nil
}

// turn is one step on its way: the events it has led to so far, all applied.
type turn struct {
	s      *fleet.State
	now    fleet.Instant
	events []event.Event

	deferred []deferral
	insist   map[uint64]bool // workloads that are not left to another partition any more; nil: none

	outranked map[uint64]int // reservations that each workload lost; nil: none did
	trail     trail          // in the partition at hand
	withheld  withheld
	next      *placement.Plan // whom to ask next: see nextPlan
	other     *given          // who may get room at the cost of other work: see atOtherCost
	cut       *cut            // what people change that may take protection; nil: nothing
	told      []string        // workloads whose people are told that they are unprotected
	ended     []ended         // parts of grants that have ended in this turn
	imagined  bool            // in a copy, to see what an end leads to: no people are told of others

	asked   int  // how many events there were when planned work had nothing more to do
	looked  bool // planned work found nothing left to do, and resume has not failed since to start what stopped for it
	stuckAt int  // how many events there were when resume was asked last

	woken int // clusters that were looked at because their moment had come
}

// deferral is a workload that a partition left to another one.
type deferral struct {
	workload  *fleet.Workload
	partition *fleet.Partition
}

func newTurn(s *fleet.State, now fleet.Instant) *turn {
	return &turn{s: s, now: now}
}

// fewEvents is as many as most decisions have: work that is submitted, placed and started.
const fewEvents = 4

func (t *turn) emit(e event.Event) {
	t.keep(e)
	apply(t.s, e, t.now)
	if t.events == nil {
		t.events = make([]event.Event, 0, fewEvents)
	}
	t.events = append(t.events, e)
}

// Idle says whether deciding again now would change nothing: the fixed point
// that every step must reach (semantics §10.9). It changes nothing itself.
func Idle(s *fleet.State, now fleet.Instant) bool {
	c := s.Clone()
	t := newTurn(c, max(now, s.Time))
	t.settle()
	return len(t.events) == 0
}

// ShadowOf is what would be decided in a cluster at a moment, were it in mode
// enforce: the events of its partitions, of which none happens.
func ShadowOf(s *fleet.State, cluster string, now fleet.Instant) []event.Event {
	t := newTurn(s.Fork(), max(now, s.Time))
	t.settle() // what happens anyway
	from := len(t.events)
	t.s.SetMode(cluster, fleet.Enforce)
	t.settle()
	return slices.Clone(t.events[from:])
}

// keyUse finds the use of a request's key, in the state or by what else is known, and since when
// all keys are known.
func keyUse(s *fleet.State, r *Request) (use fleet.KeyUse, known bool, since fleet.Instant) {
	since = s.KeysSince()
	if r.Earlier != nil {
		since = min(since, r.Earlier.Since)
	}
	use, known = s.Key(r.Key)
	if !known && r.Earlier != nil && r.Earlier.Use != nil {
		use, known = *r.Earlier.Use, true
	}
	return use, known && r.Key != "", since
}

// keyMoment is when an idempotency key was made, where it says so: at-, the seconds since
// 1970 in eight hex digits, and anything after another dash. Its caller's name may stand before it.
func keyMoment(key string) (fleet.Instant, bool) {
	rest, ok := strings.CutPrefix(key[strings.LastIndexByte(key, ' ')+1:], "at-")
	digits, _, more := strings.Cut(rest, "-")
	if !ok || !more || len(digits) != 8 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	return fleet.Instant(n) * fleet.Instant(time.Second), err == nil
}
