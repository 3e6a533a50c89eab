package simulated

import (
	"context"
	"slices"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Look says how the steps of a cluster stand: what was done holds, until a fault makes it fall.
func (w *World) Look(_ context.Context, s provision.Subject) (list []fleet.StepEvidence, _ error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, step := range fleet.Steps() {
		if w.shows(s, step) {
			list = append(list, w.see(s, step))
		}
	}
	return list, nil
}

// shows says whether there is something to see of a step.
func (w *World) shows(s provision.Subject, step fleet.Step) bool {
	if w.hidden[spot{s.Record.Name, step}] {
		return false
	}
	switch step {
	case fleet.StepProjects:
		return slices.Contains(s.Done, fleet.StepPipeline)
	case fleet.StepDependencies:
		return s.CheckedIn
	case fleet.StepHealth:
		return slices.Contains(s.Done, fleet.StepJoin)
	default:
		return slices.Contains(s.Done, step)
	}
}

// pauseOfWatched is how long a step that is only looked at stays fallen, where the fault does not say.
const pauseOfWatched = 10 * time.Minute

func (w *World) see(s provision.Subject, step fleet.Step) fleet.StepEvidence {
	at := spot{s.Record.Name, step}
	e := fleet.StepEvidence{Step: step, Holds: true, Generation: s.Generation}
	is, fell := w.fallen[at]
	if fell && is.until <= w.now() {
		delete(w.fallen, at)
		fell = false
	}
	if !fell {
		if f := w.takeFall(at); f != nil {
			is, fell = fallen{orElse(f.Error, "it fell"), w.until(step, *f)}, true
			w.fallen[at] = is
		}
	}
	if fell {
		e.Holds, e.Detail = false, is.detail
	}
	return e
}

// takeFall is the next fault of a step, where it is one that makes what stands fall.
func (w *World) takeFall(at spot) *Fault {
	if list := w.faults[at]; len(list) == 0 || list[0].Outcome != Failed {
		return nil
	}
	return w.take(at)
}

// until is when a fallen step holds again by itself.
func (w *World) until(step fleet.Step, f Fault) fleet.Instant {
	switch step {
	case fleet.StepProjects, fleet.StepDependencies, fleet.StepHealth:
		if f.Takes == 0 {
			f.Takes = pauseOfWatched
		}
		return w.now().Add(f.Takes)
	default:
		return fleet.Never
	}
}
