package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/keys"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// ErrClosed is returned by an engine that has been closed.
var ErrClosed = errors.New("the engine is closed")

// UsualSnapshotEvery is how many records a server lets pass between two snapshots. With
// it the state of any moment is found within about a tenth of a second: a snapshot of 10,000 nodes is read in 70 ms, and a record read and applied in 17 µs.
const UsualSnapshotEvery = 2_000

// Options say how an engine runs.
type Options struct {
	Journal journal.Journal
	// Now is the clock; nil is the machine's.
	Now func() fleet.Instant
	// Steady is how long the machine has run, whatever its clock says; it bounds what Now
	// says. nil: Now alone counts, or the machine's where Now is nil, too.
	Steady func() time.Duration
	// Driver carries decisions out, told by what has changed; nil: there is none. It
	// hears all that stands when the engine opens, and then of each record once that is
	// durable: a decision that a crash can undo never reaches a cluster.
	Driver driver.Driver
	// Wake is told of each cluster on which something was decided about a workload (waker.go),
	// once that is durable; may be nil. It must return at once. A caller that is woken reads the state.
	Wake func(cluster string)
	// Plan is for those who look on, such as simulations and stories: what the driver is told is not
	// planned here. It hears every record in order, with the state right after it, and returns what
	// is to be done once the record is durable (nil: nothing).
	Plan func(event.Record, *fleet.State) func()
	// Check looks for broken invariants after a record; what it returns stops new
	// decisions in those partitions. CheckEvery: after every Nth record; 0: never.
	Check      func(*fleet.State, event.Record) []Violation
	CheckEvery int
	// Synchronous makes Do decide and append in the caller's goroutine, one call
	// at a time, for virtual time.
	Synchronous bool
	// Follow: another process writes the log, and nothing is decided until Lead.
	Follow bool
	// First is decided before anything else whenever this process begins to decide; nil: nothing is.
	First func() core.Command
	// May says why this process may not decide now, though it leads: its lease has run out.
	// nil: it always may.
	May func() error
	// SnapshotEvery is how many records lie between two snapshots; 0: none are made.
	SnapshotEvery uint64
	Keys          string       // folder of the index of idempotency keys; "": it is not kept
	Log           *slog.Logger // nil: nothing is logged
}

// Violation is an invariant that does not hold.
type Violation struct {
	Partition string // "" concerns all
	Rule      string
	Detail    string
}

func (v Violation) String() string { return fmt.Sprintf("%s: %s: %s", v.Partition, v.Rule, v.Detail) }

// Result answers a command.
type Result struct {
	Seq    uint64        // version of the state after it
	At     fleet.Instant // when it was decided
	Record event.Record  // what it wrote; no events: there was nothing to do
	Repeat bool          // its idempotency key was known: Seq is of the first time
	// Refused says of each command of a batch in which each stands for itself why it was
	// left out; nil: it was done.
	Refused []*core.Refusal
	// Lets is what a dry run passed, and the same request done for good would be refused for.
	Lets []*core.Refusal
}

// Engine owns the state of a fleet and its journal.
type Engine struct {
	o Options

	mu      sync.RWMutex // guards state
	state   *fleet.State
	records uint64 // since the engine opened

	step    stepper         // core.Step
	pending []journal.Entry // decided last: all that may not be durable yet
	broken  error           // why nothing is decided any more; nil: something is
	// tickPanicked: time alone met a mistake, so it is tried again only now and then.
	tickPanicked bool

	carrier *carrier // nil: there is no driver
	waker   *waker   // nil: no cluster is woken

	keys       *keys.Index
	seen       seen                        // of the past
	callers    atomic.Pointer[fleet.State] // what of the state says who may call
	mirror     mirror                      // for who looks
	aside      mirror                      // for who looks long
	durable    *mark
	clock      *bounded      // nil: Options.Now alone counts
	recent     recent        // the last durable records
	catchingUp chan struct{} // holds one: one watch at a time reads the log
	outage     outage
	calls      chan *call
	groups     sync.Pool // of group: those that are answered are used again
	answered   sync.Pool // of call, likewise
	quit       chan struct{}
	done       sync.WaitGroup
	stopping   sync.Once

	journaling, probing stopwatch
	following           following

	violations struct {
		sync.Mutex
		list []Violation
	}
}

