package api

import (
	"context"
	"errors"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Why says why a workload does not run, or how it runs.
func (s workloadService) Why(ctx context.Context, m *musterv1.WhyRequest) (*musterv1.WhyResponse, error) {
	x, err := s.searchTime(m.GetSearch(), s.forecasting+searching)
	if err != nil {
		return nil, err
	}
	out := &musterv1.WhyResponse{}
	show, tries := s.study, m.GetHelp() && s.triable(m.GetPatient())
	if tries {
		show = s.private
	}
	var about subject
	seen, err := show(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		w, err := s.findAt(ctx, m.GetAsOf(), state, m.GetNamespace(), m.GetName())
		if err != nil {
			return err
		}
		list := explain.Why(state, w, at)
		about = subjectOf(state, w, list, at)
		out.Blockers = wire.Blockers(list)
		out.Workload = wire.Workload(state, w, view.WorkloadOf(state, w, at))
		out.Workload.Reason = firstReason(list)
		wire.Trouble(out, state, w, at)
		if s.said != nil && m.GetAsOf() == nil && !w.State.Ended() {
			out.Said = s.said(w.Namespace, w.Name, w.Target)
		}
		if tries {
			s.help(ctx, out, state, w, list, at, x)
		}
		out.Missed = out.GetMissed() || m.GetHelp() && !tries && waits(w)
		if w.State == fleet.Pending {
			out.Answer = answerOf(list, out.GetForecast())
		}
		return nil
	})
	if tries && about.heavy {
		letGo()
	}
	if err == nil {
		s.blame(ctx, out, about)
		err = errors.Join(s.remember(ctx, out, m, about), s.around(ctx, out.GetFailure()))
	}
	out.Seen = seen
	return out, err
}

// help tries what would let a workload start, and says when it should.
func (s workloadService) help(ctx context.Context, out *musterv1.WhyResponse, state *fleet.State, w *fleet.Workload, list []explain.Blocker, at fleet.Instant, x *searchTime) {
	if !waits(w) {
		return
	}
	x.begin()
	foretelling := s.forecasting.Seconds() / (s.forecasting + searching).Seconds() // part of the time
	out.Forecast = forecastOf(state, w, at, x, x.part(foretelling), nil, nil)
	found := whatif.Changes(state, w, list, at, x.budget(ctx, x.part(1-foretelling)))
	for _, c := range found.Changes {
		if !overtaken(c, out.GetForecast()) {
			out.Changes = append(out.Changes, remedy(state, c))
		}
	}
	if out.Missed = found.Missed; found.Missed || out.GetForecast().GetSearch() != nil {
		out.Longer = x.longer()
	}
}

// overtaken says that a workload should start before what comes by itself has come.
func overtaken(c whatif.Change, f *musterv1.Forecast) bool {
	return c.Kind == whatif.Ends && c.By != 0 && f.GetKnown() && f.GetP90().AsTime().Before(wire.Instant(c.By).AsTime())
}

func waits(w *fleet.Workload) bool { return w.State == fleet.Pending || w.State == fleet.Starting }

// firstReason is the code of the first blocker.
func firstReason(list []explain.Blocker) string {
	if len(list) == 0 {
		return ""
	}
	return string(list[0].Code)
}
