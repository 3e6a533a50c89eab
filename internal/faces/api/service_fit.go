package api

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/explain"
	"github.com/muster-fleet/muster/internal/answer/forecast"
	"github.com/muster-fleet/muster/internal/answer/whatif"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Fit says where and when a workload would run if it were submitted now.
func (s workloadService) Fit(ctx context.Context, m *musterv1.FitRequest) (*musterv1.FitResponse, error) {
	one, target := m.GetSpec(), m.GetSpec().GetTarget()
	sp, err := wire.ReadSpec("spec", &musterv1.WorkloadSpec{
		Name: "fit", Namespace: one.GetNamespace(), Target: target, Partition: one.GetPartition(),
		Priority: one.GetPriority(), Pools: one.GetPools(), MaxRuntime: one.GetMaxRuntime(),
	}, callerOf(ctx).actor)
	if err != nil {
		return nil, err
	}
	out := &musterv1.FitResponse{}
	show, tries := s.study, s.triable(m.GetPatient())
	if tries {
		show = s.private
	}
	seen, err := show(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		if target != "" && target != fleet.Flex && state.Quota(target) == nil {
			return noQuota(state, target)
		}
		if one.GetPartition() != "" && state.Partition(one.GetPartition()) == nil {
			return noPartition(state, one.GetPartition())
		}
		if out.Missed = !tries; out.Missed {
			return nil
		}
		for n := 2; state.Workload(sp.Namespace, sp.Name) != nil; n++ {
			sp.Name = fmt.Sprintf("fit-%d", n) // a name that nobody has
		}
		f := whatif.Fit(state, sp, at, budget(ctx))
		out.Missed, out.Places = f.Missed, places(f, forecast.Learn(state, at), at)
		slices.SortStableFunc(out.Places, func(a, b *musterv1.Place) int { return cmp.Compare(turn(a), turn(b)) })
		return nil
	})
	out.Seen = seen
	return out, err
}

// turn orders places: where it starts, the safest hold first, then where it waits.
func turn(p *musterv1.Place) int {
	switch p.GetOutcome() {
	case "starts":
		return slices.Index([]string{"guaranteed", "borrowing", "flex"}, p.GetStart().GetHolds())
	case "waits":
		return 10
	}
	return 20
}

// places are where it starts, and where it waits with the forecast that when gives. Each
// forecast has its part of the time that is left, so quick ones leave more to the others.
func places(f whatif.Fitted, history *forecast.History, at fleet.Instant) []*musterv1.Place {
	end := time.Now().Add(fitting)
	out := make([]*musterv1.Place, len(f.Places))
	for i, p := range f.Places {
		limit := max(time.Until(end)/time.Duration(len(f.Places)-i), forecasting/5)
		out[i] = placeOf(p, at, min(limit, 4*forecasting), history)
	}
	return out
}

func placeOf(p whatif.Place, at fleet.Instant, limit time.Duration, history *forecast.History) *musterv1.Place {
	out := &musterv1.Place{Target: p.Target, Partition: p.Partition}
	switch {
	case p.Starts:
		out.Outcome, out.Start = "starts", wire.Start(p.Start)
	case p.Refusal != nil:
		out.Outcome, out.Code, out.Text = "refused", string(p.Refusal.Code), p.Refusal.Message
	default:
		out.Outcome, out.Blockers = "waits", wire.Blockers(p.Blockers)
		if p.Tried != nil && explain.AnswerOf(p.Blockers) != explain.Impossible {
			out.Forecast = forecastOf(p.Tried, p.Tried.Workloads[p.ID], at, limit, history)
		}
		out.Answer = answerOf(p.Blockers, out.GetForecast())
	}
	return out
}