// Open replays the journal and starts the engine.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if o.Now == nil {
		o.Now, o.Steady = func() fleet.Instant { return fleet.InstantOf(time.Now()) }, steadyTime()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	state, err := newest(ctx, o.Journal, ^uint64(0))
	if err == nil {
		err = bringUp(ctx, o, state)
	}
	var known *keys.Index
	if err == nil {
		known, err = knowKeys(ctx, o, state)
	}
	if err != nil {
		return nil, err
	}
	e := &Engine{
		o: o, state: state, keys: known, durable: newMark(state.Seq), step: core.Step,
		catchingUp: make(chan struct{}, 1), outage: outage{began: make(chan struct{}, 1)},
		calls: make(chan *call, 1024), quit: make(chan struct{}), seen: newSeen(),
	}
	e.callers.Store(state.Callers())
	if o.Steady != nil {
		e.clock = newClock(o.Now, o.Steady, state.Time, o.Log)
		e.o.Now = e.clock.now
	}
	if o.Follow {
		e.follow()
		return e, nil
	}
	e.attach()
	if !o.Synchronous {
		e.start()
	}
	return e, nil
}

// restore builds the state after record seq, from the newest snapshot before it that is
// whole and of this version, and the tail of the log.
func restore(ctx context.Context, j journal.Journal, seq uint64) (*fleet.State, error) {
	s, err := newest(ctx, j, seq)
	if err != nil {
		return nil, err
	}
	return s, advance(ctx, j, s, seq)
}

// newest is the state of the newest snapshot up to seq that can be trusted; the one that the log
// begins with where there is none. One that another version made knows nothing of what came
// into the state since, though the log may: it is not used.
func newest(ctx context.Context, j journal.Journal, seq uint64) (*fleet.State, error) {
	for {
		snap, ok, err := j.SnapshotBefore(ctx, seq)
		if err != nil {
			return nil, fmt.Errorf("read snapshot: %w", err)
		}
		if !ok {
			return first(ctx, j, seq)
		}
		if s, err := trusted(snap.Data); err == nil {
			return s, nil
		}
		if snap.Seq == 0 {
			return first(ctx, j, seq)
		}
		seq = snap.Seq - 1
	}
}

// errEnough ends a read of the journal that has what it wants.
var errEnough = errors.New("enough")

