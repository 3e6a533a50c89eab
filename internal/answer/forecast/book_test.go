package forecast

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// life of one forecast: it is made, and its workload starts so long after it.
func (b *Book) live(c correction, id uint64, at fleet.Instant, p50, p90, wait time.Duration) {
	raw := moments{at.Add(p50), at.Add(p90)}
	said := c.apply(raw, at)
	b.Note([]Asked{{Workload: id, At: at, raw: raw, Answer: Answer{Known: true, P50: said[0], P90: said[1]}}})
	s := &fleet.State{Workloads: map[uint64]*fleet.Workload{id: {ID: id, State: fleet.RunningW}}}
	b.Hear(event.Record{At: at.Add(wait), Events: []event.Event{event.ReplicasStarted{ID: id}}}, s)
}

func TestABookCountsWhatHeld(t *testing.T) {
	b := NewBook()
	b.Note([]Asked{{Workload: 9}})
	b.live(correction{}, 1, 1, time.Hour, 2*time.Hour, 30*time.Minute)
	b.live(correction{}, 2, 1, time.Hour, 2*time.Hour, 90*time.Minute)
	b.live(correction{}, 3, 1, time.Hour, 2*time.Hour, 3*time.Hour)
	if want := (Score{Made: 4, Known: 3, Settled: 3, P50: 1, P90: 2}); b.Score() != want {
		t.Errorf("score %+v, want %+v", b.Score(), want)
	}
}

func TestACancelledWorkloadSaysNothingOfItsForecast(t *testing.T) {
	b := NewBook()
	b.Note([]Asked{{Workload: 1, At: 1, raw: moments{2, 3}, Answer: Answer{Known: true, P50: 2, P90: 3}}})
	s := &fleet.State{Workloads: map[uint64]*fleet.Workload{1: {ID: 1, State: fleet.Cancelled}}}
	b.Hear(event.Record{At: 5, Events: []event.Event{event.WorkloadCancelled{ID: 1}}}, s)
	if b.Score().Settled != 0 || len(b.open) != 0 {
		t.Errorf("score %+v, %d open", b.Score(), len(b.open))
	}
}

// Paths that are wrong by any constant factor, and by a spread that they do not
// know, are set right by their misses.
func TestMissesBringForecastsToWhatTheyClaim(t *testing.T) {
	for _, off := range []float64{0.3, 1, 4} {
		for seed := range uint64(3) {
			r, b, at, c := rand.New(rand.NewPCG(seed, 0)), NewBook(), fleet.Instant(1), correction{}
			for id := range uint64(3000) {
				at = at.Add(time.Hour)
				said := time.Duration(1+r.IntN(100)) * time.Hour
				if id%20 == 0 {
					c = b.correction(at)
				}
				b.live(c, id, at, said, said*11/10, time.Duration(float64(said)*off*(0.5+r.Float64())))
			}
			s := b.Score()
			p50, p90 := 100*s.P50/s.Settled, 100*s.P90/s.Settled
			if p50 < 45 || p50 > 55 || p90 < 87 || p90 > 93 {
				t.Errorf("seed %d, off by %g: p50 held for %d %%, p90 for %d %%", seed, off, p50, p90)
			}
		}
	}
}

func TestACorrectionKeepsTheOrderAndThePresent(t *testing.T) {
	raw, now := moments{100, 200}, fleet.Instant(100)
	for _, c := range []correction{{}, {[2]int64{5 * unit, unit}}, {[2]int64{1, 1}}} {
		said := c.apply(raw, now)
		if said[0] < now || said[1] < said[0] {
			t.Errorf("%v makes %v of %v at %d", c, said, raw, now)
		}
	}
}
