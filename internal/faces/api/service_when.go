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
	"github.com/muster-fleet/muster/internal/answer/view"
	"github.com/muster-fleet/muster/internal/faces/wire"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// When says when a waiting workload should start.
func (s workloadService) When(ctx context.Context, m *musterv1.WhenRequest) (*musterv1.WhenResponse, error) {
	x, err := s.searchTime(m.GetSearch(), 4*s.forecasting)
	if err != nil {
		return nil, err
	}
	out := &musterv1.WhenResponse{}
	show, tries := s.study, s.triable(m.GetPatient())
	if tries {
		show = s.private
	}
	seen, err := show(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		x.begin()
		w, err := s.findAt(ctx, m.GetAsOf(), state, m.GetNamespace(), m.GetName())
		if err != nil {
			return err
		}
		may := callerOf(ctx).isTold(state)
		out.Workload = wire.Workload(state, w, view.WorkloadOf(state, w, at))
		if !may.of(out.GetWorkload().GetEvictedFor()) {
			out.Workload.EvictedFor = ""
		}
		if tries {
			out.Forecast = forecastOf(state, w, at, x, x.end, nil, may)
		} else {
			out.Forecast = notTried(w)
		}
		if out.GetForecast().GetSearch() != nil {
			out.Longer = x.longer()
		}
		if w.State == fleet.Pending {
			out.Answer = answerOf(explain.Why(state, w, at), out.GetForecast())
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

// notTried is the forecast where the fleet is too large to be lived on in time.
func notTried(w *fleet.Workload) *musterv1.Forecast {
	g := forecast.Ground{Kind: forecast.TooFar}
	if !waits(w) {
		g = forecast.Ground{Kind: forecast.NotWaiting, Name: w.Namespace + "/" + w.Name}
	}
	return forecastMessage(forecast.Answer{Unknown: []forecast.Ground{g}}, nil, nil)
}

// answerOf is what can be said about whether a workload will start.
func answerOf(list []explain.Blocker, f *musterv1.Forecast) string {
	answer := explain.AnswerOf(list)
	if answer == explain.Waiting && f != nil && !f.GetKnown() {
		answer = explain.NotKnown
	}
	return string(answer)
}

// A forecast for a waiting caller begins with few steps, and takes more of
// them as long as that may be had in time.
const (
	fewSteps    = 60
	manySteps   = 200_000
	moreSteps   = 6
	worthwhile  = 2                      // times as many steps as the last round had
	forecasting = 500 * time.Millisecond // unless the options say otherwise
	fitting     = 8                      // times as long as one forecast for all of one fit
)

// forecastOf is the forecast of a workload. The history is what runs and repairs lasted so
// far; nil: what the state remembers. A copy on which something is tried remembers nothing
// that has ended, so its forecast needs the history of the state it was made from.
func forecastOf(state *fleet.State, w *fleet.Workload, at fleet.Instant, x *searchTime, end time.Time, history *forecast.History, may told) *musterv1.Forecast {
	var a forecast.Answer
	x.deepened(end, func(o forecast.Options) bool {
		o.History = history
		a = forecast.When(state, w, at, o)
		return tooFar(a)
	})
	return forecastMessage(a, x.told(a), may)
}

func forecastMessage(a forecast.Answer, search *musterv1.Search, may told) *musterv1.Forecast {
	out := &musterv1.Forecast{
		Known: a.Known, P50: wire.Instant(a.P50), P90: wire.Instant(a.P90), Latest: wire.Instant(a.Latest),
		RestsOn: may.grounds(a.RestsOn), Unknown: may.grounds(a.Unknown), More: int32(a.More), Search: search,
	}
	for _, g := range out.GetUnknown() {
		if g.GetKind() == string(forecast.TooFar) {
			g.Text = searchText(search)
		}
	}
	return out
}

func tooFar(a forecast.Answer) bool {
	return slices.ContainsFunc(a.Unknown, func(g forecast.Ground) bool { return g.Kind == forecast.TooFar })
}

// deepened asks with more and more steps, as many as there should be time for, until the
// answer is not "too far" or time is up. A round that takes longer than expected is cut short.
func (x *searchTime) deepened(end time.Time, ask func(forecast.Options) (tooFar bool)) {
	stop := func() bool { return x.over(end) }
	most := x.times(manySteps)
	for steps := fewSteps; ; {
		began := time.Now()
		tooFar := ask(forecast.Options{Steps: steps, Most: livable, Stop: stop, Arena: &x.arena})
		more := float64(time.Until(end)) / float64(time.Since(began)+1)
		if !tooFar || steps >= most || more < worthwhile || stop() {
			return
		}
		steps = int(float64(steps) * min(more, moreSteps))
	}
}

func (may told) grounds(list []forecast.Ground) []*musterv1.Ground {
	out := make([]*musterv1.Ground, len(list))
	for i, g := range list {
		called := g.Name
		if aboutWork[g.Kind] && g.Name != "" && !may.of(g.Name) {
			g.Name, called = "", text.OfOthers(1)
		}
		out[i] = &musterv1.Ground{
			Kind: string(g.Kind), Name: g.Name, Gpus: int32(g.GPUs), At: wire.Instant(g.At), By: wire.Instant(g.By), Text: groundText(g.Kind, called),
		}
	}
	return out
}

// groundTexts say a ground about the work or node that it names.
var groundTexts = map[forecast.Kind]string{
	forecast.RunTime:      "%s ends",
	forecast.Queued:       "%s, which is ahead, has run",
	forecast.Grace:        "the grace period of %s ends",
	forecast.Repair:       "node %s is back, as others came back",
	forecast.Visited:      "the maintenance of node %s is over, if it takes what it is said to",
	forecast.Probation:    "the probation of node %s ends",
	forecast.GrantEnd:     "what was granted to %s for a time ends",
	forecast.HoldExpiry:   "the hold of %s ends",
	forecast.Dwell:        "%s may be promised again after the dwell",
	forecast.FlexMinimum:  "%s has run its minimum time on flex",
	forecast.Rest:         "%s rests no longer, as its evictions are an hour old",
	forecast.NoMaximum:    "%s is in the way, and declares no longest run time",
	forecast.Overran:      "%s is in the way, and has run past what it declared",
	forecast.NoRepairTime: "node %s is out of service, and it is not known until when",
	forecast.NotReady:     "%s starts nothing now",
	forecast.NothingAhead: "nothing that is known to come would let it start",
	forecast.TooFar:       "the search stopped", // searchText says more
	forecast.NotWaiting:   "%s does not wait",
}

// aboutWork are the kinds of grounds that name a workload.
var aboutWork = map[forecast.Kind]bool{
	forecast.RunTime: true, forecast.Queued: true, forecast.Grace: true, forecast.FlexMinimum: true, forecast.Rest: true, forecast.NoMaximum: true, forecast.Overran: true,
}

// unnamed is what a ground is about that names nothing.
var unnamed = map[forecast.Kind]string{forecast.FlexMinimum: "other work", forecast.Dwell: "capacity"}

// groundText says a ground about what is called so.
func groundText(kind forecast.Kind, called string) string {
	format, ok := groundTexts[kind]
	switch {
	case !ok:
		return string(kind)
	case kind == forecast.NothingAhead || kind == forecast.TooFar:
		return format
	}
	return fmt.Sprintf(format, cmp.Or(called, unnamed[kind]))
}
