package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/state/event"
)

// ErrFollows refuses a command on an engine that follows the log of another process.
var ErrFollows = errors.New("this server follows another, which decides")

// following is the part of an engine that follows.
type following struct {
	on    atomic.Bool
	fresh atomic.Int64 // unix nanoseconds when it last knew all of the log; 0: never
	stop  context.CancelFunc
	done  sync.WaitGroup
}

// follow takes records from the log as another process writes them.
func (e *Engine) follow() {
	ctx, stop := context.WithCancel(context.Background())
	e.following.stop = stop
	e.following.on.Store(true)
	e.following.done.Go(func() {
		for try := 0; ; try++ {
			err := e.followOnce(ctx)
			switch {
			case ctx.Err() != nil:
				return
			case err == nil:
				try = -1
				e.outage.end()
				continue
			case !errors.Is(err, journal.ErrUnavailable):
				_ = e.fail(err)
				return
			}
			pause(ctx, e.outage.begin(err, try))
		}
	})
}

// followOnce waits a moment for news, and takes them in.
func (e *Engine) followOnce(ctx context.Context) error {
	follower, ok := e.o.Journal.(journal.Follower)
	if !ok {
		return errors.New("this kind of journal cannot be followed")
	}
	brief, stop := context.WithTimeout(ctx, followPatience)
	defer stop()
	began := time.Now()
	last, err := follower.Wait(brief, e.durable.now())
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil && !errors.Is(err, journal.ErrUnavailable): // no news
		began = time.Now()
	case err != nil:
		return err
	case last > e.durable.now():
		return e.takeIn(ctx)
	}
	e.following.fresh.Store(began.UnixNano())
	return nil
}

// followPatience is how long a log may take to say whether there is news.
const followPatience = 3 * time.Second

// takeIn brings the state up to the end of the log.
func (e *Engine) takeIn(ctx context.Context) error {
	began := time.Now()
	err := e.o.Journal.Read(ctx, e.durable.now()+1, func(en journal.Entry) error {
		rec, err := event.Decode(en.Data)
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		e.mu.Lock()
		core.ApplyRecord(e.state, rec)
		e.state.Hush(e.state.Time)
		e.noteCallers(rec)
		e.mu.Unlock()
		if e.clock != nil {
			e.clock.follow(rec.At)
		}
		e.hear(en)
		e.keys.Add(en.Seq, en.At, rec.Key, en.Data)
		e.durable.reach(en.Seq)
		return nil
	})
	if err == nil {
		e.following.fresh.Store(began.UnixNano())
	}
	return err
}

// Follows says whether the engine follows another process, and how far its state may be
// behind the log.
func (e *Engine) Follows() (lag time.Duration, follows bool) {
	if !e.following.on.Load() {
		return 0, false
	}
	return time.Since(time.Unix(0, e.following.fresh.Load())), true
}

// Await returns once the state has all records up to a sequence number, or ctx is over.
func (e *Engine) Await(ctx context.Context, seq uint64) error { return e.durable.wait(ctx, seq) }

// Lead begins to decide, after the log was read to its end. No other process may write by then.
// The driver is told all that stands.
func (e *Engine) Lead(ctx context.Context) error {
	if !e.following.on.Load() {
		return nil
	}
	e.following.stop()
	e.following.done.Wait()
	if err := e.durable.failed(); err != nil {
		return err
	}
	if err := e.takeIn(ctx); err != nil {
		return err
	}
	e.outage.end()
	e.mu.Lock()
	e.attach()
	e.mu.Unlock()
	e.following.on.Store(false)
	e.start()
	return nil
}

// attach lets the clusters hear what is decided from now on, and of all that stands. What waits for its time is minded from now on.
func (e *Engine) attach() {
	e.state.Resume()
	if e.o.Wake != nil {
		e.waker = newWaker(e.o.Wake, e.state)
	}
	if e.o.Driver != nil {
		e.carrier = newCarrier(e.o.Driver)
		e.carrier.resync(max(e.o.Now(), e.state.Time), e.state)
	}
}

// away is why nothing can be decided now; nil: something can.
func (e *Engine) away() error {
	if err := e.outage.now(); err != nil || e.o.May == nil || e.following.on.Load() {
		return err
	}
	return e.outage.barred(e.o.May())
}
