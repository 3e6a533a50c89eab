package simulate

import (
	"context"
	"time"

	"github.com/muster-fleet/muster/internal/answer/forecast"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Forecasts is how good the forecasts of a run were. Shares are of 1.
type Forecasts struct {
	Every   time.Duration `json:"every_ns"`
	Made    int           `json:"made"`
	Known   float64       `json:"known"`    // share of those made that named moments
	Settled int           `json:"settled"`  // known ones whose workload has started since
	P50     float64       `json:"p50_held"` // share of the settled that had started by the moment said
	P90     float64       `json:"p90_held"`
	Seconds float64       `json:"wall_s"` // of the run's: on forecasts
}

// forecasts asks now and then when everything that waits will start, and keeps
// book of what came of it.
type forecasts struct {
	every time.Duration
	next  fleet.Instant
	book  *forecast.Book
	took  time.Duration
}

func newForecasts(o Options, from fleet.Instant) *forecasts {
	f := &forecasts{every: o.ForecastEvery, next: fleet.Never, book: forecast.NewBook()}
	if f.every > 0 {
		f.next = from.Add(f.every)
	}
	return f
}

// nextForecast is when to ask again. An idle fleet asks for no forecast, so that
// none keeps the run going.
func (r *run) nextForecast() fleet.Instant {
	if r.nextJob() == fleet.Never && r.cluster.Due() == fleet.Never {
		return fleet.Never
	}
	return r.forecasts.next
}

// forecast asks about all that waits at this moment.
func (r *run) forecast(context.Context) error {
	began := time.Now()
	f := r.forecasts
	f.next = f.next.Add(f.every)
	r.engine.Read(func(s *fleet.State) {
		f.book.Note(forecast.All(s, r.now, forecast.Options{Book: f.book}))
	})
	f.took += time.Since(began)
	return nil
}

func (f *forecasts) report() *Forecasts {
	if f.every == 0 {
		return nil
	}
	s := f.book.Score()
	return &Forecasts{
		Every: f.every, Made: s.Made, Known: part(s.Known, s.Made), Settled: s.Settled,
		P50: part(s.P50, s.Settled), P90: part(s.P90, s.Settled), Seconds: f.took.Seconds(),
	}
}

func part(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}
