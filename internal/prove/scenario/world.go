package scenario

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal/memory"
	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/provision/simulated"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// world is an engine with a journal, a cluster and a clock of its own.
type world struct {
	now      fleet.Instant
	journal  *memory.Journal
	engine   *engine.Engine
	stage    Stage
	outside  *simulated.World         // where clusters are built; it lives on through a restart
	runner   *provision.Runner        // builds them
	runtimes map[string]time.Duration // of workloads that end, by namespace/name
	executor executor                 // carries out visits
	silent   map[string]fleet.Instant // clusters whose reports stopped then and are not stale yet
	wrong    []string                 // what did not hold, though it always must
	watch    Watcher                  // nil: no watcher
}

func newWorld(ctx context.Context, open func(Setting) (Stage, error)) (w *world, err error) {
	w = &world{now: Start, journal: memory.New(), runtimes: map[string]time.Duration{}, silent: map[string]fleet.Instant{}}
	w.outside = simulated.New(func() fleet.Instant { return w.now })
	w.stage = newHere(w)
	if open != nil {
		if w.stage, err = open(Setting{Now: func() fleet.Instant { return w.now }, Runtime: w.runtime}); err != nil {
			return nil, err
		}
	}
	if err := w.open(ctx); err != nil {
		return nil, err
	}
	return w, nil
}

// open starts an engine on the journal. The cluster is told all that stands, as
// it is after any restart: it has lived on meanwhile.
func (w *world) open(ctx context.Context) error {
	e, err := engine.Open(ctx, engine.Options{
		Journal: w.journal, Now: func() fleet.Instant { return w.now }, Driver: w.stage, Plan: w.check,
		Synchronous: true,
	})
	if err != nil {
		return fmt.Errorf("open the engine: %w", err)
	}
	w.engine, w.runner = e, w.newRunner(e)
	return w.stage.Join(ctx, e)
}

// newRunner makes who builds clusters, as a process does that has just started.
func (w *world) newRunner(e *engine.Engine) *provision.Runner {
	return provision.New(provision.Options{
		Read: e.Read, Providers: map[string]provision.Outside{"simulated": w.outside}, Clouds: map[string]provision.Cloud{"simulated": w.outside},
		Do: func(ctx context.Context, r core.Request) error { _, err := e.Do(ctx, r); return err },
	})
}

func (w *world) runtime(j driver.Job) (time.Duration, bool) {
	d, ok := w.runtimes[j.Namespace+"/"+j.Name]
	return d, ok
}

// do carries out a step, by a command or on the stage; a refusal is not an error here.
func (w *world) do(ctx context.Context, r core.Request) (*core.Refusal, error) {
	done, refusal, err := w.stage.Do(ctx, r)
	if !done && err == nil {
		refusal, err = w.command(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	return refusal, w.stage.Rest(ctx)
}

// command has the engine carry out a request.
func (w *world) command(ctx context.Context, r core.Request) (*core.Refusal, error) {
	_, err := w.engine.Do(ctx, r)
	var refusal *core.Refusal
	if errors.As(err, &refusal) {
		return refusal, nil
	}
	return nil, err
}

// restart stops the process dead, and starts it again from its journal.
func (w *world) restart(ctx context.Context) error {
	before := w.hash()
	if err := w.engine.Close(); err != nil {
		return err
	}
	w.journal = w.journal.Reopen()
	if err := w.open(ctx); err != nil {
		return err
	}
	if after := w.hash(); after != before {
		w.note(fmt.Sprintf("the state after the restart (%s) is not the one before (%s)", after, before))
	}
	return nil
}

func (w *world) hash() (hash string) {
	w.engine.Read(func(s *fleet.State) { hash = s.Hash() })
	return hash
}

// mostAtOnce bounds what may happen at one moment; a story beyond it does not
// come to rest.
const mostAtOnce = 100_000

// passUntil lets everything happen that is due up to a moment: what the cluster
// reports, and what time alone brings, in order of time.
func (w *world) passUntil(ctx context.Context, moment fleet.Instant) error {
	for rounds := 0; ; rounds++ {
		due := min(w.stage.Due(), w.engine.NextAlarm(), w.visitsDue(), w.runner.Due(), w.staleDue())
		if due > moment {
			w.now = moment
			return nil
		}
		if rounds > mostAtOnce {
			return fmt.Errorf("the fleet does not come to rest before %s", moment.Time().Format(time.RFC3339))
		}
		w.now = max(w.now, due)
		if err := w.happen(ctx); err != nil {
			return err
		}
	}
}

// happen lets the stage do what is due there at this moment, and time pass.
func (w *world) happen(ctx context.Context) error {
	if err := w.stage.Happen(ctx, w.now); err != nil {
		return err
	}
	if err := w.growStale(ctx); err != nil {
		return err
	}
	if err := w.visit(ctx); err != nil {
		return err
	}
	if w.runner.Due() <= w.now {
		if err := w.runner.Turn(ctx, w.now); err != nil {
			return err
		}
	}
	if w.engine.NextAlarm() <= w.now {
		if _, err := w.command(ctx, core.Request{Command: core.Tick{}, Actor: core.System}); err != nil {
			return err
		}
	}
	return w.stage.Rest(ctx)
}

// mustDo has a report of the cluster carried out, which cannot be refused.
func (w *world) mustDo(ctx context.Context, r core.Request) error {
	refusal, err := w.command(ctx, r)
	if refusal != nil {
		return fmt.Errorf("a report of the cluster was refused: %w", refusal)
	}
	return err
}
