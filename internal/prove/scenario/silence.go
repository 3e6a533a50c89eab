package scenario

import (
	"context"
	"maps"
	"slices"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// This file lets the reports of a cluster stop and come again. They are stale once
// they have been silent for as long as the policy's staleAfter says (semantics §2).

// Silence is a step at which the reports of a cluster stop.
type Silence struct {
	Told
	Cluster string
}

// Speech is a step from which a cluster reports again.
type Speech struct {
	Told
	Cluster string
}

func silence(v yamlfile.Value) Action {
	return Silence{Told{Command: core.StopReports{Cluster: v.Name()}}, v.Name()}
}

func speech(v yamlfile.Value) Action {
	return Speech{Told{Command: core.ResumeReports{Cluster: v.Name()}}, v.Name()}
}

// waits says whether a step changes nothing yet but how long a cluster is silent: its
// reports have just stopped, or come again before they are stale.
func (w *world) waits(a Action) bool {
	switch a := a.(type) {
	case Silence:
		if w.staleFrom(a.Cluster, w.now) <= w.now {
			return false
		}
		if _, silent := w.silent[a.Cluster]; !silent {
			w.silent[a.Cluster] = w.now
		}
		return true
	case Speech:
		_, silent := w.silent[a.Cluster]
		delete(w.silent, a.Cluster)
		return silent
	}
	return false
}

// staleFrom is when the reports of a cluster are stale that has been silent since a moment; 0 for
// one that is not known, or stale already.
func (w *world) staleFrom(cluster string, since fleet.Instant) (at fleet.Instant) {
	w.engine.Read(func(s *fleet.State) {
		if c := s.Cluster(cluster); c != nil && !c.Stale {
			at = since.Add(s.Policy.StaleAfter)
		}
	})
	return at
}

// staleDue is when the next silent cluster's reports are stale, or Never.
func (w *world) staleDue() fleet.Instant {
	due := fleet.Never
	for cluster, since := range w.silent {
		due = min(due, w.staleFrom(cluster, since))
	}
	return due
}

// growStale lets the reports be stale of clusters that have been silent for long enough.
func (w *world) growStale(ctx context.Context) error {
	for _, cluster := range slices.Sorted(maps.Keys(w.silent)) {
		due := w.staleFrom(cluster, w.silent[cluster])
		if due > w.now {
			continue
		}
		delete(w.silent, cluster)
		if due == 0 {
			continue // it is gone
		}
		if err := w.mustDo(ctx, core.Request{Command: core.StopReports{Cluster: cluster}, Actor: core.Reporter}); err != nil {
			return err
		}
	}
	return nil
}
