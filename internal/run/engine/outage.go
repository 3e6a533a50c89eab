package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/run/journal"
)

// AwayError refuses a command while the journal cannot be reached. The command may have
// been decided and become durable later: with an idempotency key it can be sent again.
type AwayError struct {
	Since, Next time.Time // since when, and when it is tried again
	Err         error
}

func (e *AwayError) Error() string {
	return fmt.Sprintf("nothing is decided: the journal cannot be reached since %s, and is tried again at %s; reads go on (%v)",
		e.Since.UTC().Format("15:04:05Z"), e.Next.UTC().Format("15:04:05Z"), e.Err)
}

func (e *AwayError) Unwrap() error { return e.Err }

// outage is the time in which the journal cannot be reached.
type outage struct {
	mu    sync.Mutex
	away  *AwayError    // nil: it can
	began chan struct{} // holds one: an outage has begun, or its error is another
	since time.Time     // since when this process may not decide; zero: it may
}

// The waits between two tries: they double from the first to the last.
const (
	firstTry = 50 * time.Millisecond
	lastTry  = 500 * time.Millisecond // a look costs little, and a longer wait would add to the outage
)

// begin notes a try that failed, and says how long to wait for the next.
func (o *outage) begin(err error, try int) time.Duration {
	wait := min(lastTry, firstTry<<min(try, 10))
	o.mu.Lock()
	defer o.mu.Unlock()
	is := &AwayError{Since: time.Now(), Next: time.Now().Add(wait), Err: err}
	if o.away != nil {
		is.Since = o.away.Since
	}
	o.away = is
	select {
	case o.began <- struct{}{}:
	default:
	}
	return wait
}

// end says that the journal was reached; it returns whether there was an outage.
func (o *outage) end() (was bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	was, o.away = o.away != nil, nil
	return was
}

// now is why nothing can be decided; nil: something can.
func (o *outage) now() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away == nil {
		return nil
	}
	return o.away
}

// barred is an outage for as long as this process may not decide (err says why), and none where it may.
func (o *outage) barred(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	switch {
	case err == nil:
		o.since = time.Time{}
		return nil
	case o.since.IsZero():
		o.since = now
	}
	return &AwayError{Since: o.since, Next: now.Add(time.Second), Err: fmt.Errorf("%w: %w", journal.ErrUnavailable, err)}
}

// stopwatch shows how long something has been going on.
type stopwatch struct {
	mu    sync.Mutex
	since time.Time // zero: nothing goes on
}

// begin returns what ends it.
func (w *stopwatch) begin() (end func()) {
	w.set(time.Now())
	return func() { w.set(time.Time{}) }
}

func (w *stopwatch) set(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since = at
}

func (w *stopwatch) shows() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.since.IsZero() {
		return 0
	}
	return time.Since(w.since)
}

// patience is how long an append or a probe may take before the engine counts as not ready.
const patience = 3 * time.Second

// Health says why what is decided now could not be made durable; nil: it can.
func (e *Engine) Health() error {
	if err := e.durable.failed(); err != nil {
		return err
	}
	if err := e.away(); err != nil {
		return err
	}
	if took := max(e.journaling.shows(), e.probing.shows()); took > patience {
		return fmt.Errorf("the journal has not answered for %s: commands wait for it; look at its disk", took.Round(time.Second))
	}
	return nil
}

// Probe asks the journal whether it is still there. One that is gone ends all deciding:
// nothing that was decided from then on would be found again.
func (e *Engine) Probe(ctx context.Context) error {
	prober, ok := e.o.Journal.(journal.Prober)
	if !ok {
		return nil
	}
	end := e.probing.begin()
	err := prober.Probe(ctx)
	end()
	if errors.Is(err, journal.ErrGone) {
		return e.fail(err)
	}
	return err
}
