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
	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Fit says where and when a workload would run if it were submitted now. For a namespace whose work the caller may not
// read it is told as for one that has none.
func (s workloadService) Fit(ctx context.Context, m *musterv1.FitRequest) (*musterv1.FitResponse, error) {
	one, target := m.GetSpec(), m.GetSpec().GetTarget()
	sp, err := wire.ReadSpec("spec", &musterv1.WorkloadSpec{
		Name: "fit", Namespace: one.GetNamespace(), Target: target, Partition: one.GetPartition(),
		Priority: one.GetPriority(), Pools: one.GetPools(), MaxRuntime: one.GetMaxRuntime(),
	}, callerOf(ctx).actor)
	if err != nil {
		return nil, err
	}
	x, err := s.searchTime(m.GetSearch(), searching+fitting*s.forecasting)
	if err != nil {
		return nil, err
	}
	out := &musterv1.FitResponse{}
	show, tries := s.study, s.triable(m.GetPatient())
	if tries {
		show = s.private
	}
	seen, err := show(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		if err := mayFit(ctx, state, one, at); err != nil {
			return err
		}
		if out.Missed = !tries; out.Missed {
			return nil
		}
		if !callerOf(ctx).seesNamespace("")(sp.Namespace) {
			sp.Namespace = newcomer(state)
		}
		for n := 2; state.Workload(sp.Namespace, sp.Name) != nil; n++ {
			sp.Name = fmt.Sprintf("fit-%d", n) // a name that no workload has
		}
		x.begin()
		trying := searching.Seconds() / (searching + fitting*s.forecasting).Seconds() // part of the time
		f := whatif.Fit(state, callerOf(ctx).actor, callerOf(ctx).reader(), sp, at, x.budget(ctx, x.part(trying)))
		may := callerOf(ctx).isTold(state)
		out.Missed, out.Places = f.Missed, may.places(f, forecasts(state, sp, f, at, x, x.part(1-trying), may))
		if out.GetMissed() || slices.ContainsFunc(out.GetPlaces(), cutShort) {
			out.Longer = x.longer()
		}
		slices.SortStableFunc(out.Places, func(a, b *musterv1.Place) int { return cmp.Compare(turn(a), turn(b)) })
		return nil
	})
	out.Seen = seen
	return out, err
}

// mayFit says why it is not asked at all: what is named is not there, or is closed to the caller.
func mayFit(ctx context.Context, state *fleet.State, one *musterv1.FitSpec, at fleet.Instant) error {
	target := one.GetTarget()
	q := state.Quota(target)
	if err := knownTarget(state, target); err != nil {
		return err
	}
	if q != nil {
		if closed := core.ClosedTo(state, callerOf(ctx).actor, q, at); closed != nil {
			return closed
		}
	}
	return knownPartition(state, one.GetPartition())
}

// cutShort says whether the forecast of a place ran out of time.
func cutShort(p *musterv1.Place) bool { return p.GetForecast().GetSearch() != nil }

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

// places are where it starts, and where it waits with the forecast that when gives.
func (may told) places(f whatif.Fitted, forecasts []*musterv1.Forecast) []*musterv1.Place {
	out := make([]*musterv1.Place, len(f.Places))
	for i, p := range f.Places {
		out[i] = may.place(p, forecasts[i])
	}
	return out
}

func (may told) place(p whatif.Place, ahead *musterv1.Forecast) *musterv1.Place {
	out := &musterv1.Place{Target: p.Target, Partition: p.Partition}
	switch {
	case p.Starts:
		out.Outcome, out.Start = "starts", may.start(p.Start)
	case p.Refusal != nil:
		out.Outcome, out.Code, out.Text = "refused", string(p.Refusal.Code), p.Refusal.Message
	default:
		out.Outcome, out.Blockers, out.Forecast = "waits", wire.Blockers(p.Blockers), ahead
		out.Answer = answerOf(p.Blockers, ahead)
	}
	return out
}

// fitForecasts is one question about many places. In-quota work and flex work are each lived
// on once, for all their places together; what that does not answer is asked by itself.
type fitForecasts struct {
	state   *fleet.State
	spec    fleet.Spec
	at      fleet.Instant
	history *forecast.History
	search  *searchTime
	end     time.Time
	each    time.Duration // one forecast may take
	may     told
	places  []whatif.Place
	out     []*musterv1.Forecast
}

// forecasts are those of the places in which it waits and may start some time; nil: of others.
func forecasts(state *fleet.State, sp fleet.Spec, f whatif.Fitted, at fleet.Instant, search *searchTime, end time.Time, may told) []*musterv1.Forecast {
	limit := time.Until(end)
	x := fitForecasts{
		state: state, spec: sp, at: at, history: forecast.Learn(state, at), search: search, end: end, each: limit / fitting,
		may: may, places: f.Places, out: make([]*musterv1.Forecast, len(f.Places)),
	}
	quota, flex := x.waiting(func(p whatif.Place) bool { return p.Target != fleet.Flex }), x.waiting(func(p whatif.Place) bool { return p.Target == fleet.Flex })
	if len(quota) > 0 && len(flex) > 0 {
		limit /= 2
	}
	x.together(quota, time.Now().Add(limit))
	x.together(flex, x.end)
	x.alone()
	return x.out
}

// waiting are the indexes of the places that have a start to forecast.
func (x *fitForecasts) waiting(so func(whatif.Place) bool) (list []int) {
	for i, p := range x.places {
		if p.Tried != nil && explain.AnswerOf(p.Blockers) != explain.Impossible && so(p) {
			list = append(list, i)
		}
	}
	return list
}

// together asks about several places at once.
func (x *fitForecasts) together(list []int, end time.Time) {
	if len(list) < 2 {
		return
	}
	places := make([]whatif.Place, len(list))
	for i, at := range list {
		places[i] = x.places[at]
	}
	s, ids := whatif.Together(x.state, x.spec, places, x.at)
	var asked []*fleet.Workload
	var of []int
	for i, id := range ids {
		if id != 0 {
			asked, of = append(asked, s.Workloads[id]), append(of, list[i])
		}
	}
	if len(asked) == 0 {
		return
	}
	var answers []forecast.Answer
	x.search.deepened(end, func(o forecast.Options) bool {
		o.History = x.history
		answers = forecast.Together(s, asked, x.at, o)
		return slices.ContainsFunc(answers, tooFar)
	})
	for i, a := range answers {
		x.out[of[i]] = forecastMessage(a, x.search.told(a), x.may)
	}
}

// alone asks about each place that is not answered, or whose answer has no grounds yet, in the time that is left.
func (x *fitForecasts) alone() {
	var list []int
	for _, i := range x.waiting(func(whatif.Place) bool { return true }) {
		if !x.out[i].GetKnown() {
			list = append(list, i)
		}
	}
	for n, i := range list {
		limit := time.Until(x.end) / time.Duration(len(list)-n)
		if x.out[i] != nil && limit < x.each/5 {
			continue
		}
		p := x.places[i]
		end := time.Now().Add(max(x.each/5, min(limit, 4*x.each)))
		alone := forecastOf(p.Tried, p.Tried.Workloads[p.ID], x.at, x.search, end, x.history, x.may)
		if x.out[i] == nil || saysMore(alone) {
			x.out[i] = alone
		}
	}
}

// saysMore says whether an answer says more than that time was too short for one.
func saysMore(f *musterv1.Forecast) bool {
	return f.GetKnown() || len(f.GetUnknown()) == 0 || f.GetUnknown()[0].GetKind() != string(forecast.TooFar)
}