// advance applies the records after the state's, up to seq.
func advance(ctx context.Context, j journal.Journal, s *fleet.State, seq uint64) error {
	err := j.Read(ctx, s.Seq+1, func(en journal.Entry) error {
		if en.Seq > seq {
			return errEnough
		}
		rec, err := event.Decode(en.Data)
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		core.ApplyRecord(s, rec)
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// Do carries out a request. The answer comes when its events are durable. The
// error is a *core.Refusal if the domain said no; then nothing has changed.
func (e *Engine) Do(ctx context.Context, r core.Request) (Result, error) {
	if e.o.Synchronous {
		return e.doNow(ctx, r)
	}
	if e.following.on.Load() {
		return Result{}, ErrFollows
	}
	c := e.newCall(r)
	if err := e.recall(ctx, &c.request); err != nil {
		return Result{}, err
	}
	select {
	case e.calls <- c:
	case <-e.quit:
		return Result{}, ErrClosed
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
	select {
	case a := <-c.reply:
		c.request = core.Request{}
		e.answered.Put(c) // nothing else knows it any more
		return a.result, a.err
	case <-ctx.Done(): // it may still be done: a key lets the caller ask again
		return Result{}, ctx.Err()
	}
}

// doNow decides and appends in the caller's goroutine.
func (e *Engine) doNow(ctx context.Context, r core.Request) (Result, error) {
	if err := e.recall(ctx, &r); err != nil {
		return Result{}, err
	}
	a, entry, ok := e.decide(r)
	if !ok {
		return a.result, a.err
	}
	g := &group{entries: []journal.Entry{entry}, packed: packed([]journal.Entry{entry}), answers: []answer{a}}
	if err := e.o.Journal.Append(ctx, g.packed); err != nil {
		return Result{}, fmt.Errorf("journal: %w", err)
	}
	e.hear(entry)
	e.noteKeys(g)
	e.durable.reach(entry.Seq)
	a.carry()
	return a.result, a.err
}

// decide takes one step of the state. ok says that there is an entry to make durable.
func (e *Engine) decide(r core.Request) (a answer, entry journal.Entry, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.broken != nil {
		return answer{err: e.broken}, entry, false
	}
	a, entry, ok, wrong := e.attempt(r)
	if wrong != nil {
		return e.recoverFrom(wrong, r)
	}
	if _, tick := r.Command.(core.Tick); tick {
		e.tickPanicked = false
	}
	return a, entry, ok
}

// attempt is decide; wrong is a panic on the way, after which the state is of no use.
func (e *Engine) attempt(r core.Request) (a answer, entry journal.Entry, ok bool, wrong error) {
	defer caught(&wrong)
	out, refusal := e.step(e.state, r, e.o.Now())
	switch {
	case refusal != nil:
		return answer{err: refusal}, entry, false, nil
	case out.Repeat != 0:
		return answer{result: Result{Seq: out.Repeat, At: e.state.Time, Repeat: true}}, entry, false, nil
	case len(out.Record.Events) == 0:
		return answer{result: Result{Seq: e.state.Seq, At: e.state.Time, Refused: out.Refused}}, entry, false, nil
	}
	rec := out.Record
	data, err := event.Encode(rec)
	if err != nil {
		panic(err) // an event that cannot be written must not have been decided
	}
	e.records++
	e.noteCallers(rec)
	e.check(rec)
	a = answer{result: Result{Seq: rec.Seq, At: rec.At, Record: rec, Refused: out.Refused}, effects: e.plan(rec)}
	entry = journal.Entry{Seq: rec.Seq, At: int64(rec.At), Data: data}
	e.remember(entry)
	return a, entry, true, nil
}

// check looks for broken invariants; a partition where one is broken makes no
// new decisions until a person has looked.
func (e *Engine) check(rec event.Record) {
	if e.o.Check == nil || e.o.CheckEvery == 0 || e.records%uint64(e.o.CheckEvery) != 0 {
		return
	}
	for _, v := range e.o.Check(e.state, rec) {
		e.o.Log.Error("INVARIANT BROKEN: no new decisions in this partition", "partition", v.Partition, "rule", v.Rule, "detail", v.Detail, "seq", rec.Seq)
		for _, p := range e.state.Partitions {
			if v.Partition == "" || v.Partition == p.ID {
				p.Halt(v.Rule + ": " + v.Detail)
				e.blind()
			}
		}
		e.violations.Lock()
		e.violations.list = append(e.violations.list, v)
		e.violations.Unlock()
	}
}

// Violations lists the invariants that were found broken since the engine opened.
func (e *Engine) Violations() []Violation {
	e.violations.Lock()
	defer e.violations.Unlock()
	return append([]Violation(nil), e.violations.list...)
}

// plan finds out what is to be done once a record is durable.
func (e *Engine) plan(rec event.Record) (effects []func()) {
	if e.o.Plan != nil {
		if effect := e.o.Plan(rec, e.state); effect != nil {
			effects = append(effects, effect)
		}
	}
	if e.carrier != nil {
		effects = append(effects, e.carrier.plan(rec, e.state))
	}
	if e.waker != nil {
		effects = append(effects, e.waker.plan(rec, e.state))
	}
	return effects
}

// Resync tells the driver all that stands, as Open does: for a synchronous engine whose
// driver has forgotten what it was told.
func (e *Engine) Resync() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.carrier.resync(max(e.o.Now(), e.state.Time), e.state)
}

// NextAlarm is the next moment at which time alone may change something: a Tick is due then.
func (e *Engine) NextAlarm() fleet.Instant {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.state.NextAlarm()
}

// Close answers what has been accepted, makes it durable and stops. The journal stays open.
func (e *Engine) Close() error {
	e.stopping.Do(func() { close(e.quit) })
	if e.following.stop != nil {
		e.following.stop()
		e.following.done.Wait()
	}
	e.done.Wait()
	e.keepKeys()
	return nil
}
