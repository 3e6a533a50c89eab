package api

import (
	"context"
	"fmt"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/explain"
	"github.com/muster-fleet/muster/internal/fleet"
	"github.com/muster-fleet/muster/internal/forecast"
	"github.com/muster-fleet/muster/internal/view"
)

// When says when a waiting workload should start.
func (s workloadService) When(ctx context.Context, m *musterv1.WhenRequest) (*musterv1.WhenResponse, error) {
	out := &musterv1.WhenResponse{}
	seen, err := s.private(ctx, m.GetAsOf(), func(state *fleet.State, at fleet.Instant) error {
		w, err := s.find(state, m.GetNamespace(), m.GetName())
		if err != nil {
			return err
		}
		out.Workload = workload(state, w, view.WorkloadOf(state, w, at))
		out.Forecast = forecastOf(state, w, at)
		if w.State == fleet.Pending {
			out.Answer = answerOf(explain.Why(state, w, at), out.GetForecast())
		}
		return nil
	})
	out.Seen = seen
	return out, err
}

// answerOf is what can be said about whether a workload will start.
func answerOf(list []explain.Blocker, f *musterv1.Forecast) string {
	answer := explain.AnswerOf(list)
	if answer == explain.Waiting && f != nil && !f.GetKnown() {
		answer = explain.NotKnown
	}
	return string(answer)
}

// steps bounds the decisions of one forecast that somebody waits for.
const steps = 5_000

func forecastOf(state *fleet.State, w *fleet.Workload, at fleet.Instant) *musterv1.Forecast {
	a := forecast.When(state, w, at, forecast.Options{Steps: steps})
	return &musterv1.Forecast{
		Known: a.Known, P50: timestamp(a.P50), P90: timestamp(a.P90), Latest: timestamp(a.Latest),
		RestsOn: grounds(a.RestsOn), Unknown: grounds(a.Unknown), More: int32(a.More),
	}
}

func grounds(list []forecast.Ground) []*musterv1.Ground {
	out := make([]*musterv1.Ground, len(list))
	for i, g := range list {
		out[i] = &musterv1.Ground{
			Kind: string(g.Kind), Name: g.Name, Gpus: int32(g.GPUs), At: timestamp(g.At), By: timestamp(g.By), Text: groundText(g),
		}
	}
	return out
}

// groundTexts say a ground about whoever it names.
var groundTexts = map[forecast.Kind]string{
	forecast.RunTime:      "%s ends",
	forecast.Queued:       "%s, which is ahead, has run",
	forecast.Grace:        "the grace period of %s ends",
	forecast.Repair:       "node %s is back, as others came back",
	forecast.Probation:    "the probation of node %s ends",
	forecast.HoldExpiry:   "the hold of %s ends",
	forecast.Dwell:        "%s may be promised again after the dwell",
	forecast.FlexMinimum:  "%s has run its minimum time on flex",
	forecast.NoMaximum:    "%s is in the way, and nobody declared how long it may run",
	forecast.Overran:      "%s is in the way, and has run past what it declared",
	forecast.NoRepairTime: "node %s is out of service, and nobody knows until when",
	forecast.NotReady:     "%s starts nothing now",
	forecast.NothingAhead: "nothing that is known to come would let it start",
	forecast.TooFar:       "finding out takes longer than this question may",
	forecast.NotWaiting:   "%s does not wait",
}

func groundText(g forecast.Ground) string {
	format, ok := groundTexts[g.Kind]
	switch {
	case !ok:
		return string(g.Kind)
	case g.Kind == forecast.NothingAhead || g.Kind == forecast.TooFar:
		return format
	}
	return fmt.Sprintf(format, g.Name)
}
