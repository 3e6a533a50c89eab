package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal"
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

// group is what one sync makes durable: the entries, and who is answered then.
type group struct {
	entries []journal.Entry
	calls   []*call
	answers []answer
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
	g := &group{}
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	for {
		out := groups
		if len(g.calls) == 0 {
			out = nil
		}
		in := e.calls
		if len(g.calls) >= groupLimit {
			in = nil
		}
		e.setAlarm(alarm)
		select {
		case c := <-in:
			e.take(g, c)
			g = e.takeMore(g, groups)
		case out <- g:
			g = &group{}
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
				g = &group{}
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

// setAlarm makes the timer ring when time alone may change something.
func (e *Engine) setAlarm(alarm *time.Timer) {
	at := e.state.NextAlarm() // only this goroutine changes the state
	wait := time.Hour
	if at != fleet.Never {
		wait = min(wait, max(0, at.Sub(e.o.Now())))
	}
	alarm.Reset(wait)
}

func (e *Engine) take(g *group, c *call) {
	a, entry, durable := e.decide(c.request)
	if a.err != nil {
		c.reply <- a
		return
	}
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
	var failed error
	for g := range groups {
		if failed == nil {
			if err := e.commit(g); err != nil {
				failed = fmt.Errorf("the journal cannot be written, nothing more is accepted until a restart: %w", err)
				e.o.Log.Error("journal failed", "error", err)
				e.durable.fail(failed)
			}
		}
		for i, c := range g.calls {
			if failed != nil {
				g.answers[i] = answer{err: failed}
			}
			c.reply <- g.answers[i]
		}
	}
}

// commit makes a group durable, and then tells the clusters.
func (e *Engine) commit(g *group) error {
	if len(g.entries) == 0 {
		return nil
	}
	if err := e.o.Journal.Append(context.Background(), g.entries); err != nil {
		return err
	}
	e.hear(g.entries...)
	e.durable.reach(g.entries[len(g.entries)-1].Seq)
	for _, a := range g.answers {
		a.carry()
	}
	return nil
}
