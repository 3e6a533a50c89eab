package forecast

import (
	"github.com/muster-fleet/muster/internal/event"
	"github.com/muster-fleet/muster/internal/fleet"
)

// Book keeps forecasts until it is known what came of them, and how far they were off.
type Book struct {
	open  map[uint64][]entry
	score Score
}

// entry is one forecast whose workload still waits.
type entry struct {
	at     fleet.Instant
	answer Answer
}

// Score is how good forecasts were. Of Settled, the workloads of P50 and of P90
// had started by those moments.
type Score struct {
	Made    int // questions asked
	Known   int // of which so many got a moment
	Settled int // known ones whose workload has started
	P50     int
	P90     int
}

// NewBook is a book without entries.
func NewBook() *Book { return &Book{open: map[uint64][]entry{}} }

// Score is how good the forecasts were so far.
func (b *Book) Score() Score { return b.score }

// Note enters forecasts that were made.
func (b *Book) Note(list []Asked) {
	for _, a := range list {
		b.score.Made++
		if a.Answer.Known {
			b.score.Known++
			b.open[a.Workload] = append(b.open[a.Workload], entry{a.At, a.Answer})
		}
	}
}

// Hear looks through a record for workloads that have started or ended; s is
// the state after it.
func (b *Book) Hear(r event.Record, s *fleet.State) {
	for _, e := range r.Events {
		if id := concerns(e); len(b.open[id]) > 0 {
			b.settle(s.Workloads[id], r.At)
		}
	}
}

func (b *Book) settle(w *fleet.Workload, now fleet.Instant) {
	switch {
	case w.State.Ended():
		delete(b.open, w.ID)
		return
	case w.State != fleet.RunningW:
		return
	}
	for _, e := range b.open[w.ID] {
		b.score.Settled++
		if now <= e.answer.P50 {
			b.score.P50++
		}
		if now <= e.answer.P90 {
			b.score.P90++
		}
	}
	delete(b.open, w.ID)
}

func (b *Book) correct(a Answer, w *fleet.Workload, now fleet.Instant) Answer { return a }
