package engine

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file is about mistakes of Muster's own: a panic while it decides. The state is of
// no use then, so it is built anew from the log. Where halting one partition lets the
// request be decided, that partition is halted, in the log; else all are. What is wrong
// with the request alone halts nothing: it is refused.

// stepper decides a request.
type stepper func(*fleet.State, core.Request, fleet.Instant) (core.Outcome, *core.Refusal)

// panicked is a panic as an error.
type panicked struct {
	what  any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprint(p.what) }

// caught makes an error of a panic. It is to be deferred.
func caught(err *error) {
	if what := recover(); what != nil {
		*err = &panicked{what, debug.Stack()}
	}
}

// remember keeps an entry until it is durable.
func (e *Engine) remember(entry journal.Entry) {
	if len(e.pending) > 2*groupLimit {
		e.pending = after(e.pending, e.durable.now())
	}
	e.pending = append(e.pending, entry)
}

func after(list []journal.Entry, seq uint64) []journal.Entry {
	for i, en := range list {
		if en.Seq > seq {
			return append([]journal.Entry(nil), list[i:]...)
		}
	}
	return nil
}

// recoverFrom goes on after the panic of a request: it builds the state anew, and halts the
// partitions without which the request can be decided. It returns what decide returns.
func (e *Engine) recoverFrom(wrong error, r core.Request) (a answer, entry journal.Entry, ok bool) {
	attrs := []any{"command", fmt.Sprintf("%T", r.Command), "wrong", wrong}
	if p, is := wrong.(*panicked); is { //nolint:errorlint // it comes from caught as it is
		attrs = append(attrs, "stack", string(p.stack))
	}
	e.o.Log.Error("A MISTAKE OF MUSTER'S was met while it decided; the state is built anew", attrs...)
	if err := e.rebuild(); err != nil {
		e.broken = fmt.Errorf("nothing is decided any more: a mistake of Muster's was met (%w), and then the state could not be built anew: %w; start the server again", wrong, err)
		return answer{err: e.broken}, entry, false
	}
	why := &core.Refusal{Code: core.WrongState, Message: fmt.Sprintf("a mistake of Muster's was met while this was decided, and nothing was changed (%v)", wrong)}
	halt := e.culprits(r)
	if len(halt) == 0 {
		_, e.tickPanicked = r.Command.(core.Tick)
		return answer{err: why}, entry, false
	}
	halting := core.Batch{}
	for _, id := range halt {
		halting.Commands = append(halting.Commands, core.HaltPartition{Partition: id, Why: fmt.Sprintf("a mistake of Muster's was met there: %v", wrong)})
	}
	why.Message += fmt.Sprintf("; nothing new is decided in %v until an operator resets it: muster health reset", halt)
	a, entry, ok, again := e.attempt(core.Request{Command: halting, Actor: core.System, Reason: "a mistake of Muster's"})
	if again != nil {
		e.broken = fmt.Errorf("nothing is decided any more: a mistake of Muster's was met (%w), and again while its partitions were halted; start the server again", wrong)
		return answer{err: e.broken}, journal.Entry{}, false
	}
	a.err = why
	return a, entry, ok
}

// rebuild makes the state anew from the log, and from what was decided and is on its way there.
func (e *Engine) rebuild() (err error) {
	defer caught(&err)
	durable := e.durable.now()
	s, err := restore(context.Background(), e.o.Journal, durable)
	if err != nil {
		return err
	}
	for _, en := range after(e.pending, durable) {
		rec, err := event.Decode(en.Data)
		if err != nil {
			return err
		}
		core.ApplyRecord(s, rec)
	}
	e.state = s
	e.callers.Store(s.Callers())
	e.blind()
	if e.carrier != nil {
		e.carrier.resync(max(e.o.Now(), s.Time), s)
	}
	if e.waker != nil {
		e.waker = newWaker(e.o.Wake, s)
	}
	return nil
}

// culprits are the partitions to halt so that a request can be decided: the first that is
// enough by itself, else all. There are none where the request can be decided with all of
// them, and none where it cannot be decided without any.
func (e *Engine) culprits(r core.Request) (halt []string) {
	if e.decides(r) {
		return nil
	}
	for _, p := range e.state.Partitions {
		if p.Halted() == "" && e.decides(r, p.ID) {
			return []string{p.ID}
		}
	}
	for _, p := range e.state.Partitions {
		if p.Halted() == "" {
			halt = append(halt, p.ID)
		}
	}
	if e.decides(r, halt...) {
		return halt
	}
	return nil
}

// decides says whether deciding a request on a copy does not panic while some partitions are halted.
func (e *Engine) decides(r core.Request, halted ...string) bool {
	var wrong error
	func() {
		defer caught(&wrong)
		copied := e.state.Clone()
		for _, id := range halted {
			copied.Partition(id).Halt("a trial")
		}
		_, _ = e.step(copied, r, e.o.Now()) // only whether it panics counts
	}()
	return wrong == nil
}
