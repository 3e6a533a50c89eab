package chaos_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// A house serves a world's fleet as production does: the real engine over a
// journal, and simulated clusters behind a line. Its process may die
// at any record; what stays of it is what the journal has.
type house struct {
	w       *world
	journal *mortal
	engine  *engine.Engine
	cluster *simulated.Driver
	line    *line

	dies   death  // how the process dies next
	in     int    // so many records from now
	keys   uint64 // idempotency keys that were used
	report bool   // what is being asked is a report of a cluster: it is not asked again

	every uint64 // records between two snapshots; 0: only when the script says
	kept  uint64 // record of the last snapshot

	crashes, snapshots int
}

// keeping is how often houses make snapshots by themselves.
var keeping = []uint64{0, 16, 64, 64}

// death is how a process dies around a record.
type death int

const (
	lives   death = iota
	unsaved       // it had decided, and written nothing: it never happened
	untold        // it had written, and not told
)

func (d death) String() string { return []string{"lives", "unsaved", "untold"}[d] }

// mortal is a journal whose process dies while it appends.
type mortal struct {
	*memory.Journal
	dies death
}

var errDied = errors.New("the process died")

func (j *mortal) Append(ctx context.Context, entries []journal.Entry) error {
	if j.dies != unsaved {
		if err := j.Journal.Append(ctx, entries); err != nil {
			return err
		}
	}
	if j.dies != lives {
		return errDied
	}
	return nil
}

// newHouse moves a new world into a house.
func newHouse(w *world, seed uint64) *house {
	h := &house{w: w, journal: &mortal{Journal: memory.New()}, every: keeping[seed/3%4]}
	o := simulated.Options{Seed: seed, Runtime: h.runtime}
	switch seed % 3 {
	case 0:
		o.WholeGrace = true
	case 1:
		o.Delays = simulated.RealisticDelays()
	}
	h.cluster = simulated.New(o)
	h.line = newLine(h)
	w.house, w.follower = h, nil
	if err := h.open(); err != nil {
		panic(err) // an empty journal opens
	}
	return h
}

func (h *house) runtime(j driver.Job) (runsFor time.Duration, ends bool) {
	runs := h.w.runs[j.Namespace+"/"+j.Name]
	return runs, runs > 0
}

// open starts a process on the journal.
func (h *house) open() error {
	e, err := engine.Open(context.Background(), engine.Options{
		Journal: h.journal, Synchronous: true,
		Now: func() fleet.Instant { return h.w.now }, Driver: h.line,
	})
	if err != nil {
		return err
	}
	h.engine = e
	e.Read(func(s *fleet.State) { h.w.s = s })
	return nil
}

// resync tells the clusters all that stands.
func (h *house) resync() { h.engine.Resync() }

// do asks the engine. Where the process dies of it, people ask again, and the
// clusters do not: they are asked what stands.
func (h *house) do(r core.Request) (core.Outcome, *core.Refusal, *failure) {
	how, before := lives, []byte(nil)
	if h.dies != lives && h.in <= 0 {
		how = h.dies
		h.keys++
		r.Key, r.Fingerprint = fmt.Sprint("again", h.keys), h.keys
		before, _ = h.w.s.Encode()
	}
	h.journal.dies = how
	result, err := h.engine.Do(context.Background(), r)
	if !errors.Is(err, errDied) {
		if len(result.Record.Events) > 0 {
			h.in--
		}
		if h.every > 0 && h.w.s.Seq >= h.kept+h.every {
			if f := h.snapshot(); f != nil {
				return core.Outcome{}, nil, f
			}
		}
		return outcome(result, err)
	}
	h.dies = lives
	if f := h.rise(how, before); f != nil {
		return core.Outcome{}, nil, f
	}
	return h.askAgain(r, how)
}

// askAgain is what happens to a request after a process has died of it. A report
// is not repeated; the new process looks at what time has brought meanwhile.
func (h *house) askAgain(r core.Request, how death) (core.Outcome, *core.Refusal, *failure) {
	if h.report {
		h.w.twin = nil // it has decided what never happened, perhaps
		r = core.Request{Command: core.Tick{}, Actor: core.System}
	}
	result, err := h.engine.Do(context.Background(), r)
	if result.Repeat != (how == untold && !h.report) {
		return core.Outcome{}, nil, &failure{rule: "what is asked again is done once", detail: fmt.Sprintf("%T died %v, repeat=%v, %v", r.Command, how, result.Repeat, err)}
	}
	out, refusal, f := outcome(result, err)
	if how == untold && f == nil {
		if h.report && len(out.Record.Events) > 0 {
			return out, refusal, &failure{rule: "deciding again changes nothing", detail: eventsText(out.Record)}
		}
		out.Record, f = h.last()
	}
	return out, refusal, f
}

func outcome(result engine.Result, err error) (core.Outcome, *core.Refusal, *failure) {
	var refusal *core.Refusal
	if errors.As(err, &refusal) {
		return core.Outcome{}, refusal, nil
	}
	if err != nil {
		return core.Outcome{}, nil, &failure{rule: "the engine serves", detail: err.Error()}
	}
	return core.Outcome{Record: result.Record}, nil, nil
}

// last reads the last record of the journal.
func (h *house) last() (r event.Record, broken *failure) {
	seq, _, _ := h.journal.Last(context.Background())
	err := h.journal.Read(context.Background(), seq, func(e journal.Entry) (err error) {
		r, err = event.Decode(e.Data)
		return err
	})
	if err != nil {
		return r, &failure{rule: "the journal reads", detail: err.Error()}
	}
	return r, nil
}

// rise starts a process anew. Its state must be what was durable, byte for byte.
func (h *house) rise(how death, before []byte) *failure {
	h.crashes++
	durable, err := h.w.s.Encode()
	if how == unsaved {
		durable = before
	}
	if err != nil {
		return &failure{rule: "a state encodes", detail: err.Error()}
	}
	h.line.hangUp()
	h.journal = &mortal{Journal: h.journal.Reopen()}
	if err := h.open(); err != nil {
		return &failure{rule: "a process starts again", detail: err.Error()}
	}
	risen, _ := h.w.s.Encode()
	if !bytes.Equal(durable, risen) {
		return &failure{rule: "the journal gives the state back, byte for byte", detail: difference(durable, risen)}
	}
	return nil
}

// snapshot keeps the state in the journal, so that a new process need not read all of it.
func (h *house) snapshot() *failure {
	data, err := h.w.s.Encode()
	if err == nil {
		err = h.journal.SaveSnapshot(context.Background(), journal.Snapshot{Seq: h.w.s.Seq, At: int64(h.w.s.Time), Data: data})
	}
	if err != nil {
		return &failure{rule: "a snapshot is kept", detail: err.Error()}
	}
	h.kept = h.w.s.Seq
	h.snapshots++
	return nil
}

// turnTrick does what a line of the script says that is no command.
func (h *house) turnTrick(st step) *failure {
	switch st.trick {
	case restart, standby:
		return h.rise(lives, nil)
	case makeTwin:
		if h.w.twin != nil {
			h.w.twin = nil
			return nil
		}
		h.w.twin = h.w.s.Clone()
	case die:
		h.dies, h.in = st.how, st.in
	case weathers:
		h.line.weather = st.sky
	case resync:
		h.resync()
	case snapshot:
		return h.snapshot()
	case byMail:
		c := st.do.(core.SetNodes)
		h.line.post(driver.Report{At: h.w.now, Nodes: &driver.Nodes{Names: c.Names, State: c.State, Dead: c.Dead, Signal: c.Signal}})
	case healed:
		return h.w.heal()
	}
	return nil
}
