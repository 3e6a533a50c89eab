package scenario

import (
	"context"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/run/driver"
	"github.com/muster-fleet/muster/internal/run/driver/simulated"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Stage is a cluster that a story is played on. Without one a story is played on the
// simulated cluster, where all that is decided stands at once.
type Stage interface {
	driver.Driver
	// Join tells the engine that decides from now on, after the stage was told as a driver
	// what stands: at the beginning, and after each restart of the process.
	Join(ctx context.Context, e *engine.Engine) error
	// Do carries a step out where it is for the people of the cluster to do, such as
	// submitting work. done is false for all others, which become commands.
	Do(ctx context.Context, r core.Request) (done bool, refusal *core.Refusal, err error)
	// Due is the moment of the next thing that happens there by itself, or fleet.Never,
	// and Happen lets it, up to now.
	Due() fleet.Instant
	Happen(ctx context.Context, now fleet.Instant) error
	// Rest waits until the cluster shows what was decided, and all that it shows was
	// reported. The story's clock stands still meanwhile.
	Rest(ctx context.Context) error
	// Wrong lists what on the cluster is not as the state says.
	Wrong(s *fleet.State) []string
}

// Setting is what a stage has to know of the story.
type Setting struct {
	Now     func() fleet.Instant
	Runtime func(driver.Job) (runtime time.Duration, ends bool) // of a workload that ends by itself: the story's secret
}

// RunOn tells the story of a file on a cluster: what is expected is the same.
func RunOn(ctx context.Context, f *File, open func(Setting) (Stage, error)) (Report, error) {
	return run(ctx, f, open)
}

// here is the simulated cluster as a stage: starting is instant, a victim uses its
// whole grace, and whatever happens is reported at once.
type here struct {
	*simulated.Driver
	world *world
}

func newHere(w *world) *here {
	return &here{simulated.New(simulated.Options{WholeGrace: true, Runtime: w.runtime}), w}
}

func (h *here) Join(context.Context, *engine.Engine) error { return nil }

func (h *here) Do(context.Context, core.Request) (bool, *core.Refusal, error) {
	return false, nil, nil
}

func (h *here) Happen(ctx context.Context, now fleet.Instant) error {
	for _, r := range h.Take(now) {
		if err := h.world.mustDo(ctx, engine.RequestOf(r)); err != nil {
			return err
		}
	}
	return nil
}

func (h *here) Rest(context.Context) error { return nil }

func (h *here) Wrong(*fleet.State) []string { return nil }
