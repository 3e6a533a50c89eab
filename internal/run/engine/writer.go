package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// call is a request on its way, and answer what becomes of it.
type call struct {
	request core.Request
	reply   chan answer
}

type answer struct {
	result  Result
	err     error
	effects []func() // to be done once the record is durable
}

// carry does what the record asks for once it is durable: it tells the driver, or wakes reconcilers.
func (a answer) carry() {
	for _, effect := range a.effects {
		effect()
	}
}

// newCall is a call that asks for something.
func (e *Engine) newCall(r core.Request) *call {
	c, used := e.answered.Get().(*call)
	if !used {
		c = &call{reply: make(chan answer, 1)}
	}
	c.request = r
	return c
}

// group is what one sync makes durable: the entries, and who is answered then.
type group struct {
	entries  []journal.Entry
	packed   []journal.Entry // the same, as the log holds them
	calls    []*call
	answers  []answer
	answered int // calls that have their answer
}

// reply answers the calls that wait: with err, or with what became of each.
func (g *group) reply(err error) {
	for i, c := range g.calls[g.answered:] {
		a := g.answers[g.answered+i]
		if err != nil {
			a = answer{err: err}
		}
		c.reply <- a
	}
	g.answered = len(g.calls)
}

// group is one in which nothing is yet.
func (e *Engine) group() *group {
	if g, used := e.groups.Get().(*group); used {
		return g
	}
	return &group{}
}

// forget has a group that is answered used again.
func (e *Engine) forget(g *group) {
	clear(g.entries)
	clear(g.calls)
	clear(g.answers)
	*g = group{entries: g.entries[:0], calls: g.calls[:0], answers: g.answers[:0]}
	e.groups.Put(g)
}

// groupLimit bounds a group, so that an answer never waits for more than this many others.
const groupLimit = 512

// start runs the two goroutines: one decides group n+1 while the other makes group n durable.
func (e *Engine) start() {
	groups := make(chan *group)
	e.done.Add(2)
	go func() { defer e.done.Done(); defer close(groups); e.decideLoop(groups) }()
	go func() { defer e.done.Done(); e.commitLoop(groups) }()
	if e.o.SnapshotEvery > 0 {
		e.done.Add(1)
		go func() { defer e.done.Done(); e.snapshotLoop() }()
	}
}

// decideLoop owns the deciding: it takes requests as they come and hands what it
// has decided to the committer whenever that is free.
func (e *Engine) decideLoop(groups chan<- *group) {
	g := e.group()
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	if e.o.First != nil {
		e.take(g, &call{request: core.Request{Command: e.o.First(), Actor: core.System}, reply: make(chan answer, 1)})
	}
	for {
		out := groups
		if len(g.calls) == 0 {
			out = nil
		}
		in := e.calls
		if len(g.calls) >= groupLimit && e.outage.now() == nil {
			in = nil
		}
		e.setAlarm(alarm)
		select {
		case c := <-in:
			e.take(g, c)
			g = e.takeMore(g, groups)
		case out <- g:
			g = e.group()
		case <-e.outage.began:
			if away := e.outage.now(); away != nil { // else it has ended meanwhile, and the group waits its turn
				g.reply(away)
			}
		case <-alarm.C:
			e.take(g, &call{request: core.Request{Command: core.Tick{}, Actor: core.System}, reply: make(chan answer, 1)})
		case <-e.quit:
			e.drain(g, groups)
			return
		}
	}
}

// takeMore decides what else has come already, and hands the group over as soon
// as the committer is free: it shall not wait for more, for more comes while it syncs.
func (e *Engine) takeMore(g *group, groups chan<- *group) *group {
	for len(g.calls) < groupLimit {
		if len(g.calls) > 0 {
			select {
			case groups <- g:
				g = e.group()
			default:
			}
		}
		select {
		case c := <-e.calls:
			e.take(g, c)
		default:
			return g
		}
	}
	return g
}

// setAlarm makes the timer ring when time alone may change something. While nothing can
// be decided, it rings now and then to see whether that has ended.
func (e *Engine) setAlarm(alarm *time.Timer) {
	at := e.state.NextAlarm() // only this goroutine changes the state
	wait := time.Hour
	if at != fleet.Never {
		wait = min(wait, max(0, at.Sub(e.o.Now())))
	}
	if e.away() != nil || e.tickPanicked {
		wait = max(wait, time.Second)
	}
	alarm.Reset(wait)
}

// take decides a request. A refusal is answered with its group, too: it was made from a
// state that a crash can undo until then. While the journal cannot be reached nothing is decided.
func (e *Engine) take(g *group, c *call) {
	if away := e.away(); away != nil {
		c.reply <- answer{err: away}
		return
	}
	a, entry, durable := e.decide(c.request)
	if durable {
		g.entries = append(g.entries, entry)
	}
	g.calls, g.answers = append(g.calls, c), append(g.answers, a)
}

// drain decides what was accepted before the engine was asked to close.
func (e *Engine) drain(g *group, groups chan<- *group) {
	for {
		select {
		case c := <-e.calls:
			e.take(g, c)
		default:
			if len(g.calls) > 0 {
				groups <- g
			}
			return
		}
	}
}

// commitLoop makes group after group durable; then the clusters are told, and then the
// callers answered.
// After a failure nothing is promised any more: the state is ahead of the log,
// and only a restart brings them together.
func (e *Engine) commitLoop(groups <-chan *group) {
	for g := range groups {
		err := e.durable.failed()
		if err == nil {
			err = e.commit(g)
		}
		g.reply(err)
		e.forget(g)
	}
}

// commit makes a group durable, and then tells the clusters. While the journal cannot be
// reached it tries again and again, and its callers are told so.
func (e *Engine) commit(g *group) error {
	if len(g.entries) == 0 {
		return nil
	}
	g.packed = packed(g.entries)
	for try := 0; ; try++ {
		err := e.append(g.packed)
		if err == nil {
			break
		}
		if !errors.Is(err, journal.ErrUnavailable) {
			return e.fail(err)
		}
		wait := e.outage.begin(err, try)
		e.durable.nudge() // readers do not wait for the end of it
		g.reply(e.outage.now())
		if try == 0 {
			e.o.Log.Error("the journal cannot be reached; nothing is decided until it can", "error", err)
		}
		if !e.rest(wait) {
			return e.fail(err)
		}
	}
	if e.outage.end() {
		e.o.Log.Warn("the journal is reached again", "version", g.entries[len(g.entries)-1].Seq)
	}
	e.hear(g.entries...)
	e.noteKeys(g)
	e.durable.reach(g.entries[len(g.entries)-1].Seq)
	for _, a := range g.answers {
		a.carry()
	}
	return nil
}

// packed is entries as the log holds them. They are packed beside the deciding, not on its way.
func packed(entries []journal.Entry) []journal.Entry {
	list := make([]journal.Entry, len(entries))
	for i, en := range entries {
		en.Data = event.Pack(en.Data)
		list[i] = en
	}
	return list
}

// append appends, and lets Health see how long it takes.
func (e *Engine) append(entries []journal.Entry) error {
	defer e.journaling.begin()()
	return e.o.Journal.Append(context.Background(), entries)
}

// fail ends all deciding: what was decided last is not in the log.
func (e *Engine) fail(err error) error {
	failed := fmt.Errorf("the journal cannot be written, nothing more is accepted until a restart: %w", err)
	e.o.Log.Error("journal failed", "error", err)
	e.durable.fail(failed)
	return failed
}

// rest waits; it returns false once the engine closes.
func (e *Engine) rest(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-e.quit:
		return false
	}
}
